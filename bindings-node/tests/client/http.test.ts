/** Servers over HTTP that do what no good server does. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Client, OmniportError, Timeout } from 'omniport';
import { textOf } from './support.js';

type Message = { id?: number; method: string; params: { name?: string } };
type Answer = (message: Message, response: ServerResponse, request: IncomingMessage) => void;

const SAID = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '0' } };

function json(response: ServerResponse, id: unknown, result: object): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** Serves a legacy endpoint whose calls of tools are answered by `answer`. */
async function serve(answer: Answer): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(request.method === 'GET' ? 405 : 200).end();
    let body = '';
    for await (const chunk of request) body += chunk;
    const message = JSON.parse(body) as Message;
    if (message.method === 'initialize') return json(response.setHeader('mcp-session-id', 's'), message.id, SAID);
    if (message.id === undefined) return response.writeHead(202).end();
    return answer(message, response, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, [Symbol.asyncDispose]: close };
}

test('answers by JSON and by events, with headers of the client and of the call', async () => {
  const seen: unknown[] = [];
  await using server = await serve(({ id, params }, response, request) => {
    seen.push([request.headers['x-all'], request.headers['x-one']]);
    const result = { content: [{ type: 'text', text: params.name }] };
    if (params.name === 'json') return json(response, id, result);
    response.setHeader('content-type', 'text/event-stream');
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  });
  await using client = new Client(new URL(server.url), { era: 'legacy', headers: { 'x-all': 'a' } });
  equal(textOf(await client.callTool('json')), 'json');
  equal(textOf(await client.callTool('events', {}, { headers: { 'x-one': 'b' } })), 'events');
  deepEqual(seen, [
    ['a', undefined],
    ['a', 'b'],
  ]);
});

test('H14: bodies of errors, wrong types and cut answers are errors of their calls, and no more', async () => {
  await using server = await serve(({ id, params }, response) => {
    if (params.name === 'fails') return response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Oh no</h1>');
    if (params.name === 'html') return response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
    if (params.name === 'cut')
      return response.writeHead(200, { 'content-length': 100 }).write('{"json', () => response.destroy());
    return json(response, id, { content: [{ type: 'text', text: 'fine' }] });
  });
  await using client = new Client(server.url, { era: 'legacy', limits: { recoverTries: 0 } });
  await rejects(
    client.callTool('fails', {}, { safe: false }),
    (error) => error instanceof OmniportError && error.context.status === '500',
  );
  await rejects(client.callTool('html', {}, { safe: false }), OmniportError);
  await rejects(client.callTool('cut', {}, { safe: false }), OmniportError);
  equal(textOf(await client.callTool('fine')), 'fine');
});

test('Z10: a server that hangs is given up by time and by signal; the request is closed', async () => {
  let closed = 0;
  await using server = await serve(({ params, id }, response) => {
    if (params.name === 'fine') return json(response, id, { content: [{ type: 'text', text: String(closed) }] });
    response.on('close', () => closed++);
  });
  await using client = new Client(server.url, { era: 'legacy' });
  await client.connect();
  await rejects(client.callTool('hangs', {}, { timeout: 50 }), Timeout);
  await rejects(client.callTool('hangs', {}, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
  while (textOf(await client.callTool('fine')) !== '2');
});

test('T06: pages that lead round in circles end the iteration', async () => {
  let pages = 0;
  await using server = await serve(({ id }, response) => {
    pages++;
    json(response, id, { tools: [{ name: `t${pages}`, inputSchema: { type: 'object' } }], nextCursor: 'again' });
  });
  await using client = new Client(server.url, { era: 'legacy' });
  const names: string[] = [];
  await rejects(async () => {
    for await (const tool of client.listTools()) names.push(tool.name);
  }, /circles/);
  deepEqual(names, ['t1', 't2']);
});

test('nobody is there', async () => {
  const server = await serve(() => {});
  await server[Symbol.asyncDispose]();
  const client = new Client(server.url, { era: 'legacy', limits: { recoverTries: 0 } });
  await rejects(client.connect(), OmniportError);
  await rejects(client.ping(), OmniportError);
  await client.close();
});
