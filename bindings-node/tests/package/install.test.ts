/** The tarballs of a release in a fresh project, used as its readers would use them first. */
import { deepStrictEqual, match, notStrictEqual, strictEqual } from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { compile, compilers, project } from '../support/compiler.js';
import { packageFolder } from '../support/places.js';

const tarballs = join(process.env.OMNIPORT_NODE ?? '', 'tarballs');

const WALK = `
const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };
async function walk() {
  const app = new Server({ name: 'first', version: '1' });
  app.tool('add', { input: schema }, ({ a, b }) => a + b);
  const http = await app.listen({ port: 0 });
  const client = new Client(http.url);
  const result = await client.callTool('add', { a: 1, b: 2 });
  console.log('sum ' + result.content[0].text);
  await client.close();
  await http.close();
}
`;
const FIRST = {
  'first.mjs': `import { Client, Server } from 'omniport';\n${WALK}\nawait walk();\n`,
  'first.cjs': `const { Client, Server } = require('omniport');\n${WALK}\nwalk();\n`,
  'worker.mjs': `import { Worker } from 'node:worker_threads';\nnew Worker(new URL('./first.mjs', import.meta.url));\n`,
  'first.test.cjs': `const { Client, Server } = require('omniport');\n${WALK}\ntest('first', walk);\n`,
  'nothing.mjs': `import { Server } from 'omniport';\nconsole.log(typeof Server);\n`,
};

describe('the tarballs in a fresh project', { skip: !existsSync(tarballs) && 'nothing is packed' }, () => {
  let folder = '';
  const run = (program: string, ...args: string[]): SpawnSyncReturns<string> =>
    spawnSync(program, args, { cwd: folder, encoding: 'utf8', timeout: 120_000 });
  const prints3 = ({ status, stdout, stderr }: SpawnSyncReturns<string>): void => {
    strictEqual(status, 0, stdout + stderr);
    match(stdout + stderr, /sum 3/);
  };
  const installed = (name: string): string => join(folder, 'node_modules', name);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'omniport-fresh-'));
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    for (const [name, text] of Object.entries(FIRST)) writeFileSync(join(folder, name), text);
    const files = readdirSync(tarballs).map((name) => join(tarballs, name));
    const { status, stderr } = run('npm', 'install', '--offline', '--no-audit', '--no-fund', ...files);
    strictEqual(status, 0, stderr);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('import', () => prints3(run(process.execPath, 'first.mjs')));
  test('require', () => prints3(run(process.execPath, 'first.cjs')));
  test('a worker thread', () => prints3(run(process.execPath, 'worker.mjs')));
  test('without code from strings', () => {
    prints3(run(process.execPath, '--disallow-code-generation-from-strings', 'first.mjs'));
  });
  test('Bun', () => prints3(run(join(packageFolder('bun'), 'bin/bun.exe'), 'first.mjs')));
  test('Deno', () =>
    prints3(run(process.execPath, join(packageFolder('deno'), 'bin.cjs'), 'run', '--allow-all', 'first.mjs')));
  test('jest', () => prints3(run(process.execPath, join(packageFolder('jest'), 'bin/jest.js'), '--rootDir', folder)));

  test('no script runs at installation, and nothing else is installed', () => {
    const { scripts, dependencies } = JSON.parse(readFileSync(join(installed('omniport'), 'package.json'), 'utf8'));
    deepStrictEqual([scripts, dependencies], [undefined, undefined]);
  });

  test('a bundle with the package outside, and one with only the addon outside', () => {
    const esbuild = (outside: string, out: string): SpawnSyncReturns<string> => {
      const args = ['--bundle', '--platform=node', '--format=cjs', `--external:${outside}`, `--outfile=${out}`];
      return run(join(packageFolder('esbuild'), 'bin/esbuild'), 'first.cjs', ...args);
    };
    for (const outside of ['omniport', '*.node']) {
      const { status, stderr } = esbuild(outside, 'bundle.cjs');
      strictEqual(status, 0, stderr);
      prints3(run(process.execPath, 'bundle.cjs'));
    }
  });

  test('without a binary the error says what was looked for (Z08)', () => {
    const alone = mkdtempSync(join(tmpdir(), 'omniport-alone-'));
    mkdirSync(join(alone, 'node_modules'));
    cpSync(installed('omniport'), join(alone, 'node_modules/omniport'), { recursive: true });
    writeFileSync(join(alone, 'nothing.mjs'), FIRST['nothing.mjs']);
    const { status, stderr } = spawnSync(process.execPath, ['nothing.mjs'], { cwd: alone, encoding: 'utf8' });
    rmSync(alone, { recursive: true });
    notStrictEqual(status, 0);
    match(stderr, /no prebuilt binary for \S+: the package omniport-\S+ cannot be loaded/);
  });

  test('errors of a second copy are of the same classes (N07)', () => {
    cpSync(installed('omniport'), join(folder, 'second'), { recursive: true });
    const text = `
      const [one, two] = [require('omniport'), require('./second')];
      const error = new two.ToolError('x');
      console.log('same', one !== two, error instanceof one.ToolError, error instanceof one.OmniportError, error instanceof one.NotFound);`;
    writeFileSync(join(folder, 'copies.cjs'), text);
    const { stdout, stderr } = run(process.execPath, 'copies.cjs');
    strictEqual(stdout.trim(), 'same true true true false', stderr);
  });
});

const TYPED = `
import { Client, Server } from 'omniport';
import type { Tool } from 'omniport/types';

export const app = new Server({ name: 'typed', version: '1' });
app.tool('hello', () => 'hello');
export async function first(): Promise<Tool | undefined> {
  const client = new Client('http://127.0.0.1:8000/mcp');
  return (await client.listTools())[0];
}
`;
const RESOLUTIONS = [
  { module: 'node16', moduleResolution: 'node16' },
  { module: 'esnext', moduleResolution: 'bundler' },
];
for (const compiler of compilers) {
  for (const resolution of RESOLUTIONS) {
    test(`the types by ${compiler}, resolved as ${resolution.moduleResolution} does`, () => {
      deepStrictEqual(compile(compiler, project({ 'typed.ts': TYPED, 'typed.cts': TYPED }, [], resolution)), []);
    });
  }
}
