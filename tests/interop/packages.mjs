// Preloaded: finds npm packages in the folder where `tools/setup-node` put them, since none is installed into the checkout.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const installed = pathToFileURL(`${process.env.OMNIPORT_NPM}/package.json`).href;

registerHooks({
  resolve(specifier, context, next) {
    const isBare = !/^(\.|\/|node:|file:)/.test(specifier);
    const isOurs = !context.parentURL?.includes('/node_modules/');
    return next(specifier, isBare && isOurs ? { ...context, parentURL: installed } : context);
  },
});
