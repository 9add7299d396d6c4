import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { ADD, legacySum, makeApp, modern, serving, textOf, user } from './app.js';

const URL_ = 'http://localhost/mcp';

test('app.fetch answers both eras without a socket', async () => {
  const { app } = makeApp();
  const answer = await app.fetch(new Request(URL_, ADD()));
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/json');
  assert.equal(await textOf(answer), '3');
  assert.equal(await legacySum(URL_, (url, init) => app.fetch(new Request(url, init))), '3');
});

test('app.fetch: a route of Next.js, and other paths', async () => {
  const { app } = makeApp();
  const { fetch: handle } = app; // bound
  const route: Record<string, (request: Request, context: { params: Promise<object> }) => Promise<Response>> = {
    GET: handle,
    POST: handle,
    DELETE: handle,
  };
  const context = { params: Promise.resolve({}) };
  assert.equal(await textOf((await route.POST?.(new Request(URL_, ADD()), context)) as Response), '3');
  assert.equal((await route.GET?.(new Request(URL_), context))?.status, 400);
  const only = app.fetchHandler({ path: '/mcp/' });
  assert.equal((await only(new Request('http://localhost/other?a=/mcp', ADD()))).status, 404);
  assert.equal(await textOf(await only(new Request('http://localhost/mcp?a=/b#c', ADD()))), '3');
});

test('app.fetch: what the engine refuses is refused in its words (404, 405, 406, 413, 415)', async () => {
  const { app } = makeApp({ messageBytes: 5000 });
  const status = async (init: RequestInit) => (await app.fetch(new Request(URL_, init))).status;
  const call = ADD();
  for (const method of ['HEAD', 'PUT']) assert.equal(await status({ method }), 405);
  assert.equal(await status({ method: 'GET', headers: { accept: 'application/json' } }), 406);
  assert.equal(await status({ ...call, headers: { ...call.headers, accept: 'text/html' } }), 406);
  assert.equal(await status({ ...call, headers: { ...call.headers, 'content-type': 'text/plain' } }), 415);
  const gone = { 'mcp-session-id': 'gone', 'mcp-protocol-version': '2025-11-25' };
  assert.equal(await status({ method: 'DELETE', headers: gone }), 404);
  assert.equal(await status({ ...call, body: ' '.repeat(6000) }), 413);
  assert.equal(await status({ ...call, headers: { ...call.headers, 'content-length': '6000' }, body: 'x' }), 413);
});

test('app.fetch: a body beyond the limit stops being read', async () => {
  const { app } = makeApp({ messageBytes: 5000 });
  let pulled = 0;
  let cancelled = false;
  const body = new ReadableStream(
    {
      pull: (controller) => {
        pulled += 1000;
        controller.enqueue(new Uint8Array(1000));
      },
      cancel: () => {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const answer = await app.fetch(new Request(URL_, { ...ADD(), body, duplex: 'half' } as RequestInit));
  assert.equal(answer.status, 413);
  assert.equal(pulled, 6000);
  assert.ok(cancelled);
});

test('Y19: app.fetch takes a body that was read before; one that was not kept is an answer at once', async () => {
  const { app } = makeApp({ messageBytes: 5000 });
  for (const how of ['json', 'text', 'arrayBuffer'] as const) {
    const request = new Request(URL_, ADD());
    const body = await request[how]();
    assert.equal(await textOf(await app.fetch(request, { body })), '3');
    const drained = await app.fetch(request);
    assert.equal(drained.status, 500);
    assert.match(await drained.text(), /was read before Omniport got it[\s\S]*fetch\(request, \{ body \}\)/);
  }
  const locked = new Request(URL_, ADD());
  locked.body?.getReader();
  assert.equal((await app.fetch(locked)).status, 500);
  const long = await app.fetch(new Request(URL_, ADD()), { body: 'x'.repeat(6000) });
  assert.equal(long.status, 413);
});

test('app.fetch streams as the reader pulls', async () => {
  const { app } = makeApp();
  const answer = await app.fetch(new Request(URL_, modern('steps', {}, { progressToken: 'p' })));
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  const body = await answer.text();
  assert.match(body, /"progress":1[\s\S]*"progress":2[\s\S]*"progress":3[\s\S]*"text":"done"/);
  const big = await app.fetch(new Request(URL_, modern('big', {}, { progressToken: 'p' })));
  await new Promise(setImmediate);
  assert.equal((await textOf(big)).length, 1 << 20);
});

test('N28: a client that leaves cancels: by the signal, before and after the head, and by the stream', async (t) => {
  // Nobody waits for an answer any more, and no socket is open: nothing else would keep the process here.
  const holding = setInterval(() => {}, 1e6);
  t.after(() => clearInterval(holding));
  for (const how of ['signal', 'signal of a stream', 'stream']) {
    const { app, started, cancelled } = makeApp();
    const leaving = new AbortController();
    const name = how === 'signal' ? 'wait' : 'stepsAndWait';
    const asking = app.fetch(new Request(URL_, { ...modern(name, {}, { progressToken: 1 }), signal: leaving.signal }));
    await started.opened;
    if (how === 'signal') {
      leaving.abort();
      await asking;
    } else {
      const reader = (await asking).body?.getReader();
      await reader?.read();
      if (how === 'stream') {
        await reader?.cancel();
      } else {
        leaving.abort();
        await assert.rejects(async () => {
          while (!(await reader?.read())?.done);
        });
      }
    }
    await cancelled.opened;
  }
});

test('app.fetch: a request that is aborted while its body stalls is over', async () => {
  const { app } = makeApp();
  for (const headers of [{}, { 'content-length': '100' }]) {
    const leaving = new AbortController();
    const body = new ReadableStream({ pull: () => leaving.abort() }, { highWaterMark: 0 });
    const stalled = {
      ...ADD(),
      headers: { ...ADD().headers, ...headers },
      body,
      duplex: 'half',
      signal: leaving.signal,
    };
    assert.equal((await app.fetch(new Request(URL_, stalled as RequestInit))).status, 499);
  }
});

test('H15: app.fetch keeps the AsyncLocalStorage of each request', async () => {
  const { app } = makeApp();
  const ask = async () => textOf(await app.fetch(new Request(URL_, modern('user'))));
  const all = [user.run('ada', ask), user.run('bob', ask), ask()];
  assert.deepEqual(await Promise.all(all), ['ada', 'bob', 'nobody']);
});

test('app.fetch: the principal of a request and of a hook; no variable of an environment is one', async () => {
  const { app } = makeApp();
  const call = () => new Request(URL_, modern('principal'));
  assert.equal(await textOf(await app.fetch(call(), { principal: { subject: 'ada' } })), 'ada');
  assert.equal(await textOf(await app.fetch(call(), { principal: 'ada' })), 'nobody');
  const hooked = app.fetchHandler({ principal: async (request: Request) => ({ subject: new URL(request.url).host }) });
  assert.equal(await textOf(await hooked(call())), 'localhost');
});

test('H09: app.fetch takes loopback names alone where the server is bound to loopback', async () => {
  const { app } = makeApp();
  const evil = () => new Request('http://evil.test/mcp', ADD());
  assert.equal((await app.fetchHandler({ boundTo: '127.0.0.1' })(evil())).status, 403);
  assert.equal((await app.fetchHandler({ boundTo: '192.0.2.1' })(evil())).status, 200);
  const origin = { ...ADD(), headers: { ...ADD().headers, origin: 'https://evil.test' } };
  assert.equal((await app.fetch(new Request('http://mcp.example.com/mcp', origin))).status, 403);
  // What Bun and Deno give in the second place.
  assert.equal((await app.fetch(evil(), { requestIP: () => ({ address: '::ffff:127.0.0.1' }) })).status, 403);
  assert.equal((await app.fetch(evil(), { remoteAddr: { hostname: '::1' } })).status, 403);
});

test('Hono: app.request, a mount, and @hono/node-server', async () => {
  const { app, started, cancelled } = makeApp();
  const hono = new Hono();
  hono.all('/mcp', (context) => app.fetch(context.req.raw));
  hono.post('/parsed', async (context) => app.fetch(context.req.raw, { body: await context.req.json() }));
  hono.mount('/api', app.fetch);
  for (const path of ['/mcp', '/parsed', '/api/mcp']) assert.equal(await textOf(await hono.request(path, ADD())), '3');
  const server = createAdaptorServer({ fetch: hono.fetch, createServer });
  await serving(server as ReturnType<typeof createServer>, async (url) => {
    assert.equal(await textOf(await fetch(`${url}/mcp`, ADD())), '3');
    assert.equal(await legacySum(`${url}/mcp`), '3');
    assert.match(await (await fetch(`${url}/mcp`, modern('steps', {}, { progressToken: 1 }))).text(), /"progress":3/);
    assert.equal((await textOf(await fetch(`${url}/mcp`, modern('big')))).length, 1 << 20);
    const leaving = new AbortController();
    const asking = fetch(`${url}/mcp`, { ...modern('wait'), signal: leaving.signal });
    await started.opened;
    leaving.abort();
    await assert.rejects(asking);
    await cancelled.opened;
  });
});
