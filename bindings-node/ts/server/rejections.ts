/**
 * Rejections that nobody handles. JavaScript runtimes end the process for one; a server outlives what its handlers leave behind.
 *
 * @module
 */

import { textOf } from './failure';
import { ERROR, log } from './log';

let holders = 0;

/**
 * Until what is returned is called, an unhandled rejection in this thread is logged and ends nothing. Not where the program listens for
 * `unhandledRejection` itself: then its listener decides, also if it comes later.
 */
export function outliveRejections(): () => void {
  if (holders === 0 && process.listenerCount('unhandledRejection') > 0) return () => {};
  if (holders++ === 0) process.on('unhandledRejection', onRejection);
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    if (--holders === 0) process.off('unhandledRejection', onRejection);
  };
}

function onRejection(reason: unknown): void {
  if (process.listenerCount('unhandledRejection') > 1) return;
  if (reason instanceof Error) log(ERROR, 'a promise was rejected, and nobody handled it', reason);
  else log(ERROR, `a promise was rejected, and nobody handled it: ${safe(reason)}`);
}

function safe(reason: unknown): string {
  try {
    return textOf(reason);
  } catch {
    return 'with something that cannot be shown';
  }
}
