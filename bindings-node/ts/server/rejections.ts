/**
 * Rejections that nobody handles. JavaScript runtimes end the process for one; a server outlives what its handlers leave behind.
 *
 * @module
 */

import { textOf } from './failure';
import { ERROR, log } from './log';

/** Marks the listeners of every copy of the package in the process: they are nobody's who decides (N07). */
const OURS = Symbol.for('omniport.rejections');

let holders = 0;

/**
 * Until what is returned is called, an unhandled rejection in this thread is logged and ends nothing. Not where the program listens for
 * `unhandledRejection` itself: then its listener decides, also if it comes later.
 */
export function outliveRejections(): () => void {
  if (holders === 0 && programListens()) return () => {};
  if (holders++ === 0) process.on('unhandledRejection', onRejection);
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    if (--holders === 0) process.off('unhandledRejection', onRejection);
  };
}

type Listener = ((...facts: never[]) => unknown) & { [OURS]?: true };

function programListens(): boolean {
  return (process.listeners('unhandledRejection') as Listener[]).some((listener) => !listener[OURS]);
}

function onRejection(reason: unknown): void {
  if (programListens() || process.listeners('unhandledRejection')[0] !== onRejection) return; // another copy logs it
  try {
    if (reason instanceof Error) log(ERROR, 'a promise was rejected, and nobody handled it', reason);
    else log(ERROR, `a promise was rejected, and nobody handled it: ${textOf(reason)}`);
  } catch {
    // What this throws would end the process, as the rejection itself would have. Even to ask for the class of a proxy may throw.
    log(ERROR, 'a promise was rejected with something that cannot be shown, and nobody handled it');
  }
}
onRejection[OURS] = true as const;
