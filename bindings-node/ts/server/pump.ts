/**
 * The hot path: takes what the engine has queued, runs handlers, settles calls.
 *
 * What was answered, asked or noticed within one turn of the event loop leaves with one call of the addon at its end. The engine reaches
 * the pump through a weak reference only, so that a server nobody uses any more is collected and a finished program ends.
 *
 * @module
 */

import { AsyncResource } from 'node:async_hooks';
import { Buffer } from 'node:buffer';
import { setImmediate, setTimeout } from 'node:timers';

import { guard } from '../errors';
import { type Engine, type Event, native } from '../native';
import { answerContext, Context, cancelContext, requestOf, within } from './context';
import { failureOf, report } from './failure';
import { revive } from './integers';
import { ERROR, log } from './log';
import type { Outcome } from './questions';
import { outliveRejections } from './rejections';

const { CALL, READ, GET, COMPLETE, VISIBLE, AUTHENTICATE, ANSWER, CANCEL, EVENT, AUDIT, REPORT, HTTP, END } = native;

/** After so many milliseconds of one batch, other callbacks of the loop have their turn. */
const TURN = 2;
/** So long handlers may clean up after the end, in milliseconds. */
const FINISH = 5000;
const NONE: Event[] = [];
/** Parts of an HTTP answer. */
const HEAD = 0;
const BODY = 1;

/** One entry of the table that events are dispatched by. */
export interface Handler {
  /** What the log calls it: "tool `add`". */
  readonly subject: string;
  /** Runs it with the payload of its event; may return a promise. */
  readonly call: (payload: never, cx: Context) => unknown;
  /** What `call` gave to the text of `Engine.settle`. */
  readonly encode: (value: unknown, payload: never) => string;
}

/** Takes the answer to one request of a foreign web server. */
export interface HttpSink {
  head(status: number, headers: [string, string][]): void;
  body(bytes: Uint8Array): void;
  end(): void;
}

/** What a pump runs. */
export interface Setup {
  /** Options of the native engine, as JSON. */
  readonly options: string;
  readonly bigint: boolean;
  /** The handler of an event. */
  find(kind: number, slot: number): Handler | undefined;
  /** Entered before the first event is handled; gives what handlers see as `cx.lifespan`, and how it is left. */
  enter(): Entered | Promise<Entered>;
  onEvent: ((event: unknown) => void) | undefined;
  onAudit: ((record: unknown) => void) | undefined;
  /** Called once when the pump has ended, by itself or by a start that failed. */
  ended(pump: Pump): void;
}

/** A lifespan that was entered. */
export interface Entered {
  value: unknown;
  leave(): unknown;
}

enum State {
  Idle,
  Starting,
  Running,
  Failed,
  Ended,
}

/** Runs one engine, from `start` until the engine says that nothing will follow. */
export class Pump {
  readonly engine: Engine;
  readonly bigint: boolean;
  /** What waits for the answers to requests of a foreign web server, by token. */
  readonly sinks: Map<number, HttpSink> = new Map();
  /** Where the handlers of such a request run, by the same tokens: what its middleware put into `AsyncLocalStorage` is there (H15). */
  readonly contexts: Map<number, <R>(run: () => R) => R> = new Map();
  /** Resolves when everything is over, the lifespan too; rejects with what leaving the lifespan threw. */
  readonly ended: Promise<void>;
  /** What the lifespan gave. */
  lifespan: unknown;
  /** Whether the engine was told to stop; it cannot be used again then. */
  closing = false;

  readonly #setup: Setup;
  /** Where the server was made: what a request that starts the pump has in `AsyncLocalStorage` is no other request's (H15). */
  readonly #origin = new AsyncResource('Omniport');
  readonly #running = new Map<number, Context>();
  #state = State.Idle;
  #started: Promise<void> | undefined;
  #entered: Entered | undefined;
  #resolve!: () => void;
  #reject!: (error: unknown) => void;
  #idle: (() => void) | undefined;
  /** Lets go of unhandled rejections; held while a foreign web server passes requests on. */
  #release: (() => void) | undefined;

  #batch = NONE;
  #at = 0;
  #bodies: Uint8Array[] | undefined;

  /** Answers that have not left, as `Engine.settle` takes them. */
  #lines = '';
  /** Something has to leave. */
  #dirty = false;
  /** It leaves in the check phase of this turn of the loop. */
  #scheduled = false;
  /** It leaves by a microtask. */
  #nigh = false;
  /** It must not leave before the handlers had this turn of the loop to themselves. */
  #patient = false;
  #draining = false;
  /** Async handlers began in this drain. */
  #begun = false;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.bigint = setup.bigint;
    this.engine = guard(() => new native.Engine(setup.options, setup.bigint, waker(new WeakRef(this))));
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.ended.catch(() => {}); // who serves looks at it; nobody else has to
  }

  /** Whether it was started, be it that it has ended again. */
  get started(): boolean {
    return this.#started !== undefined;
  }

  /** Enters the lifespan, then handles what the engine has queued. Rejects with what the lifespan threw. */
  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  /** No new calls; running ones may take `grace` milliseconds more (default: the server's limit). */
  close(grace?: number): void {
    this.closing = true;
    this.engine.close(grace === undefined ? this.engine.limit('shutdown_grace') : grace / 1000);
    if (this.#state === State.Idle) this.#over(State.Ended); // nobody waits for what the engine has to say
  }

  /** Something was written: it leaves at the end of this turn of the loop. */
  touch(): void {
    this.#dirty = true;
    if (!this.#draining && !this.#nigh) this.#schedule();
  }

  /** A question was asked: all that are asked in this turn of the loop go out in one round. */
  asked(): void {
    this.#patient = true;
    this.touch();
  }

  /** Handles what is queued. Never throws: nobody is above it to catch. */
  drain(): void {
    if (this.#state !== State.Running && this.#state !== State.Failed) return; // the events wait in the engine
    try {
      this.#drain();
    } catch (error) {
      log(ERROR, 'the events of the engine could not be handled', error);
    }
  }

  #start(): Promise<void> {
    this.#state = State.Starting;
    let entered: Entered | Promise<Entered>;
    try {
      entered = this.#setup.enter();
    } catch (error) {
      entered = Promise.reject(error);
    }
    if (!isPromise(entered)) {
      this.#begin(entered);
      return Promise.resolve();
    }
    const started = entered.then(
      (entered) => this.#begin(entered),
      (error) => {
        log(ERROR, 'the lifespan could not be entered', error);
        this.#over(State.Failed);
        this.drain();
        throw error;
      },
    );
    started.catch(() => {}); // who serves looks at it; a call gets an error of its own
    return started;
  }

  #begin(entered: Entered): void {
    this.#entered = entered;
    this.lifespan = entered.value;
    this.#state = State.Running;
    this.#origin.runInAsyncScope(() => setImmediate(() => this.drain())); // what came before
  }

  // Events

  #drain(): void {
    if (this.#at === this.#batch.length) {
      const text = this.engine.takeBatch();
      if (text === '') return;
      this.#batch = JSON.parse(text) as Event[];
      this.#at = 0;
      this.#bodies = undefined;
    }
    if (this.#release === undefined && this.sinks.size > 0) this.#release = outliveRejections();
    this.#draining = true;
    const batch = this.#batch;
    const until = performance.now() + TURN;
    do {
      const event = batch[this.#at++] as Event;
      try {
        this.#dispatch(event);
      } catch (error) {
        log(ERROR, 'an event of the engine could not be handled', error); // those behind it must not be lost
      }
    } while (this.#at < batch.length && performance.now() < until);
    this.#draining = false;
    this.#leave();
    if (this.#at < batch.length) {
      setImmediate(() => this.drain());
    } else {
      this.#batch = NONE;
      this.#at = 0;
    }
  }

  #dispatch(event: Event): void {
    const [kind, token, slot] = event;
    let payload = event[3];
    if (event[4] !== undefined) payload = revive(payload, event[4], true);
    switch (kind) {
      case CALL:
      case READ:
      case GET:
      case COMPLETE:
      case VISIBLE:
      case AUTHENTICATE:
        this.#handle(kind, token, slot, payload ?? {});
        break;
      case ANSWER:
        this.#answer(token, slot, payload as Outcome);
        break;
      case CANCEL:
        this.#cancel(token, payload as string);
        break;
      case HTTP:
        this.#http(token, slot, payload);
        break;
      case EVENT:
        this.#setup.onEvent?.(payload);
        break;
      case AUDIT:
        this.#setup.onAudit?.(payload);
        break;
      case REPORT:
        log(slot, payload as string);
        break;
      case END:
        void this.#end();
        break;
    }
  }

  // Handlers

  #handle(kind: number, token: number, slot: number, payload: unknown): void {
    const handler = this.#setup.find(kind, slot);
    if (handler === undefined || this.#state === State.Failed) {
      const message = handler === undefined ? 'The handler is not there any more' : 'The server could not start';
      this.engine.fail(token, 'internal', null, message, null);
      this.#dirty = true;
      return;
    }
    const cx = new Context(this, token, kind === READ ? (payload as { uri: string }).uri : '');
    let value: unknown;
    try {
      const call = handler.call as (payload: never, cx: Context) => unknown;
      const inRequest = this.contexts.size > 0 ? this.contexts.get(requestOf(cx) ?? 0) : undefined;
      value = inRequest === undefined ? within(cx, call, payload) : inRequest(() => within(cx, call, payload));
      if (isPromise(value)) {
        this.#running.set(token, cx);
        this.#begun = true;
        void this.#await(handler, cx, token, payload, value);
        return;
      }
      this.#lines += `${token} ${handler.encode(value, payload as never)}\n`;
    } catch (error) {
      this.#fail(handler, cx, token, error);
    }
    this.#dirty = true;
  }

  async #await(
    handler: Handler,
    cx: Context,
    token: number,
    payload: unknown,
    promise: PromiseLike<unknown>,
  ): Promise<void> {
    try {
      const value = await promise;
      if (!cx.cancelled) this.#lines += `${token} ${handler.encode(value, payload as never)}\n`;
    } catch (error) {
      this.#fail(handler, cx, token, error);
    }
    this.#running.delete(token);
    this.touch();
    if (this.#idle !== undefined && this.#running.size === 0) this.#idle();
  }

  #fail(handler: Handler, cx: Context, token: number, error: unknown): void {
    if (cx.cancelled) return; // the engine has forgotten the call, and nobody waits for an answer
    report(handler.subject, error);
    const { kind, code, message, data } = failureOf(error);
    this.engine.fail(token, kind, code, message, data);
  }

  // What leaves

  /** At the end of a drain. */
  #leave(): void {
    const begun = this.#begun;
    this.#begun = false;
    if (this.#patient) {
      this.#schedule();
    } else if (begun) {
      // Handlers that wait for nothing are done in the microtasks before this one: one call of the addon takes their answers, too.
      this.#nigh = true;
      queueMicrotask(this.#soon);
    } else {
      this.#settle();
    }
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#tick);
  }

  readonly #soon = (): void => {
    this.#nigh = false;
    if (this.#patient) this.#schedule();
    else this.#settle();
  };

  readonly #tick = (): void => {
    this.#scheduled = false;
    this.#patient = false;
    this.#settle();
  };

  #settle(): void {
    if (!this.#dirty && this.#lines === '') return;
    this.#dirty = false;
    const lines = this.#lines;
    if (lines === '') this.engine.flush();
    else {
      this.#lines = '';
      this.engine.settle(lines);
    }
  }

  // What is no call

  #answer(token: number, number: number, outcome: Outcome): void {
    const cx = this.#running.get(token);
    if (cx !== undefined) answerContext(cx, number, outcome);
    // Other questions of the call may still be open, and nothing else would send them again. Not before a handler that waits for the
    // first of several answers had its turn to go on.
    this.asked();
  }

  #cancel(token: number, reason: string): void {
    const cx = this.#running.get(token);
    if (cx !== undefined) cancelContext(cx, reason);
  }

  #http(token: number, part: number, payload: unknown): void {
    if (part === BODY) this.#bodies ??= this.engine.takeBodies();
    const sink = this.sinks.get(token);
    if (sink === undefined) return;
    if (part === HEAD) {
      const { status, headers } = payload as { status: number; headers: [string, string][] };
      sink.head(status, headers);
    } else if (part === BODY) sink.body(this.#bodies?.[payload as number] ?? Buffer.alloc(0));
    else {
      this.sinks.delete(token);
      this.contexts.delete(token);
      sink.end();
    }
  }

  // The end

  /** Waits until the handlers have cleaned up after themselves, so that the lifespan outlives them. */
  async #end(): Promise<void> {
    if (this.#state === State.Ended) return;
    this.closing = true;
    for (const cx of this.#running.values()) cancelContext(cx, 'The server has stopped');
    if (this.#running.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, FINISH);
        this.#idle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#over(State.Ended);
    try {
      await this.#entered?.leave();
      this.#resolve();
    } catch (error) {
      log(ERROR, 'the lifespan could not be left', error);
      this.#reject(error);
    }
  }

  #over(state: State.Failed | State.Ended): void {
    this.#state = state;
    this.#release?.();
    this.#setup.ended(this);
    if (this.#entered === undefined) this.#resolve();
  }
}

/** Made here, where nothing but the weak reference is in reach: what the engine holds must not hold the pump. */
function waker(pump: WeakRef<Pump>): () => void {
  return () => pump.deref()?.drain();
}

function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> & Promise<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
