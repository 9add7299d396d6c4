/**
 * The server as a function from a web-standard `Request` to a `Response`: Hono, Bun, Deno, Next.js and others.
 *
 * @module
 */

import { alive } from '../alive';
import type { Principal } from '../server/context';
import { BadHead, Exchange, type FindPump, type Head, type HttpSink, isEventStream, trimmed } from './exchange';
import { asBytes } from './node-body';
import { captureContext } from './request-context';

/** What {@link fetchHandler} can be told. */
export interface FetchHandlerOptions {
  /** The only path to answer; others are answered with 404. Without it every path that comes here is the server's. */
  path?: string;
  /** Who is calling, as the web framework found out: the server's own `auth` is not asked then. Nothing: nobody that is known. */
  principal?: (request: Request) => Principal | null | undefined | Promise<Principal | null | undefined>;
  /**
   * The address that the server is bound to. On a loopback address only loopback names are taken as `Host` (DNS rebinding); elsewhere
   * every `Host`, and an `Origin` that is of the same host. Default: told by the client's address where Bun or Deno give it, else
   * unknown, which is as elsewhere.
   */
  boundTo?: string;
}

/** What comes with one request. */
export interface FetchOptions {
  /** Who is calling. */
  principal?: Principal | null;
  /** The body where it was read already: the parsed JSON, the text or the bytes. */
  body?: unknown;
}

/**
 * Answers one request. As the handler of `Bun.serve` or `Deno.serve` it is given the server or the facts of the connection in the
 * second place.
 */
export type FetchHandler = (request: Request, options?: FetchOptions | object) => Promise<Response>;

/** Makes the handler of a server. */
export function fetchHandler(findPump: FindPump, options: FetchHandlerOptions = {}): FetchHandler {
  const only = options.path === undefined ? undefined : trimmed(options.path);
  return async (request, second) => {
    const within = captureContext();
    const target = split(request.url);
    if (only !== undefined && trimmed(target.path) !== only) return new Response(null, { status: 404 });
    const given: FetchOptions = second ?? {};
    const pump = await findPump();
    const body = await readBody(request, given.body, pump.engine.limit('message_bytes'));
    if (body === DRAINED) return plain(500, DRAINED_TEXT);
    const principal = principalOf(given) ?? (options.principal && (await options.principal(request)));
    if (body === null || request.signal?.aborted) return left();
    const head: Head = {
      method: request.method,
      path: target.path,
      query: target.query,
      headers: headersOf(request, target.host, given.body !== undefined),
    };
    const server = options.boundTo ?? localAddress(request, second);
    if (server !== undefined) head.server = server;
    if (principal) head.principal = principal;
    const reply = new FetchReply(request.signal);
    try {
      reply.exchange = Exchange.open(pump, head, body, reply, within);
    } catch (error) {
      reply.forget();
      if (error instanceof BadHead) return plain(400, error.message);
      throw error;
    }
    return reply.response;
  };
}

/** The way back of one answer. */
class FetchReply implements HttpSink {
  readonly response: Promise<Response>;
  exchange: Exchange | undefined;
  private answer!: (response: Response) => void;
  private status = 0;
  private headers: [name: string, value: string][] = [];
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Parts that nobody has asked for yet. */
  private readonly parts: Uint8Array[] = [];
  private isEnded = false;
  private isOver = false;
  /** Ends the reader's wait for the next part. */
  private wanted: (() => void) | undefined;
  /** Nothing native keeps a process at work: whoever waits for an answer does. */
  private release: () => void = alive.hold(this);

  constructor(private readonly signal: AbortSignal | undefined) {
    this.response = new Promise((resolve) => {
      this.answer = resolve;
    });
    signal?.addEventListener('abort', this.gone);
  }

  head(status: number, headers: [name: string, value: string][]): void {
    this.status = status;
    this.headers = headers.filter(([name]) => name !== 'connection'); // the web server's own
    if (!isEventStream(headers)) return;
    // Nothing is read ahead: what the reader has not asked for is what the engine counts as waiting.
    const strategy = { highWaterMark: 0 };
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.controller = controller;
        },
        pull: () => this.give(),
        cancel: this.gone,
      },
      strategy,
    );
    this.respond(stream);
  }

  body(bytes: Uint8Array): void {
    if (this.isOver) return;
    this.parts.push(bytes);
    this.wanted?.();
  }

  end(): void {
    if (this.isOver) return;
    this.isEnded = true;
    this.exchange?.done();
    if (this.controller !== undefined) this.wanted?.();
    else this.respond(this.whole());
    if (this.parts.length === 0 || this.controller === undefined) this.finish();
  }

  /** The request never got to the engine. */
  forget(): void {
    this.isOver = true;
    this.signal?.removeEventListener('abort', this.gone);
    this.release();
  }

  private respond(body: ReadableStream<Uint8Array> | Uint8Array | null): void {
    this.answer(new Response(body, { status: this.status, headers: this.headers }));
    this.release();
  }

  private whole(): Uint8Array | null {
    if (this.parts.length === 0) return null;
    return this.parts.length === 1 ? (this.parts[0] as Uint8Array) : Buffer.concat(this.parts);
  }

  /** The reader asks for the next part. */
  private give(): void | Promise<void> {
    const part = this.parts.shift();
    if (part !== undefined) {
      this.controller?.enqueue(part);
      if (!this.isEnded) this.exchange?.sent(part.length);
      else if (this.parts.length === 0) this.finish();
    } else if (!this.isOver) {
      this.release = alive.hold(this);
      return new Promise((resolve) => {
        this.wanted = () => {
          this.wanted = undefined;
          this.release();
          if (this.parts.length > 0) this.give();
          resolve();
        };
      });
    }
  }

  /** Everything was handed on. */
  private finish(): void {
    this.forget();
    this.controller?.close();
  }

  private readonly gone = (): void => {
    if (this.isOver) return;
    this.forget();
    if (!this.isEnded) this.exchange?.drop();
    this.parts.length = 0;
    this.answer(left()); // no effect where the answer has begun
    if (this.signal?.aborted) this.controller?.error(this.signal.reason);
    this.wanted?.();
  };
}

/** For a client that is gone: nobody sees it. */
function left(): Response {
  return new Response(null, { status: 499 });
}

function plain(status: number, message: string): Response {
  return new Response(message, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

const DRAINED = Symbol('drained');
const DRAINED_TEXT =
  'The body of this request was read before Omniport got it. ' +
  'Pass what was read: `fetch(request, { body })`, or hand the request on before anybody reads its body.';

/**
 * Reads the body, one byte more than `limit` at most: the engine then refuses it in its own words. Null: the client left.
 * `DRAINED`: somebody read it before, and nothing can come any more (Y19).
 */
async function readBody(request: Request, given: unknown, limit: number): Promise<Uint8Array | null | typeof DRAINED> {
  if (given !== undefined) return asBytes(given).subarray(0, limit + 1);
  if (request.bodyUsed || request.body?.locked) return DRAINED;
  if (request.body === null) return new Uint8Array(0);
  const length = request.headers.get('content-length');
  // Its length alone is enough for the engine to refuse it: nothing is read then.
  if (Number(length) > limit) return new Uint8Array(0);
  try {
    if (length !== null) return new Uint8Array(await request.arrayBuffer());
    return await collect(request.body.getReader(), limit);
  } catch {
    return null; // also of a client that left, which every runtime tells in its own words
  }
}

async function collect(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
    chunks.push(value);
    size += value.length;
    if (size > limit) {
      reader.cancel().catch(() => {}); // a source that cannot be stopped is no concern of the answer
      return Buffer.concat(chunks).subarray(0, limit + 1);
    }
  }
}

/** The parts of an absolute URL. What is in a `Request` is normalised, and `new URL` would cost more than the rest of the head. */
function split(url: string): { host: string; path: string; query: string } {
  const start = url.indexOf('://') + 3;
  const hash = url.indexOf('#', start);
  const end = hash < 0 ? url.length : hash;
  let slash = url.indexOf('/', start);
  if (slash < 0 || slash > end) slash = end;
  const question = url.indexOf('?', slash);
  const pathEnd = question < 0 || question > end ? end : question;
  const at = url.lastIndexOf('@', slash);
  return {
    host: url.slice(at < start ? start : at + 1, slash),
    path: url.slice(slash, pathEnd) || '/',
    query: url.slice(Math.min(pathEnd + 1, end), end),
  };
}

/** Those that tell how a body lies on the wire; whoever read it has undone that. */
const OF_THE_WIRE = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

function headersOf(request: Request, host: string, parsed: boolean): [name: string, value: string][] {
  const headers: [string, string][] = [];
  let hasHost = false;
  request.headers.forEach((value, name) => {
    if (name === 'host') hasHost = true;
    if (!parsed || !OF_THE_WIRE.has(name)) headers.push([name, value]);
  });
  // A request that no socket brought has its host in the URL alone.
  if (!hasHost) headers.push(['host', host]);
  return headers;
}

/** Not whatever else stands in the second place, such as the variables of an environment. */
function principalOf(given: FetchOptions): Principal | undefined {
  const { principal } = given;
  return typeof principal === 'object' && principal !== null ? principal : undefined;
}

interface OfRuntime {
  /** Bun's server. */
  requestIP?: (request: Request) => { address: string } | null;
  /** Deno's facts of a connection. */
  remoteAddr?: { hostname?: string };
}

/** A client on a loopback address reached us on one, too. */
function localAddress(request: Request, second: object | undefined): string | undefined {
  const runtime = second as OfRuntime | undefined;
  const address =
    typeof runtime?.requestIP === 'function' ? runtime.requestIP(request)?.address : runtime?.remoteAddr?.hostname;
  return address?.startsWith('::ffff:') ? address.slice(7) : address;
}
