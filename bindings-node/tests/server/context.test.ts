/** What a running call may ask, tell and know. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';

import { Cancelled, Context, getContext, MissingCapability, RuleError, Server } from 'omniport';
import { z } from 'zod';

import { deferred } from '../support/deferred.js';
import { type Answer, Talk } from '../support/talk.js';

const FORMS = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Sends a call again with answers to what it asked, until it has its result. */
async function answering(
  talk: Talk,
  name: string,
  // biome-ignore lint/suspicious/noExplicitAny: whatever is asked
  answer: (question: any) => object,
): Promise<{ rounds: object[]; result: Answer['result'] }> {
  const rounds: object[] = [];
  let params: Record<string, unknown> = { name, arguments: {} };
  for (;;) {
    const { result, error } = await talk.request('tools/call', params, { capabilities: FORMS });
    if (result?.resultType !== 'input_required') return { rounds, result: result ?? error };
    rounds.push(result.inputRequests);
    const entries = Object.entries(result.inputRequests).map(([key, question]) => [key, answer(question)]);
    params = { name, arguments: {}, inputResponses: Object.fromEntries(entries), requestState: result.requestState };
  }
}

test('facts of the call; an id beyond 2^53 never changes', async () => {
  const app = new Server({ name: 'context' });
  const seen: Record<string, unknown>[] = [];
  app.tool('facts', (_, cx) => {
    assert.ok(cx instanceof Context);
    const { requestId, uri, headers, principal, sessionId, client, capabilities, protocolVersion, meta, resumed } = cx;
    seen.push({ requestId, uri, agent: headers['x-agent'], principal, sessionId, client, capabilities, resumed });
    return `${protocolVersion} ${meta.big}`;
  });
  await using talk = await Talk.with(app);
  const asking = { id: '9007199254740993', headers: { 'X-Agent': 'a' }, capabilities: FORMS, meta: { big: 1 } };
  const { result } = await talk.call('facts', {}, asking);
  assert.equal(result.content[0].text, '2026-07-28 1');
  assert.deepEqual(seen, [
    {
      requestId: 9007199254740993n,
      uri: '',
      agent: 'a',
      principal: null,
      sessionId: null,
      client: { name: 'talk', version: '1' },
      capabilities: FORMS,
      resumed: false,
    },
  ]);
});

test('integers beyond 2^53 in arguments are bigints where that was asked for', async () => {
  for (const bigint of [true, false]) {
    const app = new Server({ name: 'context', bigint });
    app.tool('types', (args) => `${typeof (args.a as { b: unknown[] }).b[1]} ${typeof args.small}`);
    await using talk = await Talk.with(app);
    const raw = { toJSON: () => ({ a: { b: [0, 'BIG'] }, small: 1 }) };
    const send = globalThis.fetch;
    globalThis.fetch = (url, init) =>
      send(url, { ...init, body: String(init?.body).replace('"BIG"', '9007199254740993') });
    try {
      const { result } = await talk.call('types', raw as never);
      assert.equal(result.content[0].text, bigint ? 'bigint number' : 'number number');
    } finally {
      globalThis.fetch = send;
    }
  }
});

test('questions: forms with typed answers, choices, urls, samples, roots', async () => {
  const app = new Server({ name: 'context' });
  app.tool('ask', async (_, cx) => {
    const form = await cx.elicit('Who?', { age: z.number().int(), day: z.string().transform((text) => text.length) });
    const pick = await cx.elicit('Which?', ['a', 'b']);
    const sure = await cx.elicit('Sure?');
    const page = await cx.elicitUrl('Pay', 'https://example.com/pay');
    const said = await cx.sample('Say something', { systemPrompt: 'short' });
    const roots = await cx.listRoots();
    return { form, pick, sure, page, said: said.text, roots, resumed: cx.resumed };
  });
  await using talk = await Talk.with(app);
  const { rounds, result } = await answering(talk, 'ask', ({ method, params }) => {
    if (method === 'roots/list') return { roots: [{ uri: 'file:///a' }] };
    if (method === 'sampling/createMessage') {
      assert.equal(params.maxTokens, 1024);
      assert.equal(params.systemPrompt, 'short');
      return { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } };
    }
    if (params.message === 'Who?') return { action: 'accept', content: { age: 3, day: 'abc' } };
    if (params.message === 'Which?') return { action: 'accept', content: { value: 'b' } };
    return params.mode === 'url' ? { action: 'accept' } : { action: 'decline' };
  });
  assert.equal(rounds.length, 6);
  assert.deepEqual(result.structuredContent, {
    form: { action: 'accept', content: { age: 3, day: 3 } },
    pick: { action: 'accept', content: 'b' },
    sure: { action: 'decline' },
    page: { action: 'accept' },
    said: 'hi',
    roots: [{ uri: 'file:///a' }],
    resumed: true,
  });
});

test('questions asked in one tick go out in one round, also when helpers are between them', async () => {
  const app = new Server({ name: 'context' });
  app.tool('both', async (_, cx) => {
    const ask = async (message: string) => {
      await Promise.resolve();
      return (await cx.elicit(message, ['x'])).content;
    };
    return (await Promise.all([ask('1'), ask('2'), cx.elicit('3', ['x'])])).length;
  });
  await using talk = await Talk.with(app);
  const { rounds, result } = await answering(talk, 'both', () => ({ action: 'accept', content: { value: 'x' } }));
  assert.deepEqual(
    rounds.map((round) => Object.keys(round).length),
    [3],
  );
  assert.equal(result.content[0].text, '3');
});

test('a step runs once, however often the handler is run again', async () => {
  const app = new Server({ name: 'context' });
  let effects = 0;
  app.tool('once', async (_, cx) => {
    const first = await cx.step('count', () => ({ effects: ++effects }));
    const nothing = await cx.step('nothing', async () => undefined);
    await cx.elicit('Go on?', ['yes']);
    return [first.effects, nothing];
  });
  await using talk = await Talk.with(app);
  const { result } = await answering(talk, 'once', () => ({ action: 'accept', content: { value: 'yes' } }));
  assert.equal(result.content[0].text, '[1,null]');
  assert.equal(effects, 1);
});

test('an answer that the schema refuses, and a client that cannot be asked, are errors in the handler', async () => {
  const app = new Server({ name: 'context' });
  app.tool('ask', async (_, cx) => {
    try {
      await cx.elicit('n?', { n: z.number().refine((n) => n > 3, 'too small') });
    } catch (error) {
      return error instanceof MissingCapability ? 'cannot' : (error as Error).message;
    }
    return 'fine';
  });
  await using talk = await Talk.with(app);
  assert.equal((await talk.call('ask')).result.content[0].text, 'cannot');
  const { result } = await answering(talk, 'ask', () => ({ action: 'accept', content: { n: 1 } }));
  assert.match(result.content[0].text, /^The answer to the form is not valid: n: too small$/);
});

test('progress and log messages come before the answer', async () => {
  const app = new Server({ name: 'context' });
  app.tool('tell', (_, cx) => {
    cx.progress(1, 2, 'half');
    cx.warning({ a: 1n }, 'log');
    cx.debug('nobody asked');
    return 'told';
  });
  await using talk = await Talk.with(app);
  const meta = { progressToken: 't', 'io.modelcontextprotocol/logLevel': 'info' };
  const { notices, result } = await talk.call('tell', {}, { meta });
  assert.equal(result.content[0].text, 'told');
  assert.deepEqual(
    notices.map(({ params: { _meta, ...params } }) => params),
    [
      { progressToken: 't', progress: 1, total: 2, message: 'half' },
      { level: 'warning', data: { a: 1 }, logger: 'log' },
    ],
  );
});

test('a client that goes away aborts the signal; what the handler throws then is swallowed (Z10)', async () => {
  const app = new Server({ name: 'context' });
  const began = deferred<Context>();
  const ended = deferred<unknown>();
  app.tool('wait', async (_, cx) => {
    const aborted = once(cx.signal, 'abort');
    began.resolve(cx);
    await aborted;
    ended.resolve(cx.signal.reason);
    throw cx.signal.reason;
  });
  app.tool('next', () => 'still here');
  await using talk = await Talk.with(app);
  const gone = new AbortController();
  const call = talk.call('wait', {}, { signal: gone.signal });
  const cx = await began.promise;
  assert.equal(cx.cancelled, false);
  gone.abort();
  await assert.rejects(call);
  assert.ok((await ended.promise) instanceof Cancelled);
  assert.equal(cx.cancelled, true);
  assert.equal(cx.signal.aborted, true);
  assert.equal((await talk.call('next')).result.content[0].text, 'still here');
});

test('getContext knows the call, before and after an await', async () => {
  const app = new Server({ name: 'context', trackContext: true });
  app.tool('sync', () => `${getContext().requestId}`);
  app.tool('async', async () => {
    const before = getContext();
    await new Promise(setImmediate);
    return `${before === getContext()}`;
  });
  await using talk = await Talk.with(app);
  assert.equal((await talk.call('sync', {}, { id: '"x"' })).result.content[0].text, 'x');
  const calls = await Promise.all([talk.call('async'), talk.call('async')]);
  assert.deepEqual(
    calls.map(({ result }) => result.content[0].text),
    ['true', 'true'],
  );
  assert.throws(() => getContext(), RuleError);
});
