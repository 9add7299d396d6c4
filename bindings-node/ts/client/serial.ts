/**
 * Runs the callbacks of one client in the order of what they are told, one after the other.
 *
 * @module
 */

import { Fifo } from './fifo';
import { due } from './inbox';
import { logThrown } from './log';

/** One callback and what follows when it is through. */
interface Step {
  call: () => unknown;
  done: () => void;
}

/** One callback at a time; one that gives a promise is waited for. */
export class Serial {
  readonly #steps = new Fifo<Step>();
  /** Whether a step is awaited, or the next one is due. */
  #isBusy = false;

  /** Runs `call` after those before it, then `done`. What it throws is reported and harms nothing (R05). */
  add(call: () => unknown, done: () => void): void {
    if (this.#isBusy) this.#steps.push({ call, done });
    else this.#run({ call, done });
  }

  #run({ call, done }: Step): void {
    const outcome = outcomeOf(call);
    if (outcome === undefined) {
      done();
      if (this.#isBusy) this.#goOn();
    } else {
      this.#isBusy = true;
      outcome.then(undefined, failed).then(() => {
        done();
        this.#goOn();
      });
    }
  }

  /** The rest runs in slices as well: very much may have been told while one callback took its time. */
  #goOn(): void {
    const step = this.#steps.shift();
    this.#isBusy = step !== undefined;
    if (step !== undefined) due(() => this.#run(step), false);
  }
}

/** Calls; a promise if there is something to wait for. By a promise of our own: a foreign one may call back twice, or throw. */
function outcomeOf(call: () => unknown): Promise<unknown> | undefined {
  try {
    const outcome = call();
    return isThenable(outcome) ? Promise.resolve(outcome) : undefined;
  } catch (error) {
    failed(error);
    return undefined;
  }
}

function failed(error: unknown): void {
  logThrown('a callback of a client failed', error);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
