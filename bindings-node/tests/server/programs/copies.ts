/** Two copies of the package that both serve: each keeps rejections from ending the process, and neither takes the other for the program. */
import { createRequire } from 'node:module';
import { Server } from 'omniport';

const require = createRequire(import.meta.url);
for (const file of Object.keys(require.cache)) if (!file.endsWith('.node')) delete require.cache[file];
const copy = require('omniport') as typeof import('omniport');
if (copy.Server === Server) throw new Error('this is no second copy');

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const first = await new Server({ name: 'first' }).listen({ port: 0 });
const second = await new copy.Server({ name: 'second' }).listen({ port: 0 });
Promise.reject(new Error('beside both'));
await turn();
await first.close(0);
Promise.reject(new Error('beside the second'));
await turn();
await second.close(0);
console.log(`listeners: ${process.listenerCount('unhandledRejection')}`);
