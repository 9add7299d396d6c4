/**
 * A call under way: the promise that a user has, and who settles it.
 *
 * @module
 */

import { make, type OmniportError } from '../errors';
import type { Connection, Waiter } from './connection';
import type { Life } from './life';
import { textOf } from './log';
import type { Progress, Reader, Request } from './request';
import { unwatch, watch } from './signals';
import { Stream } from './stream';

const GIVEN_UP = 'The caller gave up';

/**
 * The answer of a server, to come.
 *
 * A real promise: it can be awaited, raced and gathered as any other, and what `then`, `catch` and `finally` give are plain promises.
 * It begins when it is made and settles once.
 */
export class Call<T> extends Promise<T> {
  readonly #exchange: Exchange<T>;

  /** Chained promises are plain: they are no calls. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** @internal */
  constructor(exchange: Exchange<T>) {
    super((resolve, reject) => exchange.settleBy(resolve, reject));
    this.#exchange = exchange;
  }

  /**
   * The progress of the call from now on, to iterate over; it ends with the call, whose failure is the promise's alone. Of progress
   * that nobody takes the newest thousand steps are kept.
   */
  progress(): AsyncIterableIterator<Progress, undefined, undefined> {
    return this.#exchange.progress();
  }

  /** Takes the call back: it rejects with `Cancelled`, and the server is told. No effect when it is over. */
  cancel(reason: string = GIVEN_UP): void {
    this.#exchange.cancel(reason);
  }
}

/** Begins a call. Whatever goes wrong, also before anything is sent, is the promise's rejection. */
export function begin<T>(life: Life, build: () => Request<T>): Call<T> {
  const exchange = new Exchange<T>();
  const call = new Call(exchange);
  exchange.begin(life, build);
  return call;
}

/** One question to a server and its answer. */
export class Exchange<T> implements Waiter {
  onProgress: ((progress: Progress) => unknown) | undefined;
  onLog: Waiter['onLog'];
  #resolve!: (value: T) => void;
  #reject!: (error: unknown) => void;
  #read: Reader<T> | undefined;
  #signal: AbortSignal | undefined;
  /** Where it was sent, if it was. */
  connection: Connection | undefined;
  token = 0;
  #isOver = false;
  #steps: Set<Steps> | undefined;

  settleBy(resolve: (value: T) => void, reject: (error: unknown) => void): void {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(life: Life, build: () => Request<T>): void {
    try {
      const request = build();
      const { signal, onProgress, onLog } = request.given;
      signal?.throwIfAborted(); // nothing is sent then (Z10)
      this.#read = request.read;
      this.onProgress = onProgress;
      this.onLog = onLog;
      const connection = life.live();
      this.token = connection.start(request, this);
      this.connection = connection;
      if (signal) {
        this.#signal = signal;
        watch(signal, this);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  answered(answer: unknown, isInput: boolean): void {
    if (this.#isOver) return;
    this.#finish();
    try {
      this.#resolve((this.#read as Reader<T>)(answer, isInput));
    } catch (error) {
      this.#reject(error);
    }
  }

  failed(error: OmniportError): void {
    this.#fail(error);
  }

  progressed(progress: Progress): void {
    for (const steps of this.#steps ?? []) steps.put(progress);
  }

  progress(): Steps {
    const steps: Steps = new Steps(() => this.#steps?.delete(steps));
    this.#steps ??= new Set();
    if (this.#isOver) steps.close();
    else this.#steps.add(steps);
    return steps;
  }

  /** The signal of the call was aborted. */
  aborted(reason: unknown): void {
    if (this.#isOver) return;
    this.#withdraw(textOf(reason));
    this.#fail(reason);
  }

  cancel(reason: string): void {
    if (this.#isOver) return;
    this.#withdraw(reason);
    this.#fail(make('cancelled', reason));
  }

  #withdraw(reason: string): void {
    this.connection?.native.cancel(this.token, reason);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#finish();
    this.#reject(error);
  }

  #finish(): void {
    this.#isOver = true;
    if (this.#signal !== undefined) unwatch(this.#signal, this);
    this.#signal = undefined;
    for (const steps of this.#steps ?? []) steps.close();
  }
}

/** Steps that nobody took yet; older ones say nothing that newer ones do not. */
const KEPT = 1000;

/** The progress of one call. */
class Steps extends Stream<Progress> {
  #items: Progress[] = [];
  readonly #left: () => void;

  constructor(left: () => void) {
    super();
    this.#left = left;
  }

  put(progress: Progress): void {
    if (this.#items.length >= 2 * KEPT) this.#items = this.#items.slice(-KEPT);
    this.#items.push(progress);
    this.ring();
  }

  close(): void {
    this.end();
  }

  protected override take(): Progress | undefined {
    return this.#items.shift();
  }

  override return(): Promise<IteratorResult<Progress, undefined>> {
    this.#left();
    this.#items = [];
    return super.return();
  }
}
