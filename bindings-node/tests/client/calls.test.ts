import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import {
  Cancelled,
  Client,
  Closed,
  DefinitionError,
  isInputRequired,
  MethodNotFound,
  OmniportError,
  Timeout,
  ToolError,
} from 'omniport';
import { gate, raw, small, textOf } from './support.js';

test('a call is a promise that can be awaited, gathered and chained', async () => {
  await using client = new Client(small());
  const call = client.callTool('echo', { a: 1 });
  ok(call instanceof Promise);
  equal(call.then().constructor, Promise);
  const [first, second] = await Promise.all([call, client.callTool('echo', { b: 2 }).finally(() => {})]);
  deepEqual([textOf(first), textOf(second)], ['{"a":1}', '{"b":2}']);
  deepEqual(
    await client
      .request('call_tool', { name: 'echo', arguments: {} })
      .then((answer) => (answer as { content: object[] }).content.length),
    1,
  );
  await client.ping();
});

test('the server says who it is', async () => {
  await using client = raw();
  deepEqual([client.serverInfo, client.protocolVersion], [undefined, undefined]);
  deepEqual([client.state], ['closed']);
  equal(await client.connect(), client);
  deepEqual(
    [client.serverInfo?.name, client.protocolVersion, client.instructions, client.state, client.cause],
    ['raw', '2025-11-25', 'Be kind.', 'ready', null],
  );
  deepEqual(client.serverCapabilities?.experimental, { x: { y: 1 } });
});

test('Z10: a call aborted before it is made sends nothing and does not even connect', async () => {
  let calls = 0;
  await using client = new Client(small({ count: () => ++calls }));
  const reason = new Error('no');
  await rejects(client.callTool('count', {}, { signal: AbortSignal.abort(reason) }), (error) => error === reason);
  deepEqual([client.state], ['closed']);
  await client.ping();
  equal(calls, 0);
});

test('Z10: a call aborted on its way rejects once with the reason, and the server is told once', async () => {
  const waiting = gate();
  await using client = raw({ onLog: () => waiting.open() });
  await client.setLogLevel('info');
  const controller = new AbortController();
  const call = client.callTool('never', {}, { signal: controller.signal });
  let settled = 0;
  call.then(
    () => settled++,
    () => settled++,
  );
  await waiting.promise;
  controller.abort(new Error('enough'));
  await rejects(call, /enough/);
  controller.abort(new Error('again'));
  call.cancel('again');
  deepEqual(JSON.parse(textOf(await client.callTool('cancelled'))), ['enough']);
  equal(settled, 1);
});

test('Z10: without a reason it is an AbortError; a signal aborted after the answer changes nothing', async () => {
  await using client = raw();
  const controller = new AbortController();
  const call = client.callTool('never', {}, { signal: controller.signal });
  controller.abort();
  await rejects(call, { name: 'AbortError' });
  const late = new AbortController();
  const done = client.callTool('good', {}, { signal: late.signal });
  equal(textOf(await done), 'done');
  late.abort();
  equal(textOf(await done), 'done');
  // The first was never sent, and the second was answered: there is nothing to cancel.
  deepEqual(JSON.parse(textOf(await client.callTool('cancelled'))), []);
});

test('Z10: ten thousand calls with one signal leave no listener and no warning', async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error): unknown => warnings.push(warning);
  process.on('warning', listen);
  await using client = new Client(small());
  const { signal } = new AbortController();
  for (let round = 0; round < 10; round++) {
    const calls = Array.from({ length: 1000 }, () => client.callTool('echo', {}, { signal }));
    ok(getEventListeners(signal, 'abort').length <= 1);
    await Promise.all(calls);
  }
  equal(getEventListeners(signal, 'abort').length, 0);
  await new Promise(setImmediate);
  process.off('warning', listen);
  deepEqual(warnings, []);
});

test('Z10: a call that takes too long is a Timeout, and the server is told', async () => {
  await using client = raw();
  await client.connect();
  await rejects(
    client.callTool('never', {}, { timeout: 20 }),
    (error) => error instanceof Timeout && error.kind === 'timeout',
  );
  await rejects(client.callTool('never', {}, { totalTimeout: 20 }), Timeout);
  equal(JSON.parse(textOf(await client.callTool('cancelled'))).length, 2);
});

test('a call can be taken back', async () => {
  await using client = new Client(small({ wait: (_, call) => call.cancelled }));
  const call = client.callTool('wait');
  call.cancel('not needed');
  await rejects(call, (error) => error instanceof Cancelled && error.message === 'not needed');
  const done = client.callTool('echo');
  await done;
  done.cancel();
});

test('what cannot be asked is a rejection that names it, and nothing is sent', async () => {
  await using client = new Client(small());
  await rejects(
    client.callTool('echo', {}, { timeout: Number.POSITIVE_INFINITY }),
    /`timeout` must be a positive number of milliseconds, got Infinity/,
  );
  await rejects(
    client.callTool('echo', {}, { time: 1 } as never),
    (error) => error instanceof DefinitionError && error.message.includes('`time`'),
  );
  await rejects(client.callTool('echo', { n: Number.NaN }), /n.* is NaN/);
  await rejects(client.request('frobnicate'), /frobnicate/);
});

test('errors of the server keep every fact', async () => {
  await using client = raw();
  await rejects(client.readResource('a://b'), OmniportError);
  await rejects(client.callTool('give', { result: 'none' }), OmniportError);
  await client.ping();
  await using modern = new Client(small());
  await rejects(
    modern.callTool('nothing of this name'),
    (error) => error instanceof OmniportError && error.message.includes('nothing of this name'),
  );
  ok(!(new MethodNotFound('') instanceof Closed));
});

test('a failure of a tool is a result, or a ToolError for who wants that', async () => {
  const fail = (): never => {
    throw new Error('read this');
  };
  await using client = new Client(small({ fail }));
  const result = await client.callTool('fail');
  deepEqual([result.isError, textOf(result)], [true, 'read this']);
  await rejects(
    client.callTool('fail', {}, { raiseOnError: true }),
    (error) => error instanceof ToolError && error.message === 'read this',
  );
  equal(textOf(await client.callTool('echo', { a: 1 }, { raiseOnError: true })), '{"a":1}');
});

test('W17: results keep members that nobody knows', async () => {
  await using client = raw();
  const given = { content: [{ type: 'hologram', beams: 3 }], structuredContent: { a: [1] }, 'x.y/z': true };
  deepEqual(await client.callTool('give', { result: given }), given);
});

test('W08: integers above 2^53 are rounded, or given as bigint, and always written exactly', async () => {
  const big = 9007199254740993n;
  await using exact = raw({ bigint: true });
  await using plain = raw();
  for (const client of [exact, plain]) {
    equal(textOf(await client.callTool('echo', { big: 1n })), '{"big":1}');
  }
  const text = '9007199254740993';
  const give = (client: Client) =>
    client.callTool('give', { result: { content: [], structuredContent: { big, small: 1, text } } });
  // The raw server reads numbers as JavaScript does, so that it loses the last digit itself.
  deepEqual((await give(exact)).structuredContent, { big: 9007199254740992n, small: 1, text });
  deepEqual((await give(plain)).structuredContent, { big: 9007199254740992, small: 1, text });
});

test('by hand, a result says what input it needs', async () => {
  const ask = async (_: object, call: { ask(question: object): Promise<{ result?: unknown }> }): Promise<string> => {
    const question = { message: '?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
    return JSON.stringify((await call.ask({ elicit: question })).result);
  };
  await using client = new Client(small({ ask: ask as never }), { era: 'modern', capabilities: { elicitation: {} } });
  const asked = await client.byHand.callTool('ask');
  ok(isInputRequired(asked));
  const [key] = Object.keys(asked.inputRequests ?? {});
  const inputResponses = { [key as string]: { action: 'accept', content: { name: 'Ada' } } } as never;
  const options =
    asked.requestState === undefined ? { inputResponses } : { inputResponses, requestState: asked.requestState };
  const result = await client.byHand.callTool('ask', {}, options);
  ok(!isInputRequired(result));
  equal(textOf(result), '{"action":"accept","content":{"name":"Ada"}}');
});
