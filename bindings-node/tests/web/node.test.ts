import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { ADD, legacySum, makeApp, modern, serving, textOf, user } from './app.js';

/** One over HTTP/2, with prior knowledge. */
async function overHttp2(url: string, path: string, init: { headers: Record<string, string>; body: string }) {
  const session = connectHttp2(url);
  try {
    const stream = session.request({ ':method': 'POST', ':path': path, ...init.headers });
    stream.end(init.body);
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>];
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return { status: head[':status'], body: Buffer.concat(chunks).toString() };
  } finally {
    session.close();
  }
}

test('node:http answers both eras, in one piece', async () => {
  const { app } = makeApp();
  await serving(createServer(app.node as RequestListener), async (url) => {
    const answer = await fetch(`${url}/mcp`, ADD());
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('transfer-encoding'), null);
    assert.ok(Number(answer.headers.get('content-length')) > 0);
    assert.equal(await textOf(answer), '3');
    assert.equal(await legacySum(`${url}/mcp`), '3');
  });
});

test('node:http streams progress before the answer', async () => {
  const { app } = makeApp();
  await serving(createServer(app.node as RequestListener), async (url) => {
    const answer = await fetch(url, modern('steps', {}, { progressToken: 'p' }));
    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    const body = await answer.text();
    assert.deepEqual(
      [...body.matchAll(/"progress":(\d)/g)].map((found) => found[1]),
      ['1', '2', '3'],
    );
    assert.match(body, /"text":"done"/);
  });
});

test('node:http: what the engine refuses is refused in its words (404, 405, 406, 413, 415)', async () => {
  const { app } = makeApp({ messageBytes: 5000 });
  await serving(createServer(app.node as RequestListener), async (url) => {
    for (const method of ['PUT', 'PATCH']) assert.equal((await fetch(url, { method })).status, 405);
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 405);
    assert.equal((await fetch(url, { headers: { accept: 'application/json' } })).status, 406);
    for (const method of ['GET', 'DELETE']) {
      const headers = { accept: 'text/event-stream', 'mcp-session-id': 'gone', 'mcp-protocol-version': '2025-11-25' };
      assert.equal((await fetch(url, { method, headers })).status, 404);
    }
    const call = ADD();
    assert.equal(
      (await fetch(url, { ...call, headers: { ...call.headers, 'content-type': 'text/plain' } })).status,
      415,
    );
    assert.equal((await fetch(url, { ...call, headers: { ...call.headers, accept: 'text/html' } })).status, 406);
    const long = await fetch(url, { ...call, body: ' '.repeat(6000) });
    assert.equal(long.status, 413);
    assert.match(await long.text(), /message_bytes/);
    assert.equal(await textOf(await fetch(url, ADD())), '3');
  });
});

test('node:http: a body beyond the limit stops being read, also one that announces no length', async () => {
  const { app } = makeApp({ messageBytes: 5000 });
  await serving(createServer(app.node as RequestListener), async (url) => {
    const headers = { ...ADD().headers, 'transfer-encoding': 'chunked' };
    const sending = httpRequest(url, { method: 'POST', headers });
    sending.on('error', () => {}); // the server closes while we could still send
    sending.write('x'.repeat(6000)); // and never ends
    const [answer] = (await once(sending, 'response')) as [import('node:http').IncomingMessage];
    assert.equal(answer.statusCode, 413);
    assert.equal(answer.headers.connection, 'close');
    sending.destroy();
  });
});

test('node:http: other paths are not ours', async () => {
  const { app } = makeApp();
  await serving(createServer(app.nodeHandler({ path: '/mcp' }) as RequestListener), async (url) => {
    assert.equal((await fetch(`${url}/other`, ADD())).status, 404);
    assert.equal(await textOf(await fetch(`${url}/mcp/?x=1`, ADD())), '3');
  });
});

test('node:http: Expect: 100-continue, and a second request on the same connection', async () => {
  const { app } = makeApp();
  await serving(createServer(app.node as RequestListener), async (url) => {
    const call = ADD();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const head = Object.entries({ ...call.headers, host: 'localhost', 'content-length': Buffer.byteLength(call.body) });
    const text = `POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`;
    let seen = '';
    const until = async (word: string) => {
      while (!seen.includes(word)) seen += String((await once(socket, 'data'))[0]);
      const found = seen;
      seen = '';
      return found;
    };
    socket.write(`${text}expect: 100-continue\r\n\r\n`);
    assert.match(await until('\r\n\r\n'), /^HTTP\/1\.1 100 /);
    socket.write(call.body);
    assert.match(await until('"text":"3"'), /^HTTP\/1\.1 200 /);
    socket.write(`${text}\r\n${call.body}`);
    assert.match(await until('"text":"3"'), /^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});

test('N28: the client leaves, and the handler is cancelled', async () => {
  const { app, started, cancelled } = makeApp();
  await serving(createServer(app.node as RequestListener), async (url) => {
    const leaving = new AbortController();
    const asking = fetch(url, { ...modern('wait', {}, { progressToken: 'p' }), signal: leaving.signal });
    await started.opened;
    leaving.abort();
    await assert.rejects(asking.then((answer) => answer.text()));
    await cancelled.opened;
  });
});

test('node:http: a slow reader gets a big answer whole', async () => {
  const { app } = makeApp();
  await serving(createServer(app.node as RequestListener), async (url) => {
    for (const meta of [{}, { progressToken: 'p' }]) {
      const answer = await fetch(url, modern('big', {}, meta));
      await new Promise(setImmediate);
      assert.equal((await textOf(answer)).length, 1 << 20);
    }
  });
});

test('H15: what a middleware put into AsyncLocalStorage is seen by the handlers of its request', async () => {
  const { app } = makeApp();
  const listener: RequestListener = (request, response) => {
    const name = request.headers['x-user'];
    if (typeof name === 'string') user.run(name, () => app.node(request, response));
    else app.node(request, response);
  };
  await serving(createServer(listener), async (url) => {
    const ask = async (name?: string) => {
      const call = modern('user');
      return textOf(await fetch(url, { ...call, headers: { ...call.headers, ...(name && { 'x-user': name }) } }));
    };
    assert.deepEqual(await Promise.all([ask('ada'), ask('bob'), ask(), ask('eve')]), ['ada', 'bob', 'nobody', 'eve']);
  });
});

test('the principal that a framework found', async () => {
  const { app } = makeApp();
  const found = app.nodeHandler({
    principal: async (request) => ({ subject: String(request.headers['x-user']) }),
  });
  await serving(createServer(found as RequestListener), async (url) => {
    const call = modern('principal');
    assert.equal(await textOf(await fetch(url, { ...call, headers: { ...call.headers, 'x-user': 'ada' } })), 'ada');
  });
  const failing = app.nodeHandler({
    principal: () => {
      throw new Error('no database');
    },
  });
  await serving(createServer(failing as RequestListener), async (url) => {
    const answer = await fetch(url, modern('principal'));
    assert.equal(answer.status, 500);
    assert.doesNotMatch(await answer.text(), /database/);
  });
});

test('H09: a connection to a loopback address takes loopback names alone, unless the server is told where it is', async () => {
  const { app } = makeApp();
  const ask = async (url: string, host: string, origin?: string) => {
    const call = ADD();
    const headers = { ...call.headers, host, ...(origin && { origin }) };
    const sending = httpRequest(url, { method: 'POST', headers });
    sending.end(call.body);
    const [answer] = (await once(sending, 'response')) as [import('node:http').IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  await serving(createServer(app.node as RequestListener), async (url) => {
    assert.equal(await ask(url, 'localhost'), 200);
    assert.equal(await ask(url, 'evil.test'), 403);
    assert.equal(await ask(url, 'localhost', 'http://evil.test'), 403);
  });
  // A socket of both families has addresses of IPv4 in the form of IPv6.
  const both = createServer(app.node as RequestListener).listen(0);
  await once(both, 'listening');
  assert.equal(await ask(`http://127.0.0.1:${(both.address() as AddressInfo).port}`, 'evil.test'), 403);
  both.closeAllConnections();
  both.close();
  await serving(createServer(app.nodeHandler({ boundTo: '192.0.2.1' }) as RequestListener), async (url) => {
    assert.equal(await ask(url, 'mcp.example.com'), 200);
    assert.equal(await ask(url, 'mcp.example.com', 'https://evil.test'), 403);
  });
});

test('HTTP/2: answers, streams, limits and the rules on hosts', async () => {
  const { app, started, cancelled } = makeApp({ messageBytes: 5000 });
  await serving(createHttp2Server(app.node), async (url) => {
    const sum = await overHttp2(url, '/mcp', ADD());
    assert.equal(sum.status, 200);
    assert.match(sum.body, /"text":"3"/);
    const steps = await overHttp2(url, '/mcp', modern('steps', {}, { progressToken: 'p' }));
    assert.match(steps.body, /"progress":1[\s\S]*"progress":2[\s\S]*"text":"done"/);
    const long = await overHttp2(url, '/mcp', { ...ADD(), body: ' '.repeat(6000) });
    assert.equal(long.status, 413);
    const evil = await overHttp2(url, '/mcp', { ...ADD(), headers: { ...ADD().headers, ':authority': 'evil.test' } });
    assert.equal(evil.status, 403);
    const session = connectHttp2(url);
    const { headers, body } = modern('wait');
    const stream = session.request({ ':method': 'POST', ...headers });
    stream.on('error', () => {});
    stream.end(body);
    await started.opened;
    stream.destroy();
    await cancelled.opened;
    session.destroy();
  });
});
