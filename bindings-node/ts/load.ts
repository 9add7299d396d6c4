/**
 * Finds the addon: one built beside the package, or the one of the platform package that npm chose.
 *
 * @module
 */

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Which C library this Linux has: the addon is linked to one. */
function libc(): 'gnu' | 'musl' {
  try {
    return readFileSync('/usr/bin/ldd', 'latin1').includes('musl') ? 'musl' : 'gnu';
  } catch {
    // No such file: the report knows, too, but costs more than all the rest of loading.
  }
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  return report?.header?.glibcVersionRuntime === undefined ? 'musl' : 'gnu';
}

/** The platform as the names of addons and platform packages have it: `linux-x64-gnu`. */
export function platform(): string {
  const { platform, arch } = process;
  if (platform === 'linux') return `linux-${arch}-${libc()}`;
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`;
}

/** The exports of the addon; throws an error that says what was looked for. */
export function load(): unknown {
  const require = createRequire(__filename);
  const name = platform();
  const beside = join(__dirname, '..', `omniport.${name}.node`);
  if (existsSync(beside)) return require(beside);
  try {
    return require(`omniport-${name}`);
  } catch (cause) {
    throw new Error(
      `omniport: no prebuilt binary for ${name}: the package omniport-${name} cannot be loaded, and ${beside} is not there. ` +
        'Install with optional dependencies, or build from source: npm install of a checkout of the repository, with Rust on this machine.',
      { cause },
    );
  }
}
