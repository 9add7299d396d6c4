import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { Client, type ClientOptions, InvalidParams } from 'omniport';
import { gate, type Handler, raw, small, textOf } from './support.js';

const FORM = { message: 'Your name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const NAME = { name: 'Ada' };

/** Asks what it is told to ask; its result is the answer. */
const ask: Handler = async ({ question }, call) => {
  const { result, error } = await call.ask(question as never);
  return JSON.stringify(result ?? error);
};

for (const era of ['legacy', 'modern'] as const) {
  test(`questions of a ${era} server are answered by callbacks`, async () => {
    await using client = new Client(small({ ask }), {
      era,
      onSample: async ({ messages }) => `answer to ${JSON.stringify(messages[0]?.content)}`,
      onElicit: () => NAME,
      roots: ['file:///a%20b', { uri: 'file:///c', name: 'c' }],
    });
    const answer = async (question: object): Promise<unknown> =>
      JSON.parse(textOf(await client.callTool('ask', { question })));
    deepEqual(await answer({ elicit: FORM }), { action: 'accept', content: NAME });
    const messages = [{ role: 'user', content: { type: 'text', text: 'What?' } }];
    const sampled = (await answer({ sample: { messages, maxTokens: 5 } })) as {
      role: string;
      content: { text: string };
    };
    equal(sampled.role, 'assistant');
    match(sampled.content.text, /^answer to .*What\?/);
    // Y18: encoded once.
    deepEqual(await answer({ roots: {} }), { roots: [{ uri: 'file:///a%20b' }, { uri: 'file:///c', name: 'c' }] });
  });

  test(`Y17: a ${era} server may ask only for forms that were declared`, async () => {
    for (const options of [{}, { onElicitUrl: () => true }] satisfies ClientOptions[]) {
      await using client = new Client(small({ ask }), { era, ...options });
      const outcome = await client
        .callTool('ask', { question: { elicit: FORM } })
        .catch((error) => ({ isError: true, error }));
      ok(outcome.isError);
    }
  });

  test(`a callback that throws is an error at a ${era} server`, async () => {
    const onElicit = (): never => {
      throw new Error('no screen');
    };
    await using client = new Client(small({ ask }), { era, onElicit });
    const outcome = await client.callTool('ask', { question: { elicit: FORM } }).then(textOf, String);
    match(outcome, /no screen/);
    await client.ping();
  });
}

test('Y17: what a callback gives has one meaning, and what has none is no consent', async () => {
  const given: [answer: unknown, action: string | RegExp][] = [
    [NAME, 'accept'],
    [{}, 'accept'],
    [null, 'decline'],
    [undefined, 'decline'],
    [true, 'accept'],
    [false, 'decline'],
    ['cancel', 'cancel'],
    [{ action: 'decline' }, 'decline'],
    [{ action: 'reject' }, /accept, decline, cancel, not reject/],
    ['reject', /accept, decline, cancel, not reject/],
    [7, /accept, decline, cancel/],
  ];
  let answer: unknown;
  await using client = raw({ onElicit: () => answer as never, onElicitUrl: async () => true });
  const params = { message: '?', requestedSchema: { type: 'object', properties: {} } };
  const asked = async (question: object): Promise<Record<string, unknown>> =>
    JSON.parse(textOf(await client.callTool('ask', { method: 'elicitation/create', params: question })));
  for (const [value, action] of given) {
    answer = value;
    const result = await asked(params);
    if (typeof action === 'string') equal(result.action, action);
    else {
      match(String(result.message), action);
      equal(result.code, -32602);
    }
  }
  deepEqual(await asked({ mode: 'url', message: 'Log in', url: 'https://example.com', elicitationId: 'e' }), {
    action: 'accept',
  });
});

test('an error of ours in a callback keeps its code and its data', async () => {
  const onElicit = (): never => {
    throw new InvalidParams('too young', { data: { age: 3 } });
  };
  await using client = raw({ onElicit });
  const params = { message: '?', requestedSchema: { type: 'object', properties: {} } };
  const error = JSON.parse(textOf(await client.callTool('ask', { method: 'elicitation/create', params })));
  deepEqual(error, { code: -32602, message: 'too young', data: { age: 3 } });
});

test('a question that is withdrawn aborts the signal of its callback', async () => {
  const over = gate<unknown>();
  await using client = raw({
    onElicit: (_, { signal }) => {
      signal.addEventListener('abort', () => over.open(signal.reason));
      if (signal.aborted) over.open(signal.reason);
      return new Promise(() => {});
    },
  });
  await client.callTool('withdraw');
  equal(((await over.promise) as { kind: string }).kind, 'cancelled');
  await client.ping();
});

test('a question that waits for its user blocks no call, and ends with the client', async () => {
  const asked = gate<AbortSignal>();
  const client = new Client(small({ ask }), {
    onElicit: (_, { signal }) => {
      asked.open(signal);
      return new Promise(() => {});
    },
  });
  const call = client.callTool('ask', { question: { elicit: FORM } });
  const signal = await asked.promise;
  equal(textOf(await client.callTool('echo', {})), '{}');
  const closed = rejects(call, { kind: 'closed' });
  await client.close();
  await closed;
  ok(signal.aborted);
});

test('X03: progress of a call is told before the call returns', async () => {
  const seen: number[] = [];
  await using client = raw({ onProgress: () => seen.push(-1) });
  await client.callTool('steps', { count: 20 }, { onProgress: ({ progress }) => seen.push(progress) });
  deepEqual(
    seen,
    Array.from({ length: 20 }, (_, n) => n + 1),
  );
  await client.callTool('steps', { count: 2 });
  deepEqual(seen.slice(20), [-1, -1]);
});

test('progress of a call can be iterated over, to the end of the call', async () => {
  await using client = raw();
  const call = client.callTool('steps', { count: 3 });
  const seen: unknown[] = [];
  for await (const { progress, total } of call.progress()) seen.push([progress, total]);
  deepEqual(seen, [
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
  equal(textOf(await call), 'done');
  for await (const _ of call.progress()) ok(false, 'nothing follows');
  const failing = client.callTool('give', { result: 'none' });
  for await (const _ of failing.progress()) ok(false, 'nothing came');
  await rejects(failing);
});

test('R05: callbacks keep their order, one after the other; what they throw harms nothing', async () => {
  const first = gate();
  const all = gate();
  const seen: unknown[] = [];
  await using client = raw({
    onLog: async ({ data }) => {
      if (data === 0) await first.promise;
      if (data === 1) throw new Error('harms nothing');
      seen.push(data);
      if (data === 49) all.open();
    },
  });
  await client.callTool('flood', { count: 50 });
  deepEqual(seen, [], 'the answer overtook what waits');
  first.open();
  await all.promise;
  deepEqual(seen, [0, ...Array.from({ length: 48 }, (_, n) => n + 2)]);
});

test('R05: a callback that throws at once does not end the process', async () => {
  const told = gate();
  await using client = raw({
    onLog: () => {
      told.open();
      throw { no: 'error' };
    },
    onState: () => {
      throw new Error('of a state');
    },
  });
  await client.callTool('flood', { count: 1 });
  await told.promise;
  await client.ping();
});

test('Y09: a flood that nobody listens to, or that somebody is slow with, keeps no answer and no timer waiting', async () => {
  const count = 20_000;
  await using deaf = raw();
  equal(textOf(await deaf.callTool('flood', { count })), 'done');
  let heard = -1;
  let isSorted = true;
  const limits = { hostEvents: 500 };
  await using slow = raw({
    limits,
    onLog: ({ data }) => {
      isSorted &&= (data as number) > heard;
      heard = data as number;
      for (const until = performance.now() + 1; performance.now() < until; );
    },
  });
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  equal(textOf(await slow.callTool('flood', { count })), 'done');
  const before = heard;
  for (let n = 0; n < 3; n++) await slow.ping();
  await new Promise((resolve) => setTimeout(resolve, 0));
  clearInterval(timer);
  ok(isSorted && turns > 0);
  ok(before < count - 1, 'the answer overtook what waited');
});

test('Y09: a listener that never finishes bounds what waits', async () => {
  await using client = raw({ onLog: () => new Promise(() => {}), limits: { hostEvents: 100 } });
  for (let n = 0; n < 3; n++) equal(textOf(await client.callTool('flood', { count: 5000 })), 'done');
});

test('states and their cause; why a process died', async () => {
  const states: string[] = [];
  const failed = gate();
  await using client = raw({
    recover: false,
    onState: (state) => {
      states.push(state);
      if (state === 'failed') failed.open();
    },
  });
  await client.connect();
  await rejects(client.callTool('die', {}, { safe: false }), (error: { context: Record<string, string> }) => {
    return error.context.exit === '7' && error.context.stderr?.includes('no more') === true;
  });
  await failed.promise;
  match(String(client.cause), /7/);
  equal(client.state, 'failed');
  await rejects(client.ping(), { kind: 'closed' });
  deepEqual(states.slice(0, 1).concat(states.slice(-1)), ['ready', 'failed']);
});

test('lines of stderr, and roots that changed', async () => {
  const line = gate<string>();
  const heard = gate<unknown>();
  await using client = raw({ onStderr: line.open, roots: () => ['file:///a'], onLog: ({ data }) => heard.open(data) });
  await client.callTool('mutter', { line: 'hm' });
  client.ref(); // listening alone keeps no process
  client.rootsChanged();
  equal(await heard.promise, 'roots changed');
  equal(await line.promise, 'hm');
});
