/**
 * One connection: who waits for which answer, and where everything else goes.
 *
 * @module
 */

import { alive } from '../alive';
import { Closed, fromFault, make, type OmniportError } from '../errors';
import { type NativeClient, native, type Path } from '../native';
import { revive } from '../server/integers';
import { log } from '../server/log';
import type { Implementation, ServerCapabilities } from '../types';
import type { Callbacks, Question } from './callbacks';
import type { Change, Changes } from './changes';
import { atExit } from './exit';
import { due, enrol, nativeInbox, strike } from './inbox';
import type { LogMessage, Progress, Request } from './request';
import { Serial } from './serial';
import type { Target } from './target';

/** How a connection is. */
export type State = 'closed' | 'connecting' | 'ready' | 'recovering' | 'failed';

/** Who waits for an answer. */
export interface Waiter {
  onProgress?: ((progress: Progress) => unknown) | undefined;
  onLog?: ((message: LogMessage) => unknown) | undefined;
  answered(answer: unknown, isInput: boolean): void;
  failed(error: OmniportError): void;
  progressed?(progress: Progress): void;
}

/** What the server said when the connection was made. */
export interface Said {
  server?: Implementation;
  capabilities?: ServerCapabilities;
  protocol_version?: string;
  instructions?: string | null;
}

/** What a failure is told as. */
interface Facts {
  kind: string;
  code: number;
  message: string;
  data?: unknown;
  retry: boolean;
  context: Record<string, string>;
}

/** A question that its callback works on; the process goes on meanwhile. */
interface UserTurn {
  controller: AbortController;
  release: () => void;
}

/** What is left to say of a connection when it was collected. */
interface Mark {
  readonly number: number;
  readonly target: string;
  isOver: boolean;
}

const forgotten = new FinalizationRegistry<Mark>((mark) => {
  strike(mark.number);
  if (!mark.isOver)
    process.emitWarning(`a client of ${mark.target} was never closed: it ends, since nothing refers to it any more`);
});

const CLOSED_BY_USER = 'the client was closed';

/** A connection from its opening to its end. */
export class Connection {
  readonly native: NativeClient;
  /** How it is, and why it is recovering or failed. */
  state: State = 'connecting';
  cause: string | null = null;
  said: Said = {};
  /** Whether it was closed, or is being closed, by its user or since it could not be made. */
  isClosing = false;
  /** Why it is over. */
  error: Closed | undefined;
  readonly changes = new Set<WeakRef<Changes>>();
  readonly target: Target;
  readonly #callbacks: Callbacks;
  readonly #bigint: boolean;
  readonly #serial = new Serial();
  readonly #mark: Mark;
  readonly #pending = new Map<number, Waiter>();
  readonly #questions = new Map<number, UserTurn>();
  /** Keeps the process, and this, while somebody waits for an answer. */
  #hold: (() => void) | undefined;
  /** Keeps them because the user said so. */
  #userHold: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  /** @param options the native layer's own, JSON text */
  constructor(target: Target, options: string, callbacks: Callbacks, bigint: boolean) {
    this.target = target;
    this.#callbacks = callbacks;
    this.#bigint = bigint;
    try {
      this.native = new native.Client(nativeInbox(), options, bigint);
    } catch (error) {
      throw fromFault(error);
    }
    this.#mark = { number: this.native.number(), target: target.name, isOver: false };
  }

  /** Whether nothing can be asked any more. */
  get isOver(): boolean {
    return this.isClosing || this.error !== undefined;
  }

  /** Connects; calls can be started as soon as it returned. Rejects with what kept the connection from being made, with every fact. */
  open(): Promise<void> {
    let token: number;
    enrol(this.#mark.number, this);
    forgotten.register(this, this.#mark);
    atExit();
    try {
      token = this.target.connect(this.native);
    } catch (error) {
      this.isClosing = this.#mark.isOver = true;
      this.state = 'closed';
      strike(this.#mark.number);
      throw fromFault(error);
    }
    return this.#opened(token);
  }

  async #opened(token: number): Promise<void> {
    try {
      this.said = (await this.#answer(token)) as Said;
    } catch (error) {
      await this.close();
      throw error;
    }
    if (this.state === 'connecting') this.state = 'ready';
  }

  /** Ends it; resolves when nothing is left: the server process has exited, the session is deleted. Twice is once. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.isClosing = this.#mark.isOver = true;
    try {
      await this.#answer(this.native.close());
    } catch (error) {
      throw fromFault(error);
    } finally {
      for (const number of [...this.#questions.keys()]) this.#withdrawn(number, new Closed(CLOSED_BY_USER));
      this.finished(undefined);
      strike(this.#mark.number);
    }
  }

  /** As `close`, at the end of the process: `gone` is called when nothing is left. */
  closeNow(gone: () => void): void {
    this.isClosing = true;
    try {
      this.#expect(this.native.close(), { answered: gone, failed: gone });
    } catch {
      gone();
    }
  }

  /** Sends a request, whose answer `waiter` gets; returns its token. */
  start(request: Request<unknown>, waiter: Waiter): number {
    let token: number;
    try {
      token = this.native.request(request.what, request.params, request.options);
    } catch (error) {
      throw fromFault(error);
    }
    this.#expect(token, waiter);
    return token;
  }

  /** Whether the process goes on as long as this is open. */
  keepProcess(keep: boolean): void {
    this.#userHold?.();
    this.#userHold = keep && !this.isOver ? alive.hold(this) : undefined;
  }

  #answer(token: number): Promise<unknown> {
    return new Promise((resolve, reject) => this.#expect(token, { answered: resolve, failed: reject }));
  }

  #expect(token: number, waiter: Waiter): void {
    if (this.#pending.size === 0) this.#hold = alive.hold(this);
    this.#pending.set(token, waiter);
  }

  #arrived(token: number): Waiter | undefined {
    const waiter = this.#pending.get(token);
    if (waiter !== undefined && this.#pending.delete(token) && this.#pending.size === 0) this.#hold?.();
    return waiter;
  }

  // What is told

  /** Something that the native layer tells. Settles calls at once; callbacks run soon. */
  told(part: number, token: number, payload: unknown, integers?: Path[]): void {
    const value = integers === undefined ? payload : revive(payload, integers, this.#bigint);
    if (part === native.TOLD_RESULT) this.#arrived(token)?.answered(value, false);
    else if (part === native.TOLD_ERROR) this.#arrived(token)?.failed(errorOf(value as Facts));
    else if (part === native.TOLD_INPUT) this.#arrived(token)?.answered(value, true);
    else if (part === native.TOLD_PROGRESS) this.#progressed(token, value as Progress);
    else if (part === native.TOLD_LOG) {
      this.#run(this.#pending.get(token)?.onLog ?? this.#callbacks.onLog, value as LogMessage, false);
    } else if (part === native.TOLD_ASKED) this.#asked(token, value as Question);
    else if (part === native.TOLD_WITHDRAWN) {
      this.#withdrawn(token, make('cancelled', 'the server needs no answer any more'));
    } else if (part === native.TOLD_CHANGE) this.#changed(value as Change, token);
    else if (part === native.TOLD_STATE) {
      const { state, cause } = value as { state: State; cause?: string };
      this.#setState(state, cause ?? null);
    } else if (part === native.TOLD_STDERR) this.#run(this.#callbacks.onStderr, value as string, false);
    else if (part === native.TOLD_REPORT) log(token, value as string);
    else if (part === native.TOLD_CLOSED) this.finished(closedOf(errorOf(value as Facts)));
  }

  #progressed(token: number, progress: Progress): void {
    const waiter = this.#pending.get(token);
    waiter?.progressed?.(progress);
    this.#run(waiter?.onProgress ?? this.#callbacks.onProgress, progress, true);
  }

  /** Runs a callback after those before it, and lets the native layer know when it is through. */
  #run<V>(callback: ((value: V) => unknown) | undefined, value: V, isUrgent: boolean): void {
    const done = (): void => this.native.handled(1);
    if (callback === undefined) done();
    else due(() => this.#serial.add(() => callback(value), done), isUrgent);
  }

  #changed(change: Change, token: number): void {
    for (const reference of this.changes) {
      const changes = reference.deref();
      if (changes === undefined) this.changes.delete(reference);
      else changes.put(change, token);
    }
    this.#run(change.kind === 'ended' ? undefined : this.#callbacks.onChange, change, false);
  }

  /** Questions run besides each other and everything else: one may wait long for its user. */
  #asked(number: number, question: Question): void {
    const controller = new AbortController();
    this.#questions.set(number, { controller, release: alive.hold(this) });
    due(() => {
      this.#callbacks.answer(question, controller.signal).then((answer) => {
        const turn = this.#questions.get(number);
        if (turn === undefined) return; // withdrawn meanwhile: nobody waits for it
        this.#questions.delete(number);
        turn.release();
        this.native.answer(number, answer);
      });
    }, true);
  }

  #withdrawn(number: number, reason: OmniportError): void {
    const turn = this.#questions.get(number);
    this.#questions.delete(number);
    turn?.release();
    turn?.controller.abort(reason);
  }

  #setState(state: State, cause: string | null): void {
    if (state === this.state && cause === this.cause) return;
    this.state = state;
    this.cause = cause;
    const { onState } = this.#callbacks;
    if (onState !== undefined) due(() => this.#serial.add(() => onState(state, cause), nothing), true);
  }

  /** It is over: closed by its user, or for the reason given. */
  finished(error: Closed | undefined): void {
    if (this.error !== undefined) return;
    this.error = error ?? new Closed(CLOSED_BY_USER);
    this.#mark.isOver = true;
    this.keepProcess(false);
    if (this.isClosing) this.#setState('closed', null);
    else this.#setState('failed', this.cause ?? this.error.message);
    for (const changes of this.changes) changes.deref()?.lost(this.isClosing ? undefined : this.error);
    this.changes.clear();
  }
}

function nothing(): void {}

function closedOf(error: OmniportError): Closed {
  const { message, data, context } = error;
  return error instanceof Closed ? error : new Closed(message, { data, context, cause: error });
}

function errorOf({ kind, message, ...facts }: Facts): OmniportError {
  return make(kind, message, facts);
}
