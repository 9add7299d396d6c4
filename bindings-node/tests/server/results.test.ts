/** What results of tools mean, and what happens to values that JSON does not have. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { audio, embedded, image, resourceLink, Server, ToolResult, text } from 'omniport';

import { Talk } from '../support/talk.js';

class Point {
  x = 1;
  hidden = () => {};
}

const ring: Record<string, unknown> = {};
ring.self = { inner: ring };

const loose: Record<string, () => unknown> = {
  text: () => 'a "text"\n',
  nothing: () => undefined,
  null: () => null,
  number: () => 1.5,
  object: () => ({ a: [1, { b: null }], left: undefined }),
  array: () => [1, undefined, 'x'],
  bigint: () => ({ id: 2n ** 60n + 1n }),
  date: () => new Date(0),
  dates: () => ({ at: new Date(0) }),
  map: () => new Map([['a', new Set([1, 2])]]),
  bytes: () => ({ data: new Uint8Array([1, 2, 3]), buffer: Buffer.from('x'), floats: new Float64Array([0.5]) }),
  instance: () => new Point(),
  url: () => ({ url: new URL('http://x/y'), query: new URLSearchParams('a=1') }),
  half: () => ({ 'a\ud800': 'b\udc00' }),
  generator: function* () {
    yield 1;
    yield 2;
  },
  stream: async function* () {
    yield 'a';
    yield 'b';
  },
  looksLikeBlock: () => ({ type: 'text', text: 'data' }),
  whole: () => ({ content: [{ type: 'text', text: 'x' }], isError: true }),
  toolResult: () => new ToolResult({ content: ['a', text('b')], structuredContent: { c: 1 }, meta: { m: 1 } }),
  picture: () => image(new Uint8Array([1]), 'image/gif'),
  mixed: () => [
    'look:',
    audio('data:audio/mp3;base64,AQ=='),
    resourceLink('a://b'),
    embedded({ uri: 'c:', text: 'd' }),
  ],
};

const refused: Record<string, [() => unknown, RegExp]> = {
  nan: [() => ({ rows: [{ price: Number.NaN }] }), /`result\.rows\[0\]\.price` is NaN/],
  infinity: [() => [Number.POSITIVE_INFINITY], /`result\[0\]` is Infinity/],
  badDate: [() => ({ 'the day': new Date(Number.NaN) }), /`result\["the day"\]` is an invalid Date/],
  badMap: [() => ({ m: new Map([[{}, 1]]) }), /`result\.m` is a Map with a key that is an object and no text/],
  promise: [() => ({ p: Promise.resolve(1) }), /`result\.p` is a promise, not yet awaited/],
  ring: [() => ring, /`result\.self\.inner` contains itself/],
  function: [() => () => 1, /`result` is a function/],
  symbol: [() => Symbol('x'), /`result` is a symbol/],
  throwing: [
    () => ({
      get a() {
        throw new Error('no a');
      },
    }),
    /no a/,
  ],
};

let talk: Talk;

before(async () => {
  const app = new Server({ name: 'results', maskErrors: false });
  for (const [name, handler] of Object.entries(loose)) app.tool(name, handler);
  for (const [name, [handler]] of Object.entries(refused)) app.tool(name, handler);
  const output = { type: 'object', properties: { content: { type: 'array' } } };
  app.tool('ownContent', { output }, () => ({ content: [{ type: 'text', text: 'x' }] }));
  app.tool('scalar', { output: { type: 'integer' } }, () => 2 as never);
  app.tool('list', { output: { type: 'array' } }, () => ['a', text('b')] as never);
  talk = await Talk.with(app);
});
after(() => talk[Symbol.asyncDispose]());

const block = (text: string) => ({ content: [{ type: 'text', text }] });
const structured = (value: unknown) => ({ ...block(JSON.stringify(value)), structuredContent: value });

test('plain values: text is for the model, objects are structured', async () => {
  assert.deepEqual(await talk.result('text'), block('a "text"\n'));
  assert.deepEqual(await talk.result('nothing'), { content: [] });
  assert.deepEqual(await talk.result('null'), { content: [] });
  assert.deepEqual(await talk.result('number'), block('1.5'));
  assert.deepEqual(await talk.result('object'), structured({ a: [1, { b: null }] }));
  assert.deepEqual(await talk.result('array'), block('[1,null,"x"]'));
});

test('values that JSON.stringify would lose have a rule each', async () => {
  assert.deepEqual(await talk.result('bigint'), {
    ...block('{"id":1152921504606846977}'),
    structuredContent: { id: Number(2n ** 60n + 1n) },
  });
  assert.deepEqual(await talk.result('date'), block('1970-01-01T00:00:00.000Z'));
  assert.deepEqual(await talk.result('dates'), structured({ at: '1970-01-01T00:00:00.000Z' }));
  assert.deepEqual(await talk.result('map'), structured({ a: [1, 2] }));
  assert.deepEqual(await talk.result('bytes'), structured({ data: 'AQID', buffer: 'eA==', floats: [0.5] }));
  assert.deepEqual(await talk.result('instance'), structured({ x: 1 }));
  assert.deepEqual(await talk.result('url'), structured({ url: 'http://x/y', query: 'a=1' }));
  assert.deepEqual(await talk.result('half'), structured({ 'a\ufffd': 'b\ufffd' }));
  assert.deepEqual(await talk.result('generator'), block('[1,2]'));
  assert.deepEqual(await talk.result('stream'), block('["a","b"]'));
});

for (const [name, [, message]] of Object.entries(refused)) {
  test(`a result that cannot be written is an error that says where: ${name}`, async () => {
    const { result } = await talk.call(name);
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, message);
  });
}

test('blocks and whole results say themselves what they are; a plain object of that shape is data', async () => {
  assert.deepEqual(await talk.result('looksLikeBlock'), structured({ type: 'text', text: 'data' }));
  assert.deepEqual(await talk.result('whole'), { ...block('x'), isError: true });
  assert.deepEqual(await talk.result('picture'), {
    content: [{ type: 'image', data: 'AQ==', mimeType: 'image/gif' }],
  });
  const { result } = await talk.call('toolResult');
  assert.deepEqual(result.content, [...block('a').content, ...block('b').content]);
  assert.deepEqual(result.structuredContent, { c: 1 });
  assert.equal(result._meta.m, 1);
  assert.deepEqual(await talk.result('mixed'), {
    content: [
      { type: 'text', text: 'look:' },
      { type: 'audio', data: 'AQ==', mimeType: 'audio/mp3' },
      { type: 'resource_link', uri: 'a://b', name: 'a://b' },
      { type: 'resource', resource: { uri: 'c:', text: 'd' } },
    ],
  });
});

test('an output schema makes every value structured', async () => {
  assert.deepEqual(await talk.result('ownContent'), structured({ content: [{ type: 'text', text: 'x' }] }));
  assert.deepEqual(await talk.result('scalar'), structured(2));
  const { structuredContent } = (await talk.result('list')) as { structuredContent: unknown[] };
  assert.equal(structuredContent.length, 2);
});
