/** Any number of clients, each request on a connection of its own. */

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import type { Step } from './files.js';
import { encode, type JsonObject, parse } from './json.js';
import { News } from './news.js';
import * as pattern from './pattern.js';
import type { Headers } from './speaker.js';
import { Stage } from './stage.js';
import { Barrier, connect, Exchange, requestOf } from './web.js';

/** How many requests there may be after a stop: ones that had begun to arrive, because no others are taken. */
const SPARE = 4;
const BEGUN = 'POST';

/** A client over HTTP: its session, where to post to (2024-11-05 tells it on the stream), and everything it has open. */
interface Web {
  session: string | null;
  address: string;
  exchanges: Exchange[];
}

/** A request as a step writes it. */
interface Written {
  method?: string;
  path?: string;
  headers?: Headers;
  request?: JsonObject;
  json?: unknown;
  body?: string;
}

export class OverHttp extends Stage {
  private readonly news = new News();
  private readonly webs = new Map<string, Web>();
  /** Requests that a step wrote itself. */
  private readonly named = new Map<string, Exchange>();
  /** Connections for requests after a stop. */
  private spare: Socket[] = [];
  private port = 0;
  private barrier!: Barrier;

  async begin(): Promise<void> {
    this.port = await this.server.port();
    this.barrier = await Barrier.open(this.port);
  }

  protected override async act(verb: string, step: Step, on: string): Promise<void> {
    if (verb === 'response') {
      await this.checkResponse(this.exchangeNamed(step.response), step);
    } else if (verb === 'http') {
      this.isDirty = true;
      this.named.set(step.as as string, await this.sendHttp(on, step.http as Written));
    } else if (verb === 'leave') {
      this.isDirty = true;
      this.exchangeNamed(step.leave).leave();
    } else {
      if (verb === 'stop') {
        while (this.spare.length < SPARE) this.spare.push(await connect(this.port, BEGUN));
        await this.barrier.prepareForStop();
      }
      await super.act(verb, step, on);
    }
  }

  protected override async sync(): Promise<void> {
    await super.sync();
    await this.barrier.passThrough();
    await this.server.settle();
    await this.barrier.passThrough();
  }

  protected async open(on: string): Promise<void> {
    const web: Web = { session: null, address: '/mcp', exchanges: [] };
    this.webs.set(on, web);
    if (this.run.revision === '2024-11-05') await this.openEvents(web);
  }

  /** The stream of the two endpoints of 2024-11-05. */
  private async openEvents(web: Web): Promise<void> {
    const exchange = await this.exchange('GET', '/sse', { accept: 'text/event-stream', ...this.run.client.headers });
    web.exchanges.push(exchange);
    await this.until(() => exchange.events.length > 0);
    const first = exchange.events.shift();
    assert(first?.event === 'endpoint', `the first event must be \`endpoint\`: ${exchange.status} ${exchange.body}`);
    web.address = first.data as string;
  }

  /** The stream of a session for what belongs to no request. */
  protected override async afterHandshake(on: string): Promise<void> {
    const web = this.web(on);
    if (web.session === null) return;
    const headers = { ...this.speaker.headers({}, web.session), accept: 'text/event-stream', 'content-type': null };
    web.exchanges.push(await this.exchange('GET', '/mcp', headers));
    await this.sync();
  }

  protected async post(on: string, message: JsonObject): Promise<void> {
    const web = this.web(on);
    const headers = this.speaker.headers(message, web.session);
    const exchange = await this.exchange('POST', web.address, headers, encode(message));
    web.exchanges.push(exchange);
    if (!('id' in message) || !('method' in message)) {
      await this.until(() => exchange.status !== null);
      assert(exchange.status === 202, `a message that is no request was answered with ${exchange.status}`);
    } else if (message.method === 'initialize') {
      await this.until(() => exchange.status !== null);
      web.session = exchange.headers['mcp-session-id'] ?? null;
      if (web.session !== null) this.bindings.session = web.session;
    }
  }

  /** A request that the step wrote itself. */
  private async sendHttp(on: string, wanted: Written): Promise<Exchange> {
    let headers: Headers = { ...this.run.client.headers };
    let body = wanted.body ?? '';
    if (wanted.request !== undefined) {
      if (!this.run.isModern && this.run.client.handshake) await this.ensure(on);
      const message = this.speaker.request(wanted.request);
      headers = this.speaker.headers(message, this.webs.get(on)?.session ?? null);
      body = encode(message);
    } else if ('json' in wanted) {
      body = encode(wanted.json);
    }
    return this.exchange(wanted.method ?? 'POST', wanted.path ?? '/mcp', { ...headers, ...wanted.headers }, body);
  }

  private async exchange(method: string, path: string, headers: Headers, body = ''): Promise<Exchange> {
    const request = requestOf(method, path, headers, body);
    const begun = this.spare.pop();
    if (begun !== undefined) return new Exchange(begun, request, this.news, BEGUN);
    return new Exchange(await connect(this.port), request, this.news);
  }

  private async checkResponse(exchange: Exchange, step: Step): Promise<void> {
    if (step.pending) {
      await this.sync();
      assert(exchange.status === null, `expected no answer yet, found status ${exchange.status}`);
      return;
    }
    const events = (step.events ?? []) as unknown[];
    // A stream may not have shown yet that it is one.
    const isComplete = () =>
      exchange.isStream && (step.open ?? true) === true && exchange.events.length >= events.length;
    await this.until(() => exchange.isOver || isComplete());
    if (!exchange.isOver) await this.sync();
    assert(exchange.status !== null, 'there is no answer');
    const came = exchange.events;
    exchange.events = [];
    try {
      this.compare(exchange, step, events, came);
    } catch (error) {
      const head = `status ${exchange.status} ${JSON.stringify(exchange.headers)}`;
      throw new Error(`${(error as Error).message}\n${head}\n${exchange.body} ${encode(came).slice(0, 3000)}`);
    }
  }

  private compare(exchange: Exchange, step: Step, events: unknown[], came: JsonObject[]): void {
    if ('status' in step) assert(exchange.status === step.status, `expected status ${step.status}`);
    pattern.check(step.headers ?? {}, exchange.headers, this.bindings);
    if ('json' in step) pattern.check(step.json, parse(exchange.body), this.bindings);
    if ('body' in step) assert(exchange.body === step.body, `expected the body ${step.body}`);
    pattern.check(events, came, this.bindings);
    if ('open' in step) {
      const isOpen = exchange.isStream && !exchange.isOver;
      assert(isOpen === step.open, `expected the stream to be ${step.open ? 'open' : 'closed'}`);
    }
  }

  protected end(on: string): void {
    for (const exchange of this.web(on).exchanges) exchange.leave();
  }

  protected async wait(on: string, count: number): Promise<void> {
    if (count === 0) await this.sync();
    const { exchanges } = this.web(on);
    await this.until(() => exchanges.reduce((sum, exchange) => sum + exchange.count(), 0) >= count);
  }

  protected arrived(on: string): unknown[] {
    return this.web(on).exchanges.flatMap((exchange) => exchange.messages());
  }

  close(): void {
    for (const exchange of this.all()) exchange.leave();
    for (const socket of this.spare) socket.destroy();
    this.barrier.close();
  }

  /** Returns when it holds, or when nothing more can come. */
  private async until(holds: () => boolean): Promise<void> {
    await this.news.until(() => holds() || this.all().every((exchange) => exchange.isOver));
  }

  private all(): Exchange[] {
    return [...this.named.values(), ...[...this.webs.values()].flatMap((web) => web.exchanges)];
  }

  private web(on: string): Web {
    const web = this.webs.get(on);
    assert(web !== undefined);
    return web;
  }

  private exchangeNamed(name: unknown): Exchange {
    const exchange = this.named.get(name as string);
    assert(exchange !== undefined, `no request has the name ${name}`);
    return exchange;
  }
}
