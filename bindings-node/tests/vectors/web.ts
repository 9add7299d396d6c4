/** Requests over raw sockets, because no HTTP library would write all that the vectors want written. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { isObject, type JsonObject, parse } from './json.js';
import { News, takeAll } from './news.js';
import type { Headers } from './speaker.js';

/** The host that requests name unless they say otherwise; the port does not matter to a server. */
const HOST = '127.0.0.1:8000';

/** A connection that is open; `begin`: what is sent of the request at once. */
export async function connect(port: number, begin = ''): Promise<Socket> {
  const socket = connectSocket({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  if (begin) socket.write(begin);
  return socket;
}

/** One request on a connection of its own, and what came back for it. */
export class Exchange {
  status: number | null = null;
  headers: Record<string, string> = {};
  /** Events of a stream that were not taken yet. */
  events: JsonObject[] = [];
  isOver = false;
  private bytes = Buffer.alloc(0);
  private content = Buffer.alloc(0);
  private length: number | null = null;
  private isChunked = false;
  private isTaken = false;

  /** `begun`: what was sent of the request already. */
  constructor(
    readonly socket: Socket,
    request: Buffer,
    private readonly news: News,
    begun = '',
  ) {
    socket.on('data', (data: Buffer) => {
      this.bytes = Buffer.concat([this.bytes, data]);
      this.read();
      this.news.tell();
    });
    socket.on('error', () => {}); // a server may answer before it has read everything, and close
    socket.on('close', () => {
      this.isOver = true;
      this.news.tell();
    });
    assert(request.toString('latin1').startsWith(begun), `the request began as ${begun}`);
    socket.write(request.subarray(begun.length));
  }

  get isStream(): boolean {
    return this.headers['content-type']?.startsWith('text/event-stream') ?? false;
  }

  /** The body of a whole answer. */
  get body(): string {
    return this.content.toString('utf8');
  }

  /** The messages that came, of a whole answer or of an event stream; each once. */
  messages(): unknown[] {
    if (this.isStream) {
      const events = this.events;
      this.events = [];
      return events.map((event) => event.data).filter(isMessage);
    }
    if (!this.hasMessage()) return [];
    this.isTaken = true;
    return [parse(this.body)];
  }

  /** How many `messages` would give. */
  count(): number {
    if (this.isStream) return this.events.filter((event) => isMessage(event.data)).length;
    return this.hasMessage() ? 1 : 0;
  }

  /** The client goes away. */
  leave(): void {
    this.isOver = true;
    this.socket.destroy();
  }

  private hasMessage(): boolean {
    return !this.isTaken && this.isOver && /^[{[]/.test(this.body);
  }

  private read(): void {
    if (this.status === null) {
      const end = this.bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.readHead(this.bytes.toString('latin1', 0, end));
      this.bytes = this.bytes.subarray(end + 4);
    }
    if (this.isChunked) {
      this.readChunks();
    } else {
      this.add(this.bytes);
      this.bytes = Buffer.alloc(0);
    }
    if (this.length !== null && this.content.length >= this.length) {
      assert(this.content.length === this.length, 'more came than the head announced');
      this.isOver = true;
    }
  }

  private readHead(head: string): void {
    const [first = '', ...lines] = head.split('\r\n');
    this.status = Number(first.split(' ')[1]);
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^:]*):\s*(.*?)\s*$/.exec(line) ?? [];
      const before = this.headers[name.toLowerCase()];
      this.headers[name.toLowerCase()] = before === undefined ? value : `${before}, ${value}`;
    }
    this.isChunked = this.headers['transfer-encoding'] === 'chunked';
    const length = [204, 304].includes(this.status) ? '0' : this.headers['content-length'];
    if (!this.isChunked && length !== undefined) this.length = Number(length);
  }

  private readChunks(): void {
    for (;;) {
      const end = this.bytes.indexOf('\r\n');
      if (end < 0) return;
      const size = Number.parseInt(this.bytes.toString('latin1', 0, end), 16);
      if (this.bytes.length < end + 2 + size + 2) return;
      this.add(this.bytes.subarray(end + 2, end + 2 + size));
      this.bytes = this.bytes.subarray(end + 2 + size + 2);
      if (size === 0) {
        this.isOver = true;
        return;
      }
    }
  }

  private add(data: Buffer): void {
    this.content = Buffer.concat([this.content, data]);
    if (!this.isStream) return;
    for (let end = this.content.indexOf('\n\n'); end >= 0; end = this.content.indexOf('\n\n')) {
      this.events.push(eventOf(this.content.toString('utf8', 0, end)));
      this.content = this.content.subarray(end + 2);
    }
  }
}

/**
 * A connection that asks for what is not there: its answer comes when the server has taken what was sent before.
 *
 * One thread of the server serves all connections. The first round lets it accept a new one, the second read it.
 */
export class Barrier {
  private static readonly ROUNDS = 3;
  private static readonly TIMES_AFTER_STOP = 8;
  private readonly news = new News();
  private begun = '';

  private constructor(
    private readonly port: number,
    private connections: Socket[],
  ) {}

  static async open(port: number): Promise<Barrier> {
    return new Barrier(port, [await connect(port)]);
  }

  async passThrough(): Promise<void> {
    for (let round = 0; round < Barrier.ROUNDS; round++) {
      const socket = this.connections.at(-1) as Socket;
      const exchange = new Exchange(socket, requestOf('GET', '/barrier', {}, ''), this.news, this.begun);
      assert(await this.news.until(() => exchange.isOver), 'the server does not answer any more');
      assert(exchange.status !== null, 'the server closed a connection without an answer');
      socket.removeAllListeners();
      socket.on('error', () => {});
      if (this.begun) this.connections.pop()?.destroy(); // what has begun on a connection can be ended once
    }
    await takeAll();
  }

  /** A server that stops takes only requests that have begun to arrive, and closes their connections behind the answers. */
  async prepareForStop(): Promise<void> {
    const fresh: Socket[] = [];
    while (fresh.length < Barrier.ROUNDS * Barrier.TIMES_AFTER_STOP) fresh.push(await connect(this.port, 'GET'));
    await this.passThrough();
    this.close();
    this.connections = fresh;
    this.begun = 'GET';
  }

  close(): void {
    for (const socket of this.connections) socket.destroy();
  }
}

export function requestOf(method: string, path: string, headers: Headers, body: string): Buffer {
  const own: Headers = { host: HOST };
  if (body || method === 'POST') own['content-length'] = String(Buffer.byteLength(body));
  const lines = [`${method} ${path} HTTP/1.1`];
  for (const [name, value] of Object.entries({ ...own, ...headers })) {
    const values = value === null ? [] : Array.isArray(value) ? value : [value];
    lines.push(...values.map((text) => `${name}: ${text}`));
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function isMessage(data: unknown): boolean {
  return isObject(data) || Array.isArray(data);
}

function eventOf(block: string): JsonObject {
  const event: JsonObject = {};
  const data: string[] = [];
  for (const line of block.replace(/^\n+/, '').split('\n')) {
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else event[field || 'comment'] = value;
  }
  if (data.length > 0) {
    const text = data.join('\n');
    try {
      event.data = parse(text);
    } catch {
      event.data = text;
    }
  }
  return event;
}
