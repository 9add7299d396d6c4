/**
 * What a client has to say to its operator.
 *
 * @module
 */

import { ERROR, log } from '../server/log';

/**
 * Says what went wrong in a callback, or in what we made of something that was told. Never throws, whatever was thrown (a proxy may throw
 * when it is asked for its class): the callbacks behind the one that failed would never run.
 */
export function logThrown(text: string, error: unknown): void {
  if (isError(error)) log(ERROR, text, error);
  else log(ERROR, `${text}: ${textOf(error)}`);
}

/** The text of whatever was thrown; always a text, also where `message` is none. */
export function textOf(error: unknown): string {
  try {
    return String(isError(error) ? error.message || error.name : error);
  } catch {
    return 'something that has no text';
  }
}

function isError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error;
  } catch {
    return false;
  }
}
