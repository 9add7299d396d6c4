/** The server that the tests of this folder mount everywhere, and the requests that they send. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Context, Server } from 'omniport';

/** What a middleware of a test puts its user into. */
export const user = new AsyncLocalStorage<string>();

/** Ends when it is told to. */
export interface Latch {
  readonly opened: Promise<void>;
  open(): void;
}

export function latch(): Latch {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const numbers = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
};

/** A server and what tells a test how far its slow tool is. */
export function makeApp(limits: { messageBytes?: number } = {}) {
  const started = latch();
  const cancelled = latch();
  const app = new Server({ name: 'web', limits });
  app.tool('add', { input: numbers }, (args) => {
    const { a, b } = args as { a: number; b: number };
    return a + b;
  });
  app.tool('user', () => user.getStore() ?? 'nobody');
  app.tool('principal', (_args: unknown, cx: Context) => cx.principal?.subject ?? 'nobody');
  app.tool('big', () => 'x'.repeat(1 << 20));
  app.tool('steps', async (_args: unknown, cx: Context) => {
    for (let step = 1; step <= 3; step++) {
      cx.progress(step, 3);
      await new Promise(setImmediate);
    }
    return 'done';
  });
  app.tool('stepsAndWait', async (_args: unknown, cx: Context) => {
    cx.progress(1);
    started.open();
    await once(cx.signal, 'abort');
    cancelled.open();
    return 'late';
  });
  app.tool('wait', async (_args: unknown, cx: Context) => {
    started.open();
    await once(cx.signal, 'abort');
    cancelled.open();
    return 'late';
  });
  return { app, started, cancelled };
}

const MODERN = '2026-07-28';

/** A request, as `fetch` takes it. */
export interface Call {
  method: string;
  headers: Record<string, string>;
  body: string;
}

/** A call of the modern era: one request that stands for itself. */
export function modern(name: string, args: object = {}, meta: object = {}): Call {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': MODERN,
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
          ...meta,
        },
      },
    }),
  };
}

export const ADD = () => modern('add', { a: 1, b: 2 });

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The text of a tool's answer. */
export async function textOf(response: Response): Promise<string> {
  const body = await response.text();
  const line = body
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .at(-1);
  const message = JSON.parse(line === undefined ? body : line.slice(5));
  return message.result?.content[0].text ?? `error ${message.error.code}: ${message.error.message}`;
}

/** Connects as a client of the legacy era and adds 1 and 2. */
export async function legacySum(url: string, send: Fetch = fetch): Promise<string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (message: object) =>
    send(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const hello = await post({ id: 0, method: 'initialize', params });
  await hello.text();
  headers['mcp-protocol-version'] = '2025-11-25';
  const session = hello.headers.get('mcp-session-id');
  if (session !== null) headers['mcp-session-id'] = session;
  const told = await post({ method: 'notifications/initialized' });
  if (told.status !== 202) throw new Error(`a notification was answered with ${told.status}`);
  return textOf(await post({ id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }));
}

interface Listening {
  listen(port: number, host: string): unknown;
  close(): unknown;
  address(): AddressInfo | string | null;
  once(event: string, listener: () => void): unknown;
  closeAllConnections?(): void;
}

/** Listens on a free port while `use` runs. */
export async function serving<T>(server: Listening, use: (url: string) => Promise<T>): Promise<T> {
  const up = new Promise<void>((resolve) => server.once('listening', resolve));
  server.listen(0, '127.0.0.1');
  await up;
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections?.();
    server.close();
  }
}
