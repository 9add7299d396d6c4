/** serve.js bun|deno|node: the server of the tests under another runtime; says where it listens, and which of its calls were cancelled. */

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeApp } from '../app.js';

type Handler = (request: Request, given: object) => Promise<Response>;

interface Runtimes {
  Bun: { serve(options: { port: number; hostname: string; fetch: Handler }): { port: number } };
  Deno: {
    serve(options: { port: number; hostname: string; onListen(at: { port: number }): void }, handler: Handler): void;
  };
}

const { app, started, cancelled } = makeApp();
const runtimes = globalThis as unknown as Runtimes;
const hostname = '127.0.0.1';
const ready = (port: number) => console.log(`http://${hostname}:${port}`);
void started.opened.then(() => console.log('started'));
void cancelled.opened.then(() => console.log('cancelled'));

switch (process.argv[2]) {
  case 'bun':
    ready(runtimes.Bun.serve({ port: 0, hostname, fetch: app.fetch }).port);
    break;
  case 'deno':
    runtimes.Deno.serve({ port: 0, hostname, onListen: ({ port }) => ready(port) }, app.fetch);
    break;
  case 'node': {
    const listener: RequestListener = app.node;
    const server = createServer(listener);
    server.listen(0, hostname, () => ready((server.address() as AddressInfo).port));
  }
}
