/** The tarballs of a release in a fresh project, used as its readers would use them first. */
import { deepStrictEqual, doesNotMatch, match, notStrictEqual, strictEqual } from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { compile, compilers } from '../support/compiler.js';
import { packageFolder, runtime } from '../support/places.js';
import { type Ran, run } from '../support/run.js';

const tarballs = join(process.env.OMNIPORT_NODE ?? '', 'tarballs');

const WALK = `
const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };
async function walk() {
  const app = new Server({ name: 'first', version: '1' });
  app.tool('add', { input: schema }, ({ a, b }) => a + b);
  const http = await app.listen({ port: 0 });
  const client = new Client(http.url);
  try {
    const result = await client.callTool('add', { a: 1, b: 2 });
    console.log('sum ' + result.content[0].text);
  } finally {
    await client.close();
    await http.close();
  }
}
`;
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
const FIRST = {
  'first.mjs': `import { Client, Server } from 'omniport';\n${WALK}\nawait walk();\n`,
  'first.cjs': `const { Client, Server } = require('omniport');\n${WALK}\nwalk();\n`,
  'worker.mjs': `import { Worker } from 'node:worker_threads';\nnew Worker(new URL('./first.mjs', import.meta.url));\n`,
  'first.test.cjs': `const { Client, Server } = require('omniport');\n${WALK}\ntest('first', walk);\n`,
  'nothing.mjs': `import { Server } from 'omniport';\nconsole.log(typeof Server);\n`,
  'typed.mts': TYPED,
  'typed.cts': TYPED,
};
const [NEWEST, OLDEST] = compilers;
const COMPILED = [
  [NEWEST, { module: 'node16', moduleResolution: 'node16' }],
  [NEWEST, { module: 'esnext', moduleResolution: 'bundler' }],
  [OLDEST, { module: 'node16', moduleResolution: 'node16' }],
] as const;

describe('the tarballs in a fresh project', {
  skip: !existsSync(tarballs) && 'nothing is packed',
  concurrency: 2,
}, () => {
  let folder = '';
  const here = (program: string, ...args: string[]): Promise<Ran> => run(folder, program, ...args);
  const prints3 = async (ran: Promise<Ran>): Promise<void> => {
    const { status, stdout, stderr } = await ran;
    strictEqual(status, 0, stdout + stderr);
    match(stdout + stderr, /sum 3/);
  };
  const installed = (name: string): string => join(folder, 'node_modules', name);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'omniport-fresh-'));
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    for (const [name, text] of Object.entries(FIRST)) writeFileSync(join(folder, name), text);
    const files = readdirSync(tarballs).map((name) => join(tarballs, name));
    const { status, stderr } = await here('npm', 'install', '--offline', '--no-audit', '--no-fund', ...files);
    strictEqual(status, 0, stderr);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('import', () => prints3(here(process.execPath, 'first.mjs')));
  test('require', () => prints3(here(process.execPath, 'first.cjs')));
  test('a worker thread', () => prints3(here(process.execPath, 'worker.mjs')));
  test('Bun', () => prints3(here(runtime('bun'), 'first.mjs')));
  test('Deno', () => prints3(here(runtime('deno'), 'run', '--allow-all', 'first.mjs')));
  test('jest', () => prints3(here(process.execPath, join(packageFolder('jest'), 'bin/jest.js'), '--rootDir', folder)));

  test('no code is made from strings', async () => {
    await prints3(here(process.execPath, '--disallow-code-generation-from-strings', 'first.mjs'));
    const dist = installed('omniport/bindings-node/dist');
    for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
      if (/\.m?js$/.test(name))
        doesNotMatch(readFileSync(join(dist, name), 'utf8'), /\beval\(|\bFunction\(|node:vm/, name);
    }
  });

  test('no script runs at installation, and nothing else is installed', () => {
    const { scripts, dependencies } = JSON.parse(readFileSync(join(installed('omniport'), 'package.json'), 'utf8'));
    deepStrictEqual([scripts, dependencies], [undefined, undefined]);
  });

  for (const outside of ['omniport', '*.node']) {
    test(`a bundle with ${outside} outside`, async () => {
      const bundle = `bundle-without-${outside.replace(/\W/g, '')}.cjs`;
      const args = ['--bundle', '--platform=node', '--format=cjs', `--external:${outside}`, `--outfile=${bundle}`];
      const { status, stderr } = await here(join(packageFolder('esbuild'), 'bin/esbuild'), 'first.cjs', ...args);
      strictEqual(status, 0, stderr);
      await prints3(here(process.execPath, bundle));
    });
  }

  test('the types', () => {
    mkdirSync(installed('@types'));
    symlinkSync(packageFolder('@types/node'), installed('@types/node'), 'junction');
    for (const [compiler, resolution] of COMPILED) {
      const compilerOptions = { target: 'es2022', lib: ['es2022'], strict: true, types: ['node'], ...resolution };
      const files = ['typed.mts', 'typed.cts'];
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
      deepStrictEqual(compile(compiler, folder), [], `${compiler}, ${resolution.moduleResolution}`);
    }
  });

  test('without a binary the error says what was looked for (Z08)', async () => {
    const alone = mkdtempSync(join(tmpdir(), 'omniport-alone-'));
    mkdirSync(join(alone, 'node_modules'));
    cpSync(installed('omniport'), join(alone, 'node_modules/omniport'), { recursive: true });
    writeFileSync(join(alone, 'nothing.mjs'), FIRST['nothing.mjs']);
    const { status, stderr } = await run(alone, process.execPath, 'nothing.mjs');
    rmSync(alone, { recursive: true });
    notStrictEqual(status, 0);
    match(stderr, /no prebuilt binary for \S+: the package omniport-\S+ cannot be loaded/);
  });

  test('errors of a second copy are of the same classes (N07)', async () => {
    cpSync(installed('omniport'), join(folder, 'second'), { recursive: true });
    const text = `
      const [one, two] = [require('omniport'), require('./second')];
      const error = new two.NotFound('x');
      console.log(one === two, [one.NotFound, one.OmniportError, one.Timeout, one.ToolError].map((made) => error instanceof made).join());`;
    writeFileSync(join(folder, 'copies.cjs'), text);
    const { stdout, stderr } = await here(process.execPath, 'copies.cjs');
    strictEqual(stdout.trim(), 'false true,true,false,false', stderr);
  });
});
