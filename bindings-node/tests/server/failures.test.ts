/** Whatever a handler throws, the caller gets an answer and the server goes on. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { InvalidParams, NotFound, OmniportError, Server, ToolError } from 'omniport';

import { Talk } from '../support/talk.js';

class McpError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error('do not look');
    },
    getPrototypeOf() {
      throw new Error('do not look');
    },
  },
);

/** What is thrown, and what the model reads. */
const thrown: Record<string, [() => unknown, RegExp]> = {
  error: [() => new Error('broken'), /^broken$/],
  silent: [() => new RangeError(), /^RangeError$/],
  text: [() => 'just text', /^just text$/],
  undefined: [() => undefined, /^The handler threw undefined$/],
  null: [() => null, /^The handler threw null$/],
  number: [() => 7, /^The handler threw 7$/],
  symbol: [() => Symbol('s'), /^The handler threw Symbol\(s\)$/],
  object: [() => ({ a: 1 }), /^\{"a":1\}$/],
  messageOnly: [() => ({ message: 'like an error' }), /^like an error$/],
  frozen: [() => Object.freeze(new Error('frozen')), /^frozen$/],
  noPrototype: [() => Object.assign(Object.create(null), { b: 2 }), /^\{"b":2\}$/],
  aborted: [() => new DOMException('stop', 'AbortError'), /^stop$/],
  several: [() => new AggregateError([new Error('one'), 'two'], 'both'), /^both: one; two$/],
  getter: [() => Object.defineProperty(new Error(), 'message', { get: () => assert.fail() }), /cannot be shown/],
  hostile: [() => hostile, /cannot be shown/],
  tool: [() => new ToolError('for the model'), /^for the model$/],
  half: [() => new ToolError('half \ud800'), /^half \ufffd$/],
};

let talk: Talk;
const logged: string[] = [];
const { error: show } = console;

before(async () => {
  console.error = (text: string) => logged.push(text);
  const app = new Server({ name: 'failures', maskErrors: false });
  for (const [name, [make]] of Object.entries(thrown)) {
    app.tool(name, () => {
      throw make();
    });
    app.tool(`${name}Later`, async () => {
      throw make();
    });
  }
  app.tool('protocol', () => {
    throw new InvalidParams('no such row', { data: { row: 1 } });
  });
  app.tool('coded', () => {
    throw new OmniportError('custom', { code: -32_050 });
  });
  app.tool('foreign', () => {
    throw new McpError(-32_042, 'of another package', { x: 1 });
  });
  app.tool('unwritable', () => {
    throw new OmniportError('custom', { code: -32_050, data: { n: Number.NaN } });
  });
  app.resource('db://{row}', () => {
    throw new NotFound('no such row');
  });
  talk = await Talk.with(app);
});
after(async () => {
  console.error = show;
  await talk[Symbol.asyncDispose]();
});

for (const [name, [, text]] of Object.entries(thrown)) {
  test(`thrown: ${name}`, async () => {
    for (const tool of [name, `${name}Later`]) {
      const { status, result } = await talk.call(tool);
      assert.equal(status, 200);
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, text);
    }
  });
}

test('an OmniportError is a protocol error with its code and data', async () => {
  const { error } = await talk.call('protocol');
  assert.deepEqual(error, { code: -32_602, message: 'no such row', data: { row: 1 } });
  assert.deepEqual((await talk.call('coded')).error, { code: -32_050, message: 'custom' });
  assert.deepEqual((await talk.call('foreign')).error, {
    code: -32_042,
    message: 'of another package',
    data: { x: 1 },
  });
  assert.deepEqual((await talk.call('unwritable')).error, { code: -32_050, message: 'custom' });
  assert.match((await talk.request('resources/read', { uri: 'db://1' })).error.message, /not found: db:/);
});

test('the log shows the stacks of faults, and nothing of what the model was told on purpose', async () => {
  logged.length = 0;
  await talk.call('tool');
  await talk.call('protocol');
  assert.deepEqual(logged, []);
  await talk.call('error');
  assert.equal(logged.length, 1);
  assert.match(logged[0] ?? '', /^omniport: tool `error` failed\nError: broken\n +at /);
});
