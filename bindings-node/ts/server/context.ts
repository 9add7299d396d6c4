/**
 * The running call: what it may ask and tell its client, and what is known about the caller.
 *
 * @module
 */

import type { AsyncLocalStorage } from 'node:async_hooks';

import { Cancelled, guard, RuleError } from '../errors';
import type { Path } from '../native';
import { revive, stringify } from './integers';
import type { Pump } from './pump';
import {
  answered,
  type ElicitResult,
  type FormContent,
  type FormLike,
  formFor,
  type Outcome,
  refusal,
} from './questions';
import { samplingMessage } from './results';

/** Who is calling, as the `auth` hook said. */
export interface Principal {
  subject: string;
  client?: string;
  scopes?: string[];
  claims?: Record<string, unknown>;
}

/** Levels of log messages, the least urgent first. */
export type Level = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** What a question to the client's model may say besides its messages; the protocol's own members. */
export interface SampleOptions {
  /** 1024 when nothing is said. */
  maxTokens?: number;
  systemPrompt?: string;
  temperature?: number;
  stopSequences?: string[];
  modelPreferences?: object;
  includeContext?: string;
  tools?: object[];
  toolChoice?: object;
  metadata?: object;
  /** Names the question, so that a modern client can answer it beforehand. */
  key?: string;
}

/** What the client's model answered. */
export interface SampleResult {
  role: string;
  content: unknown;
  model: string;
  stopReason?: string;
  /** All text of the answer. */
  text: string;
}

/** A directory that the client offers. */
export interface Root {
  uri: string;
  name?: string;
}

interface Facts {
  request_id?: number | bigint | string;
  protocol_version?: string | null;
  client?: Record<string, unknown> | null;
  capabilities?: Record<string, unknown>;
  session_id?: string;
  headers?: Record<string, string>;
  principal?: Principal;
  meta?: Record<string, unknown>;
  resumed?: boolean;
  http?: number;
}

interface Waiting {
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** Ends the call for its handler: for the pump. */
export let cancelContext: (cx: Context, reason: string) => void;
/** Hands the answer of question `number` over: for the pump. */
export let answerContext: (cx: Context, number: number, outcome: Outcome) => void;
/** The token of the request of a foreign web server that brought the call: for the pump. */
export let requestOf: (cx: Context) => number | undefined;

/**
 * Given to a handler as its second parameter. Everything works in both eras of the protocol.
 *
 * A question (`elicit`, `sample`, `listRoots`) may run the handler again from its start, when the answer comes with another request; wrap
 * effects that must happen once in `step`.
 *
 * @typeParam L what the server's lifespan gives
 */
export class Context<L = unknown> {
  readonly #pump: Pump;
  readonly #token: number;
  #facts: Facts | undefined;
  #controller: AbortController | undefined;
  #questions: Map<number, Waiting> | undefined;
  /** Why the caller took the request back; undefined: it did not. */
  #cancelled: string | undefined;

  /** The URI that was asked for, in a handler that reads a resource; empty elsewhere. */
  readonly uri: string;

  /** Made by the server. */
  constructor(pump: Pump, token: number, uri: string) {
    this.#pump = pump;
    this.#token = token;
    this.uri = uri;
  }

  static {
    cancelContext = (cx, reason) => cx.#cancel(reason);
    requestOf = (cx) => cx.#known.http;
    answerContext = (cx, number, outcome) => {
      cx.#questions?.get(number)?.resolve(outcome);
      cx.#questions?.delete(number);
    };
  }

  // Questions

  /**
   * Asks the user to fill in a form.
   *
   * @param schema flat members, a single value, or a list of texts to choose from; without one, a bare confirmation
   * @throws MissingCapability when the client cannot ask
   */
  async elicit<const S extends FormLike | undefined = undefined>(
    message: string,
    schema?: S,
    options: { key?: string } = {},
  ): Promise<ElicitResult<FormContent<S>>> {
    const form = formFor(schema);
    const raw = await this.#ask({ elicit: { message, requestedSchema: form.schema } }, options.key);
    return (await answered(raw, form)) as ElicitResult<FormContent<S>>;
  }

  /** Asks the user to open a page, for what must not pass through the client: credentials, payment. */
  async elicitUrl(message: string, url: string, options: { key?: string } = {}): Promise<ElicitResult<undefined>> {
    const raw = await this.#ask({ elicit: { mode: 'url', message, url } }, options.key);
    return (await answered(raw, { answer: () => undefined })) as ElicitResult<undefined>;
  }

  /** Asks the client's model. `messages`: a text, or messages of the protocol. */
  async sample(messages: string | readonly unknown[], options: SampleOptions = {}): Promise<SampleResult> {
    const { key, ...rest } = options;
    const list = typeof messages === 'string' ? [messages] : messages;
    const raw = await this.#ask({ sample: { maxTokens: 1024, ...rest, messages: list.map(samplingMessage) } }, key);
    const items = (Array.isArray(raw.content) ? raw.content : [raw.content]) as (
      | { text?: unknown }
      | null
      | undefined
    )[];
    const text = items.map((item) => (typeof item?.text === 'string' ? item.text : '')).join('');
    return { role: 'assistant', model: '', ...raw, content: raw.content, text };
  }

  /** The directories that the client offers. */
  async listRoots(options: { key?: string } = {}): Promise<Root[]> {
    const raw = await this.#ask({ roots: {} }, options.key);
    return (raw.roots ?? []) as Root[];
  }

  /**
   * Runs an effect once, even if the handler is run again from its start after a question was answered elsewhere.
   *
   * The result is kept as JSON, so it comes back as plain data.
   */
  async step<T>(name: string, effect: () => T): Promise<Awaited<T>> {
    const { engine } = this.#pump;
    let kept = guard(() => engine.step(this.#token, name));
    if (kept === null) {
      const value = await effect();
      const text = value === undefined ? 'null' : stringify(value, name);
      guard(() => engine.keepStep(this.#token, name, text));
      kept = text;
    }
    return JSON.parse(kept) as Awaited<T>;
  }

  async #ask(question: Record<string, unknown>, key: string | undefined): Promise<Record<string, unknown>> {
    if (this.#cancelled !== undefined) throw this.#reason();
    const text = stringify(key === undefined ? question : { ...question, key }, 'question');
    const [number, known] = guard(() => this.#pump.engine.ask(this.#token, text));
    const outcome = known === null ? await this.#wait(number) : (JSON.parse(known) as Outcome);
    if (outcome.error) throw refusal(outcome.error);
    return outcome.result ?? {};
  }

  #wait(number: number): Promise<Outcome> {
    this.#pump.asked();
    return new Promise((resolve, reject) => {
      this.#questions ??= new Map();
      this.#questions.set(number, { resolve, reject });
    });
  }

  // Notices

  /** Tells how far the call is; nothing is sent when the caller did not ask. */
  progress(progress: number, total?: number, message?: string): void {
    this.#notice({ progress, total, message });
  }

  /** Sends a log message to the client, if it asked for this level. */
  log(level: Level, data: unknown, logger?: string): void {
    this.#notice({ level, data: data ?? null, logger });
  }

  debug(data: unknown, logger?: string): void {
    this.log('debug', data, logger);
  }

  info(data: unknown, logger?: string): void {
    this.log('info', data, logger);
  }

  warning(data: unknown, logger?: string): void {
    this.log('warning', data, logger);
  }

  error(data: unknown, logger?: string): void {
    this.log('error', data, logger);
  }

  /** Ends the event stream of this call without its answer, so that the client polls; no effect where that cannot be. */
  closeStream(): void {
    this.#pump.engine.closeStream(this.#token);
  }

  #notice(notice: object): void {
    const text = stringify(notice, 'notice');
    guard(() => this.#pump.engine.notice(this.#token, text));
    this.#pump.touch();
  }

  // Cancellation

  /** Whether the caller has taken the request back, or ran out of time. */
  get cancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** Aborted when the caller takes the request back; hand it to whatever takes an AbortSignal. The reason is a `Cancelled`. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancelled !== undefined) this.#controller.abort(this.#reason());
    }
    return this.#controller.signal;
  }

  #cancel(reason: string): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = reason;
    const error = this.#reason();
    for (const waiting of this.#questions?.values() ?? []) waiting.reject(error);
    this.#questions = undefined;
    this.#controller?.abort(error);
  }

  #reason(): Cancelled {
    return new Cancelled(this.#cancelled || 'The caller took the request back');
  }

  // Facts

  get #known(): Facts {
    if (this.#facts === undefined) {
      const [facts, integers] = JSON.parse(guard(() => this.#pump.engine.context(this.#token))) as [Facts, Path[]?];
      const isId = (path: Path) => path[0] === 'request_id'; // an id is never rounded
      revive(facts, integers?.filter(isId), true);
      const others = integers?.filter((path) => !isId(path));
      this.#facts = revive(facts, others, this.#pump.bigint) as Facts;
    }
    return this.#facts;
  }

  /** The id of the request; a bigint where a number would not hold it. */
  get requestId(): number | bigint | string {
    return this.#known.request_id ?? '';
  }

  /** The HTTP headers of this request, names in lower case; empty elsewhere. */
  get headers(): Readonly<Record<string, string>> {
    return this.#known.headers ?? {};
  }

  /** Who is calling; null without authentication. */
  get principal(): Principal | null {
    return this.#known.principal ?? null;
  }

  get sessionId(): string | null {
    return this.#known.session_id ?? null;
  }

  /** Name, version and title of the client, as it says itself. */
  get client(): Record<string, unknown> | null {
    return this.#known.client ?? null;
  }

  /** What the client declared. */
  get capabilities(): Record<string, unknown> {
    return this.#known.capabilities ?? {};
  }

  get protocolVersion(): string | null {
    return this.#known.protocol_version ?? null;
  }

  /** The `_meta` of the request. */
  get meta(): Record<string, unknown> {
    return this.#known.meta ?? {};
  }

  /** Whether the handler is run again to take the answers to questions it asked before. */
  get resumed(): boolean {
    return this.#known.resumed ?? false;
  }

  /** What the server's lifespan gave. */
  get lifespan(): L {
    return this.#pump.lifespan as L;
  }
}

let storage: AsyncLocalStorage<Context> | undefined;
let current: Context | undefined;

/** Runs `call` as part of the call of `cx`. */
export function within<T>(cx: Context, call: (payload: never, cx: Context) => T, payload: unknown): T {
  const outer = current;
  current = cx;
  try {
    return storage === undefined ? call(payload as never, cx) : storage.run(cx, call, payload as never, cx);
  } finally {
    current = outer;
  }
}

/** From now on calls can be found after an `await`, too; costs a little for each of them. */
export function trackContexts(): void {
  if (storage !== undefined) return;
  const hooks = require('node:async_hooks') as typeof import('node:async_hooks');
  storage = new hooks.AsyncLocalStorage();
}

/**
 * The Context of the running call, for code that it is not handed to.
 *
 * Before the first `await` of a handler it is always known. After one it is known for calls that began after the first use of this
 * function; `trackContext: true` of a server says from the beginning that it will be used.
 *
 * @throws RuleError where no call is known
 */
export function getContext<L = unknown>(): Context<L> {
  const cx = storage?.getStore() ?? current;
  if (cx !== undefined) return cx as Context<L>;
  if (storage === undefined) {
    trackContexts();
    throw new RuleError(
      'no call of a client is known here; if one is running, make the server with trackContext: true, so that calls are known after an await',
    );
  }
  throw new RuleError('no call of a client is running here');
}
