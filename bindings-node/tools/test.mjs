/**
 * test.mjs [WORD...]: compiles the package and its tests in this checkout and runs the test files whose path has one of the words.
 *
 * The quick way while writing; `make test-node` tests the packed package. Wants node_modules with what tests/package.json names
 * and an addon beside the package.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const binding = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(binding, 'dist-tests');
const tsc = join(binding, '../node_modules/typescript/bin/tsc');

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** The compiled test files below a folder. */
function testsOf(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.test.js') && !path.includes('node_modules'))
    .map((path) => join(folder, path));
}

run(tsc, '-p', join(binding, 'tsconfig.json'));
run(join(binding, 'tools/wrap.mjs'));
rmSync(out, { recursive: true, force: true });
// The tests import the package by its name, as users do.
mkdirSync(join(out, 'node_modules'), { recursive: true });
symlinkSync(join(binding, '..'), join(out, 'node_modules/omniport'), 'junction');
writeFileSync(join(out, 'package.json'), '{ "private": true, "type": "module" }\n');
run(tsc, '-p', join(binding, 'tests/tsconfig.json'));
const words = process.argv.slice(2);
const files = testsOf(out).filter((path) => words.length === 0 || words.some((word) => path.includes(word)));
if (files.length === 0) {
  console.error('test.mjs: no test file has such a path');
  process.exit(1);
}
run('--test', '--test-reporter=spec', ...files);
