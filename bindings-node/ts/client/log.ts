/**
 * What a client has to say to its operator.
 *
 * @module
 */

import { ERROR, log } from '../server/log';

/** Says what went wrong in a callback, or in what we made of something that was told. */
export function logThrown(text: string, error: unknown): void {
  if (error instanceof Error) log(ERROR, text, error);
  else log(ERROR, `${text}: ${textOf(error)}`);
}

/** The text of whatever was thrown. */
export function textOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message || error.name : String(error);
  } catch {
    return 'something that has no text';
  }
}
