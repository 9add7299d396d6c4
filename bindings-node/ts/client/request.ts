/**
 * What is asked of a server, apart from who waits for the answer and how.
 *
 * @module
 */

import { DefinitionError } from '../errors';
import { stringify } from '../server/integers';
import type { LoggingMessageNotificationParams, ProgressNotificationParams } from '../types';

/** Progress of a call. */
export type Progress = Omit<ProgressNotificationParams, 'progressToken'>;
/** A log message of a server. */
export type LogMessage = LoggingMessageNotificationParams;

/** What one call wants to have different from its client. Times are milliseconds. */
export interface CallOptions {
  /** Gives the call up: it rejects with the signal's reason, and the server is told unless it answered before. */
  signal?: AbortSignal | undefined;
  /** How long to wait for the answer; each progress starts it anew. */
  timeout?: number | undefined;
  /** How long to wait in all, whatever progress there is. */
  totalTimeout?: number | undefined;
  /** HTTP headers of this call, besides those of the client; the same name replaces. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether it may be sent again when the connection was lost before the answer. Without it reads may, and tools that say that they
   * only read or are idempotent.
   */
  safe?: boolean | undefined;
  /** Asks the server although a cached answer would do. */
  fresh?: boolean | undefined;
  /** Members of `_meta`. */
  meta?: Readonly<Record<string, unknown>> | undefined;
  /** Gets the progress of this call instead of the client's callback, before the call resolves. */
  onProgress?: ((progress: Progress) => unknown) | undefined;
  /** Gets the log messages that the server sends for this call, where it says for which call they are. */
  onLog?: ((message: LogMessage) => unknown) | undefined;
}

/** Reads an answer; `isInput`: it says what input the call needs. */
export type Reader<T> = (answer: unknown, isInput: boolean) => T;

/** One request: what the engine is given, and what its answer is read with. */
export interface Request<T> {
  what: string;
  params: string;
  options: string | null;
  read: Reader<T>;
  given: CallOptions;
}

const NO_OPTIONS: CallOptions = Object.freeze({});
const PASSED_ON = ['headers', 'safe', 'fresh'] as const;
const OPTIONS = new Set(['signal', 'timeout', 'totalTimeout', 'meta', 'onProgress', 'onLog', ...PASSED_ON]);

/** How the native layer is to treat a request. */
export interface Manner {
  one_page?: true;
  by_hand?: true;
}

/**
 * Describes a request.
 *
 * @throws DefinitionError for an option that there is not, or a time that is none
 */
export function request<T>(
  what: string,
  params: Record<string, unknown>,
  read: Reader<T>,
  given: CallOptions = NO_OPTIONS,
  manner?: Manner,
): Request<T> {
  if (given === NO_OPTIONS && manner === undefined) {
    return { what, params: stringify(params), options: null, read, given };
  }
  for (const name in given) {
    if (!OPTIONS.has(name)) throw new DefinitionError(`a call has no option \`${name}\``);
  }
  const options: Record<string, unknown> = { ...manner };
  for (const name of PASSED_ON) if (given[name] != null) options[name] = given[name];
  if (given.timeout != null) options.timeout = seconds('timeout', given.timeout);
  if (given.totalTimeout != null) options.total_timeout = seconds('totalTimeout', given.totalTimeout);
  if (given.onLog) options.listens = { log: true };
  const whole = given.meta ? { ...params, _meta: given.meta } : params;
  return { what, params: stringify(whole), options: JSON.stringify(options), read, given };
}

/** A time as the native layer has it. No JSON has the numbers that are none: what says "for ever" would be taken for "as usual". */
export function seconds(name: string, milliseconds: unknown): number {
  if (typeof milliseconds === 'number' && milliseconds > 0 && Number.isFinite(milliseconds)) return milliseconds / 1000;
  throw new DefinitionError(`\`${name}\` must be a positive number of milliseconds, got ${String(milliseconds)}`);
}
