/**
 * What keeps a process at work: nothing native does, so that a finished program ends.
 *
 * @module
 */

import { setInterval } from 'node:timers';

/** The longest that a timer can be set to, in milliseconds. */
const LONG = 2 ** 31 - 1;

/** Not written where it is used: there it would keep the first owner for as long as the timer is there. */
function nothing(): void {}

/** Keeps the process from ending while somebody holds it, and whoever holds it from being collected. */
export class KeepAlive {
  #timer: NodeJS.Timeout | undefined;
  readonly #holds = new Set<{ owner: unknown }>();

  /**
   * Holds the process until what is returned is called; a second call of that does nothing.
   *
   * @param owner what must stay reachable meanwhile: a promise that only native code will settle has nobody else who knows of it
   */
  hold(owner?: unknown): () => void {
    const hold = { owner };
    this.#holds.add(hold);
    if (this.#holds.size === 1) {
      if (this.#timer === undefined) this.#timer = setInterval(nothing, LONG);
      else this.#timer.ref();
    }
    return () => {
      if (this.#holds.delete(hold) && this.#holds.size === 0) this.#timer?.unref();
    };
  }
}

/** The one of this thread. */
export const alive = new KeepAlive();
