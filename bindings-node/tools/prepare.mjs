/**
 * prepare.mjs: what `npm install .` runs in a checkout: compiles TypeScript, and builds the addon where no prebuilt one fits.
 *
 * Packages from the registry have both in them and run nothing.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const binding = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);

function fail(message) {
  console.error(`omniport: ${message}`);
  process.exit(1);
}

function compile() {
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  for (const step of [[tsc, '-p', binding], [join(binding, 'tools/wrap.mjs')]]) {
    if (spawnSync(process.execPath, step, { stdio: 'inherit' }).status !== 0) fail('TypeScript does not compile');
  }
}

function resolves(name) {
  try {
    return Boolean(require.resolve(name));
  } catch {
    return false;
  }
}

/** Builds the addon in release mode; the path of the library, which `CARGO_TARGET_DIR` has a say in. */
function cargo() {
  const build = spawnSync(
    'cargo',
    ['build', '--locked', '--release', '--package', 'omniport-node', '--message-format', 'json-render-diagnostics'],
    { cwd: join(binding, '..'), stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (build.error?.code === 'ENOENT') return undefined;
  if (build.status !== 0) fail('cargo could not build the addon; its messages are above');
  const artifacts = build.stdout.split('\n').filter((line) => line.includes('"compiler-artifact"'));
  const addon = artifacts.map((line) => JSON.parse(line)).find(({ target }) => target.name === 'omniport_node');
  return addon.filenames.find((name) => /\.(so|dylib|dll)$/.test(name));
}

compile();
const { platform } = require(join(binding, 'dist/load.js'));
const beside = join(binding, `omniport.${platform()}.node`);
if (!resolves(`omniport-${platform()}`)) {
  const library = cargo();
  if (library) {
    // A new file in the place of the old one: a process that has it loaded keeps its own.
    copyFileSync(library, `${beside}.new`);
    renameSync(`${beside}.new`, beside);
  } else if (!existsSync(beside)) {
    fail(
      `no prebuilt addon fits ${platform()}, and \`cargo\` is not there to build one; install Rust from https://rustup.rs and try again`,
    );
  }
}
