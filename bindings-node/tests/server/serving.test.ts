/** Transports, signals, ends: programs around a server. */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { IoError, Server } from 'omniport';

import { deferred } from '../support/deferred.js';
import { Talk } from '../support/talk.js';

function program(name: string): string {
  return fileURLToPath(new URL(`programs/${name}.js`, import.meta.url));
}

/** A child process that speaks lines of JSON. */
class Child {
  readonly process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  stderr = '';

  constructor(...args: string[]) {
    this.process = spawn(process.execPath, args);
    this.#lines = createInterface(this.process.stdout)[Symbol.asyncIterator]();
    this.process.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
  }

  async line(): Promise<string | undefined> {
    return (await this.#lines.next()).value;
  }

  send(method: string, params: object, id?: number): void {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method, params, id })}\n`);
  }

  async begin(): Promise<void> {
    assert.equal(await this.line(), 'before');
    const clientInfo = { name: 'test', version: '1' };
    this.send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }, 0);
    assert.match((await this.line()) ?? '', /"id":0/);
    this.send('notifications/initialized', {});
  }

  async call(name: string): Promise<string | undefined> {
    this.send('tools/call', { name, arguments: {} }, 1);
    return this.line();
  }

  async end(): Promise<{ code: number | null; signal: string | null }> {
    const [code, signal] = await once(this.process, 'close');
    return { code, signal };
  }
}

test('what else writes to stdout goes to stderr; a rejection left behind ends nothing', async () => {
  const child = new Child(program('stdio'));
  await child.begin();
  assert.match((await child.call('print')) ?? '', /"structuredContent":\{"pool":1\}/);
  assert.match((await child.call('stray')) ?? '', /"text":"ok"/);
  assert.match((await child.call('print')) ?? '', /"pool":1/);
  child.process.stdin.end();
  assert.deepEqual(await child.end(), { code: 0, signal: null });
  assert.match(child.stderr, /printed\nwritten\n/);
  assert.match(child.stderr, /nobody handled it\nError: left behind\n/);
  assert.match(child.stderr, /left\nlisteners: 0 0\n$/);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} lets running calls end`, { skip: process.platform === 'win32' }, async () => {
    const child = new Child(program('stdio'));
    await child.begin();
    child.send('tools/call', { name: 'slow', arguments: {} }, 5);
    await child.call('print'); // which came later: the slow one runs
    child.process.kill(signal);
    assert.match((await child.line()) ?? '', /"id":5.*"done"/);
    assert.deepEqual(await child.end(), { code: 0, signal: null });
    assert.match(child.stderr, /left\n/);
  });
}

test('a second signal ends the process at once', { skip: process.platform === 'win32' }, async () => {
  const child = new Child(program('stdio'));
  await child.begin();
  child.send('tools/call', { name: 'never', arguments: {} }, 5);
  await child.call('print');
  const ended = child.end();
  const again = setInterval(() => child.process.kill('SIGTERM'), 50);
  assert.deepEqual(await ended, { code: null, signal: 'SIGTERM' });
  clearInterval(again);
});

test('a program ends when its servers have, and servers that nobody uses are collected', async () => {
  const child = new Child('--expose-gc', program('ends'));
  assert.equal(await child.line(), 'ended', child.stderr);
  assert.deepEqual(await child.end(), { code: 0, signal: null });
});

test('a server listens in a worker thread', async () => {
  const worker = new Worker(program('worker'));
  const [url] = await once(worker, 'message');
  const talk = new Talk({ url } as never);
  assert.equal((await talk.call('where')).result.content[0].text, 'in a worker');
  worker.postMessage('end');
  assert.deepEqual(await once(worker, 'exit'), [0]);
});

test('a taken port is an IoError that names host and port, and the lifespan is left', async () => {
  await using first = await new Server({ name: 'first' }).listen({ port: 0 });
  const seen: string[] = [];
  const app = new Server({
    name: 'second',
    lifespan: async () => {
      seen.push('entered');
      return { [Symbol.asyncDispose]: async () => void seen.push('left') };
    },
  });
  await assert.rejects(app.listen({ port: first.port }), (error: unknown) => {
    assert.ok(error instanceof IoError);
    assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${first.port}`));
    return true;
  });
  assert.deepEqual(seen, ['entered', 'left']);
  await using second = await app.listen({ port: 0, host: 'localhost', path: '/deep/mcp' });
  assert.match(second.url, new RegExp(`:${second.port}/deep/mcp$`));
  assert.equal(seen.length, 3);
});

test('a lifespan is entered before the first call and left after the last; one that fails rejects', async () => {
  const seen: string[] = [];
  const gate = deferred<void>();
  const app = new Server({
    name: 'lifespan',
    lifespan: async function* (server) {
      seen.push(`enter ${server.name}`);
      try {
        yield { pool: 1 };
      } finally {
        seen.push('leave');
      }
    },
  });
  app.tool('use', async (_, cx) => {
    seen.push(`use ${cx.lifespan.pool}`);
    cx.signal.addEventListener('abort', () => seen.push('aborted'));
    gate.resolve();
    await new Promise((resolve) => cx.signal.addEventListener('abort', resolve));
    seen.push('cleaned');
  });
  const talk = await Talk.with(app);
  const call = talk.call('use').catch(() => {});
  await gate.promise;
  await talk.http.close(0);
  await call;
  assert.deepEqual(seen, ['enter lifespan', 'use 1', 'aborted', 'cleaned', 'leave']);
  // It can be served again.
  await using again = await Talk.with(app);
  assert.ok((await again.request('tools/list')).result.tools.length === 1);
  const broken = new Server({
    name: 'broken',
    lifespan: () => {
      throw new Error('no database');
    },
  });
  const { error } = console;
  console.error = () => {};
  await assert.rejects(broken.listen({ port: 0 }), /no database/).finally(() => {
    console.error = error;
  });
});

test('one server object serves many connections and ports at once (Z12)', async () => {
  const app = new Server({ name: 'many' });
  app.tool('echo', async ({ text }) => {
    await new Promise(setImmediate);
    return text;
  });
  await using one = await Talk.with(app);
  await using two = await Talk.with(app);
  assert.notEqual(one.http.port, two.http.port);
  const calls = Array.from({ length: 60 }, async (_, at) => {
    const { result } = await (at % 2 ? one : two).call('echo', { text: `${at}` }, { id: `${at}` });
    return result.content[0].text;
  });
  assert.deepEqual(
    await Promise.all(calls),
    calls.map((_, at) => `${at}`),
  );
});
