/**
 * The server as a request listener of `node:http`, `node:http2`, Express, Fastify and whatever else has their requests and responses.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Principal } from '../server/context';
import { BadHead, Exchange, type FindPump, type Head, type HttpSink, isEventStream, trimmed } from './exchange';
import { DrainedBody, readBody } from './node-body';
import { captureContext } from './request-context';

/** A request as `node:http` or `node:http2` has it, with what frameworks and body parsers add. */
export type NodeRequest = (IncomingMessage | Http2ServerRequest) & {
  /** The parsed body, its text or its bytes. */
  body?: unknown;
  /** The bytes as they came, where a platform keeps them. */
  rawBody?: unknown;
  /** Express: where the handler is mounted; `url` is below it. */
  baseUrl?: string;
};

/** A response as `node:http` or `node:http2` has it. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** What {@link nodeHandler} can be told. */
export interface NodeHandlerOptions {
  /** The only path to answer; others go to `next`, or are answered with 404. Without it every path that comes here is the server's. */
  path?: string;
  /** Who is calling, as the web framework found out: the server's own `auth` is not asked then. Nothing: nobody that is known. */
  principal?: (request: NodeRequest) => Principal | null | undefined | Promise<Principal | null | undefined>;
  /**
   * The address that the server is bound to. On a loopback address only loopback names are taken as `Host` (DNS rebinding); elsewhere
   * every `Host`, and an `Origin` that is of the same host. Default: the address that the client reached. Set it to the public
   * address where a proxy on the same machine passes the public `Host` on.
   */
  boundTo?: string;
}

/** A listener of `http.createServer`, a handler of Express. It calls `next` only for what is not its own. */
export type NodeHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: NodeResponse,
  next?: (error?: unknown) => void,
) => void;

/** Makes the listener of a server. */
export function nodeHandler(findPump: FindPump, options: NodeHandlerOptions = {}): NodeHandler {
  const only = options.path === undefined ? undefined : trimmed(options.path);
  return (request, response, next) => {
    const url = request.url ?? '/';
    const question = url.indexOf('?');
    const path = question < 0 ? url : url.slice(0, question);
    if (only !== undefined && trimmed(path) !== only) {
      if (next !== undefined) next();
      else refuse(response, 404, '');
      return;
    }
    const query = question < 0 ? '' : url.slice(question + 1);
    answer(findPump, options, request, response, path, query).catch((error: unknown) => {
      if (next !== undefined) next(error);
      else refuse(response, 500, 'The web server could not answer this request');
    });
  };
}

async function answer(
  findPump: FindPump,
  options: NodeHandlerOptions,
  request: NodeRequest,
  response: NodeResponse,
  path: string,
  query: string,
): Promise<void> {
  const within = captureContext();
  const reply = new NodeReply(request, response);
  const found = findPump();
  const pump = found instanceof Promise ? await found : found;
  try {
    const reading = readBody(request, pump.engine.limit('message_bytes'));
    const body = reading instanceof Promise ? await reading : reading;
    const principal = options.principal && (await options.principal(request));
    if (body === null || reply.isOver) return; // the client left before it had said what it wants
    const head: Head = { method: request.method ?? 'GET', path, query, headers: headersOf(request, body.parsed) };
    if (request.baseUrl) head.root_path = request.baseUrl;
    const server = options.boundTo ?? localAddress(request);
    if (server !== undefined) head.server = server;
    if (principal) head.principal = principal;
    reply.exchange = Exchange.open(pump, head, body.bytes, reply, within);
  } catch (error) {
    reply.isOver = true;
    if (error instanceof BadHead) refuse(response, 400, error.message);
    else if (error instanceof DrainedBody) refuse(response, 500, error.message);
    else throw error;
  }
}

const TOO_LARGE = 413;
/** So much of a body that is too long is read and thrown away after the answer. */
const LINGER_BYTES = 16 << 20;

/** The way back of one answer. */
class NodeReply implements HttpSink {
  exchange: Exchange | undefined;
  isOver = false;
  private status = 0;
  private headers: OutgoingHeaders = {};
  private streams = false;
  private readonly parts: Uint8Array[] = [];
  /** Bytes that wait for the reader. */
  private waiting = 0;

  constructor(
    private readonly request: NodeRequest,
    private readonly response: NodeResponse,
  ) {
    response.on('close', this.gone);
    // A client that leaves in the middle is no error of the program, and one that nobody listens for would end it.
    response.on('error', this.gone);
    request.on('error', this.gone);
  }

  head(status: number, headers: [name: string, value: string][]): void {
    if (this.response.headersSent) {
      this.gone(); // somebody else answered, such as a middleware with a time limit
      return;
    }
    this.status = status;
    this.headers = outgoing(headers, this.request.httpVersionMajor);
    this.streams = isEventStream(headers);
    if (!this.streams) return;
    this.response.writeHead(status, this.headers);
    // With the first event in one packet, where that is there already.
    queueMicrotask(() => {
      if (!this.isOver && !this.response.headersSent) (this.response as ServerResponse).flushHeaders();
    });
  }

  body(bytes: Uint8Array): void {
    if (this.isOver || this.response.destroyed) return;
    if (!this.streams) {
      this.parts.push(bytes);
      return;
    }
    const passed = (this.response as ServerResponse).write(bytes);
    if (passed && this.waiting === 0) {
      this.exchange?.sent(bytes.length);
    } else {
      if (this.waiting === 0) this.response.once('drain', this.drained);
      this.waiting += bytes.length;
    }
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.exchange?.done();
    if (this.response.destroyed || (!this.streams && this.response.headersSent)) return;
    if (this.streams) {
      this.response.end();
      return;
    }
    const body = this.parts.length === 1 ? (this.parts[0] as Uint8Array) : Buffer.concat(this.parts);
    if (this.status !== 204 && this.status !== 304) this.headers['content-length'] = body.length;
    this.response.writeHead(this.status, this.headers);
    if (this.status !== TOO_LARGE || this.request.complete) this.response.end(body);
    else this.endEarly(body);
  }

  /** The client still sends a body that is too long. */
  private endEarly(body: Uint8Array): void {
    const { request, response } = this;
    if (isHttp2(response)) {
      response.end(body);
      response.stream.close(0); // ends the stream for both sides; the connection goes on
      return;
    }
    // A connection that is closed while bytes come in is reset, and its client may never see the answer: read on for a while.
    response.write(body);
    let rest = LINGER_BYTES;
    request.on('data', (chunk: Uint8Array) => {
      rest -= chunk.length;
      if (rest < 0) request.destroy();
    });
    request.once('end', () => response.end());
    request.resume();
  }

  private readonly drained = (): void => {
    const bytes = this.waiting;
    this.waiting = 0;
    if (!this.isOver) this.exchange?.sent(bytes);
  };

  private readonly gone = (): void => {
    if (this.isOver) return;
    this.isOver = true;
    this.exchange?.drop();
  };
}

type OutgoingHeaders = Record<string, string | string[] | number>;

function outgoing(headers: [name: string, value: string][], httpVersion: number): OutgoingHeaders {
  const all: OutgoingHeaders = {};
  for (const [name, value] of headers) {
    if (name === 'connection' && httpVersion >= 2) continue; // HTTP/2 has no such header
    const before = all[name];
    all[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [String(before)]), value];
  }
  return all;
}

/** Those that tell how a body lies on the wire; a parser has undone that. */
const OF_THE_WIRE = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

function headersOf(request: NodeRequest, parsed: boolean): [name: string, value: string][] {
  const raw = request.rawHeaders;
  const headers: [string, string][] = [];
  let authority: string | undefined;
  let host: string | undefined;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as string;
    const value = raw[at + 1] as string;
    if (name.charCodeAt(0) === 0x3a) {
      if (name === ':authority') authority = value; // the other pseudo headers of HTTP/2 are the method and the path
      continue;
    }
    const lower = name.toLowerCase();
    if (parsed && OF_THE_WIRE.has(lower)) continue;
    if (lower === 'host') host = value;
    headers.push([name, value]);
  }
  // Two that differ are both handed on, and the engine refuses them.
  if (authority !== undefined && authority.toLowerCase() !== host?.toLowerCase()) headers.push(['host', authority]);
  return headers;
}

/** The address that the client reached; one of IPv4 as such, also where the socket is one of IPv6. */
function localAddress(request: NodeRequest): string | undefined {
  const address = request.socket?.localAddress;
  return address?.startsWith('::ffff:') ? address.slice(7) : address;
}

function isHttp2(response: NodeResponse): response is Http2ServerResponse {
  return 'stream' in response;
}

/** An answer of the adapter's own. */
function refuse(response: NodeResponse, status: number, message: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(message),
  });
  (response as ServerResponse).end(message);
}
