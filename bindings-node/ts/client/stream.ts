/**
 * An iteration over what a server tells.
 *
 * @module
 */

import { alive } from '../alive';

interface Waiting<T> {
  resolve: (step: IteratorResult<T, undefined>) => void;
  reject: (error: unknown) => void;
  release: () => void;
}

/** Gives what comes to whoever asks for it, in the order of asking; what nobody asked for yet waits. */
export abstract class Stream<T> implements AsyncIterableIterator<T, undefined, undefined> {
  readonly #waiting: Waiting<T>[] = [];
  #end: { error: unknown } | undefined;

  /** Takes what waits first; undefined when nothing does. */
  protected abstract take(): T | undefined;

  /** Whether nothing will follow. */
  protected get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** The next one; while it is waited for, the process goes on. */
  next(): Promise<IteratorResult<T, undefined>> {
    const value = this.take();
    if (value !== undefined) return Promise.resolve({ value, done: false });
    if (this.#end !== undefined) return this.#last(this.#end.error);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject, release: alive.hold(this) });
    });
  }

  /** Ends the iteration; leaving a `for await` does it. */
  return(): Promise<IteratorResult<T, undefined>> {
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
  }

  /** Something came. */
  protected ring(): void {
    while (this.#waiting.length > 0) {
      const value = this.take();
      if (value === undefined) return;
      const { resolve, release } = this.#waiting.shift() as Waiting<T>;
      release();
      resolve({ value, done: false });
    }
  }

  /** Nothing will follow: the iteration ends, or throws `error`, when what waits was taken. */
  protected end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    for (const { resolve, reject, release } of this.#waiting.splice(0)) {
      release();
      if (error === undefined) resolve({ value: undefined, done: true });
      else reject(error);
    }
  }

  #last(error: unknown): Promise<IteratorResult<T, undefined>> {
    return error === undefined ? Promise.resolve({ value: undefined, done: true }) : Promise.reject(error);
  }
}
