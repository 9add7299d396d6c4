/** Where the tests find what they are about: they run from a checkout as well as from a folder of compiled copies. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function checkout(): string {
  let folder = process.env.OMNIPORT_ROOT ?? dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'spec'))) {
    if (folder === dirname(folder)) throw new Error('OMNIPORT_ROOT has to be set to the checkout');
    folder = dirname(folder);
  }
  return folder;
}

/** The checkout: specification, vectors, sources. */
export const root = checkout();

/** Resolves as the tests' own imports do. */
export const require = createRequire(import.meta.url);

/** The folder of an installed package. */
export function packageFolder(name: string): string {
  return dirname(require.resolve(`${name}/package.json`));
}
