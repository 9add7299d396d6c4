/** What can be registered, and how mistakes are told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DefinitionError, Server } from 'omniport';
import { z } from 'zod';

import { Talk } from '../support/talk.js';

// biome-ignore lint/suspicious/noExplicitAny: mistakes that the type checker would find
const app = new Server({ name: 'definitions' }) as any;

const wrong: [string, () => void, RegExp][] = [
  ['no name', () => app.tool('', () => 1), /a tool needs its name/],
  ['no handler', () => app.tool('x', {}), /tool `x`: the handler is missing; it is the last argument/],
  ['handler first', () => app.tool('x', () => 1, {}), /tool `x`: the options are an object, not function/],
  [
    'known elsewhere',
    () => app.tool('x', { inputSchema: {} }, () => 1),
    /tool `x`: .*`inputSchema`; did you mean `input`/,
  ],
  [
    'a handler option',
    () => app.tool('x', { execute: () => 1 }, () => 1),
    /`execute`; the handler is the last argument/,
  ],
  ['unknown', () => app.tool('x', { colour: 1 }, () => 1), /tool `x`: there is no option `colour`; there are title,/],
  ['no object', () => app.tool('x', { input: z.string() }, () => 1), /tool `x`/],
  ['no schema', () => app.tool('x', { input: { type: 'nonsense' } }, () => 1), /`x`.*nonsense|nonsense/],
  ['bad name', () => app.tool('with\nbreak', () => 1), /break/],
  ['no content', () => app.resource('a://b', {}), /resource `a:\/\/b`: the content is missing/],
  ['no URI', () => app.resource(undefined, 'x'), /a resource needs its URI/],
  ['bad template', () => app.resource('a://{b', () => 1), /template "a:\/\/\{b"/],
  ['unknown variable', () => app.resource('a://{b}', { unsafeVariables: ['c'] }, () => 1), /no variable "c"/],
  ['nameless argument', () => app.prompt('p', { input: [{}] }, () => ''), /prompt `p`: an argument has no name/],
  [
    'argument twice',
    () => app.prompt('p', { input: [{ name: 'a' }, { name: 'a' }] }, () => ''),
    /prompt `p`: two arguments are named `a`/,
  ],
  ['scalar arguments', () => app.prompt('p', { input: z.string() }, () => ''), /prompt `p`/],
  ['no suggestions', () => app.complete('p', 'a'), /completion of `p`, `a`: the handler is missing/],
  ['nameless server', () => new Server({} as never), /a server needs a name/],
  ['server option', () => new Server({ name: 'x', tools: [] } as never), /Server: there is no option `tools`/],
  ['unknown limit', () => new Server({ name: 'x', limits: { speedOfLight: 1 } }), /speed_of_light|speedOfLight/],
  ['short key', () => new Server({ name: 'x', stateKeys: [new Uint8Array(3)] }), /32/],
];

for (const [what, register, message] of wrong) {
  test(`refused with a word: ${what}`, () => {
    assert.throws(register, (error: unknown) => {
      assert.ok(error instanceof DefinitionError, String(error));
      assert.match(error.message, message);
      return true;
    });
  });
}

test('run and listen refuse options that they do not have', async () => {
  await assert.rejects(app.run({ transport: 'http' }), /run: there is no option `transport`/);
  await assert.rejects(app.listen({ porto: 1 }), /listen: there is no option `porto`/);
});

test('everything that is said of a tool is published', async () => {
  const app = new Server({ name: 'definitions' });
  const annotations = { readOnlyHint: true };
  const icons = [{ src: 'https://example.com/a.png' }];
  app.tool(
    'full',
    {
      title: 'T',
      description: 'D',
      input: { a: z.number() },
      output: z.object({ b: z.string() }),
      annotations,
      icons,
      meta: { m: 1 },
    },
    () => ({ b: '' }),
  );
  app.tool('strict', { input: { a: z.number().optional() }, strict: true }, () => 'ok');
  await using talk = await Talk.with(app);
  const { tools } = (await talk.request('tools/list')).result;
  const [full, strict] = tools;
  assert.deepEqual(
    { ...full, inputSchema: undefined, outputSchema: undefined },
    {
      name: 'full',
      title: 'T',
      description: 'D',
      annotations,
      icons,
      _meta: { m: 1 },
      inputSchema: undefined,
      outputSchema: undefined,
    },
  );
  assert.deepEqual(full.inputSchema.required, ['a']);
  assert.equal(full.outputSchema.properties.b.type, 'string');
  assert.equal(strict.inputSchema.additionalProperties, false);
  assert.equal((await talk.call('strict', { other: 1 })).result.isError, true);
});

test('tools come and go while the server runs; a name that exists is replaced', async () => {
  const app = new Server({ name: 'definitions' });
  app.tool('a', () => 'first');
  await using talk = await Talk.with(app);
  app.tool('a', () => 'second');
  app.tool('b', () => 'late');
  assert.equal((await talk.call('a')).result.content[0].text, 'second');
  assert.equal((await talk.call('b')).result.content[0].text, 'late');
  assert.equal(app.removeTool('b'), true);
  assert.equal(app.removeTool('b'), false);
  assert.match((await talk.call('b')).error.message, /b/);
});

test('handlers get parsed values, and return what the output schema takes in', async () => {
  const app = new Server({ name: 'definitions', maskErrors: false });
  const input = z.object({ day: z.string().transform((text) => new Date(text)), n: z.coerce.number().default(3) });
  const output = z.object({ year: z.number().default(1) }).transform(({ year }) => ({ year: `${year}` }));
  app.tool('day', { input }, ({ day, n }) => `${day.getUTCFullYear()} ${n}`);
  app.tool('checked', { output: z.object({ n: z.number() }) }, () => ({ n: 'x' }) as never);
  app.tool('piped', { output: output.pipe(z.object({ year: z.string() })) }, () => ({}));
  const positive = z.number().refine(async (n) => n > 0, 'must be positive');
  app.tool('refined', { input: { a: positive, b: positive } }, () => 'ok');
  await using talk = await Talk.with(app);
  assert.equal((await talk.call('day', { day: '2026-01-01', n: '4' })).result.content[0].text, '2026 4');
  const { result } = await talk.call('refined', { a: -1, b: -2 });
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /a: must be positive\nb: must be positive/);
  const wrong = (await talk.call('checked')).result;
  assert.equal(wrong.isError, true);
  assert.match(wrong.content[0].text, /^The result does not fit the output schema: n: /);
  assert.deepEqual((await talk.call('piped')).result.structuredContent, { year: '1' });
});

test('prompts: texts on the wire, values of the schema for the handler (N20)', async () => {
  const app = new Server({ name: 'definitions' });
  const input = { n: z.number().describe('how many'), deep: z.boolean().optional(), name: z.string().optional() };
  app.prompt('typed', { description: 'D', input }, (args) => JSON.stringify(args));
  app.prompt('listed', { input: [{ name: 'a', description: 'A', required: true }, { name: 'b' }] }, ({ a, b }) => [
    `${a} ${b}`,
    { role: 'assistant', content: 'well' },
  ]);
  app.prompt('optional', { input: { a: z.string().optional() } }, ({ a }) => `a is ${a}`);
  app.prompt('bare', () => ({
    description: 'own',
    messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
  }));
  await using talk = await Talk.with(app);
  const { prompts } = (await talk.request('prompts/list')).result;
  assert.deepEqual(prompts[0], {
    name: 'typed',
    description: 'D',
    arguments: [{ name: 'n', description: 'how many', required: true }, { name: 'deep' }, { name: 'name' }],
  });
  const get = (name: string, args?: object) =>
    talk.request('prompts/get', { name, ...(args ? { arguments: args } : {}) });
  const typed = (await get('typed', { n: '3', deep: 'true', name: '7' })).result;
  assert.equal(typed.description, 'D');
  assert.deepEqual(JSON.parse(typed.messages[0].content.text), { n: 3, deep: true, name: '7' });
  assert.match((await get('typed', { n: 'many' })).error.message, /n: /);
  assert.match((await get('typed')).error.message, /n/);
  const listed = (await get('listed', { a: 'x' })).result.messages;
  assert.deepEqual(listed, [
    { role: 'user', content: { type: 'text', text: 'x undefined' } },
    { role: 'assistant', content: { type: 'text', text: 'well' } },
  ]);
  assert.equal((await get('optional')).result.messages[0].content.text, 'a is undefined');
  assert.equal((await get('bare')).result.description, 'own');
});

test('resources: texts, bytes, data, templates, contents', async () => {
  const app = new Server({ name: 'definitions' });
  app.resource('a://text', 'fixed');
  app.resource('a://bytes', { mimeType: 'image/png', name: 'B' }, new Uint8Array([1, 2]));
  app.resource('a://data', {}, { a: 1 });
  app.resource('db://{table}/{+path}{?limit}', ({ table, path, limit }, cx) => ({ table, path, limit, uri: cx.uri }));
  app.resource('files://{list*}', ({ list }) => list.map((name) => ({ uri: `files://${name}`, text: name })));
  await using talk = await Talk.with(app);
  const read = async (uri: string) => (await talk.request('resources/read', { uri })).result.contents;
  assert.deepEqual(await read('a://text'), [{ uri: 'a://text', mimeType: 'text/plain', text: 'fixed' }]);
  assert.deepEqual(await read('a://bytes'), [{ uri: 'a://bytes', mimeType: 'image/png', blob: 'AQI=' }]);
  assert.deepEqual(await read('a://data'), [{ uri: 'a://data', mimeType: 'application/json', text: '{"a":1}' }]);
  const [row] = await read('db://users/a/b?limit=3');
  assert.deepEqual(JSON.parse(row.text), { table: 'users', path: 'a/b', limit: '3', uri: 'db://users/a/b?limit=3' });
  assert.deepEqual(await read('files://x,y'), [
    { uri: 'files://x', text: 'x' },
    { uri: 'files://y', text: 'y' },
  ]);
  assert.equal(app.removeResource('a://text'), true);
  assert.equal(app.removeResource('files://{list*}'), true);
  assert.equal((await talk.request('resources/read', { uri: 'a://text' })).result, undefined);
});

test('completions see the other arguments (Y23)', async () => {
  const app = new Server({ name: 'definitions' });
  app.prompt('p', { input: { a: z.string(), b: z.string() } }, () => '');
  app.complete('p', 'a', (value, others) => [`${value}!`, JSON.stringify(others)]);
  app.complete('p', 'b', async () => ({ values: ['x'], total: 9, hasMore: true }));
  await using talk = await Talk.with(app);
  const complete = async (name: string) =>
    (
      await talk.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'p' },
        argument: { name, value: 'v' },
        context: { arguments: { other: 'o' } },
      })
    ).result.completion;
  assert.deepEqual((await complete('a')).values, ['v!', '{"other":"o"}']);
  assert.deepEqual(await complete('b'), { values: ['x'], total: 9, hasMore: true });
});
