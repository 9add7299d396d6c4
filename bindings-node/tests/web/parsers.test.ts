/** Y19: body parsers before the server, or none. */

import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import fastify from 'fastify';
import { ADD, legacySum, makeApp, modern, serving, textOf, user } from './app.js';

/** An Express application with the server at `/mcp` behind `parsers`. */
async function behind<T>(parsers: RequestHandler[], use: (url: string) => Promise<T>, limits = {}): Promise<T> {
  const { app } = makeApp(limits);
  const web = express();
  for (const parser of parsers) web.use(parser);
  web.use('/mcp', app.node);
  web.post('/posted', app.node);
  return serving(createServer(web), use);
}

const PARSERS: Record<string, RequestHandler[]> = {
  'no parser': [],
  json: [express.json()],
  'json, text and form': [express.json(), express.text(), express.urlencoded({ extended: true })],
  'raw bytes': [express.raw({ type: '*/*' })],
  text: [express.text({ type: '*/*' })],
};

for (const [name, parsers] of Object.entries(PARSERS)) {
  test(`Y19: Express with ${name}`, async () => {
    await behind(parsers, async (url) => {
      assert.equal(await textOf(await fetch(`${url}/mcp`, ADD())), '3');
      assert.equal(await textOf(await fetch(`${url}/posted`, ADD())), '3');
      assert.equal(await legacySum(`${url}/mcp`), '3');
    });
  });

  test(`Y19: the limit is the same behind Express with ${name}`, async () => {
    await behind(
      parsers,
      async (url) => {
        const long = modern('add', { a: 1, b: 2, c: 'x'.repeat(6000) });
        const chunked = { ...long, body: new Blob([long.body]).stream(), duplex: 'half' } as RequestInit;
        for (const init of [long, chunked]) {
          const answer = await fetch(`${url}/mcp`, init);
          assert.equal(answer.status, 413);
          assert.match(await answer.text(), /message_bytes/);
        }
      },
      { messageBytes: 5000 },
    );
  });
}

test('Y19: a body that a parser has inflated is taken; one that nobody inflates is not', async () => {
  const call = ADD();
  const init = { ...call, headers: { ...call.headers, 'content-encoding': 'gzip' }, body: gzipSync(call.body) };
  await behind([express.json()], async (url) => assert.equal(await textOf(await fetch(`${url}/mcp`, init)), '3'));
  await behind([], async (url) => assert.equal((await fetch(`${url}/mcp`, init)).status, 415));
});

test('Y19: a limit of the parser below ours is answered by the parser', async () => {
  const handle: ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(error.status).send(error.type);
  };
  const { app } = makeApp();
  const web = express()
    .use(express.json({ limit: 50 }))
    .use('/mcp', app.node)
    .use(handle);
  await serving(createServer(web), async (url) => {
    const answer = await fetch(`${url}/mcp`, ADD());
    assert.equal(answer.status, 413);
    assert.equal(await answer.text(), 'entity.too.large');
  });
});

test('Y19: the empty object of the parsers of Express 4 is no body', async () => {
  const { app } = makeApp();
  const listener: RequestListener = (request, response) => app.node(Object.assign(request, { body: {} }), response);
  await serving(createServer(listener), async (url) => assert.equal(await textOf(await fetch(url, ADD())), '3'));
});

test('Y19: a body that was read and not kept is an answer at once that names cause and remedy', async () => {
  const { app } = makeApp();
  const drain: RequestHandler = (request, _response, next) => {
    request.resume();
    request.once('end', next);
  };
  for (const read of [
    drain,
    (async (request, _response, next) => {
      for await (const _ of request);
      next();
    }) satisfies RequestHandler,
  ]) {
    await serving(createServer(express().use(read).use('/mcp', app.node)), async (url) => {
      const answer = await fetch(`${url}/mcp`, ADD());
      assert.equal(answer.status, 500);
      assert.match(await answer.text(), /was read before Omniport got it[\s\S]*`request\.body`/);
    });
  }
});

test('Y19: a body that was read and was empty is no body', async () => {
  const { app } = makeApp();
  const drain: RequestHandler = (request, _response, next) => {
    request.resume();
    request.once('end', next);
  };
  await serving(createServer(express().use(drain).use('/mcp', app.node)), async (url) => {
    assert.equal((await fetch(`${url}/mcp`, { ...ADD(), body: '' })).status, 400);
  });
});

test('W08: where a platform keeps the bytes, big ids stay what they are', async () => {
  const { app } = makeApp();
  const keep = express.json({
    verify: (request, _response, bytes) => {
      Object.assign(request, { rawBody: bytes });
    },
  });
  await serving(createServer(express().use(keep).use('/mcp', app.node)), async (url) => {
    const call = ADD();
    const answer = await fetch(`${url}/mcp`, { ...call, body: call.body.replace('"id":1', '"id":9007199254740993') });
    assert.match(await answer.text(), /"id":9007199254740993\b/);
  });
});

test("a principal that cannot be told is the error handler's, and paths that are not ours go on", async () => {
  const { app } = makeApp();
  const told: unknown[] = [];
  const handle: ErrorRequestHandler = (error, _request, response, _next) => {
    told.push(error.message);
    response.sendStatus(503);
  };
  const principal = () => {
    throw new Error('no database');
  };
  const web = express()
    .use(app.nodeHandler({ path: '/mcp', principal }))
    .get('/hello', (_request, response) => {
      response.send('hi');
    })
    .use(handle);
  await serving(createServer(web), async (url) => {
    assert.equal(await (await fetch(`${url}/hello`)).text(), 'hi');
    assert.equal((await fetch(`${url}/mcp`, ADD())).status, 503);
    assert.deepEqual(told, ['no database']);
  });
});

test('headers of middleware stay in the answer, and H15 holds in Express behind a parser', async () => {
  const { app } = makeApp();
  const name: RequestHandler = (request, response, next) => {
    response.setHeader('x-frame-options', 'DENY');
    user.run(String(request.headers['x-user']), next);
  };
  await serving(createServer(express().use(name, express.json()).use('/mcp', app.node)), async (url) => {
    for (const meta of [{}, { progressToken: 'p' }]) {
      const call = modern('user', {}, meta);
      const answer = await fetch(`${url}/mcp`, { ...call, headers: { ...call.headers, 'x-user': 'ada' } });
      assert.equal(answer.headers.get('x-frame-options'), 'DENY');
      assert.equal(await textOf(answer), 'ada');
    }
  });
});

test('the client leaves Express, and the handler is cancelled', async () => {
  const { app, started, cancelled } = makeApp();
  await serving(createServer(express().use(express.json()).use('/mcp', app.node)), async (url) => {
    const leaving = new AbortController();
    const asking = fetch(`${url}/mcp`, { ...modern('wait'), signal: leaving.signal });
    await started.opened;
    leaving.abort();
    await assert.rejects(asking);
    await cancelled.opened;
  });
});

test('somebody else answers first, and the handler is cancelled', async () => {
  const { app, started, cancelled } = makeApp();
  const impatient: RequestHandler = (_request, response, next) => {
    void started.opened.then(() => response.sendStatus(503));
    next();
  };
  await serving(createServer(express().use(impatient).use('/mcp', app.node)), async (url) => {
    assert.equal((await fetch(`${url}/mcp`, modern('wait'))).status, 503);
    await cancelled.opened;
  });
});

test('Y19: Fastify, which parses, and with its parsers out of the way', async () => {
  const { app } = makeApp();
  const web = fastify();
  web.all('/parsed', (request, reply) => {
    reply.hijack();
    app.node(Object.assign(request.raw, { body: request.body }), reply.raw);
  });
  web.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/mcp', (request, reply) => {
      reply.hijack();
      app.node(request.raw, reply.raw);
    });
  });
  web.all('/drained', (request, reply) => {
    reply.hijack();
    app.node(request.raw, reply.raw);
  });
  const url = await web.listen({ port: 0, host: '127.0.0.1' });
  try {
    for (const path of ['parsed', 'mcp']) {
      assert.equal(await textOf(await fetch(`${url}/${path}`, ADD())), '3');
      assert.match(
        await (await fetch(`${url}/${path}`, modern('steps', {}, { progressToken: 1 }))).text(),
        /"progress":3/,
      );
      assert.equal(await legacySum(`${url}/${path}`), '3');
    }
    assert.equal((await fetch(`${url}/drained`, ADD())).status, 500);
    const injected = await web.inject({ ...ADD(), method: 'POST', url: '/mcp' });
    assert.match(injected.body, /"text":"3"/);
  } finally {
    web.server.closeAllConnections();
    await web.close();
  }
});
