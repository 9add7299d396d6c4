/**
 * The questions that the engine asks the server's author: who is this, what may they see, what has happened.
 *
 * @module
 */

import { Refused } from '../errors';
import { native } from '../native';
import type { Context } from './context';
import { stringify } from './integers';
import { ERROR, log } from './log';
import type { Registry } from './registry';
import type { ServerOptions } from './types';

/** Puts the hooks that are given where events find them. */
export function install(registry: Registry, { auth, visible }: ServerOptions): void {
  if (auth !== undefined) {
    registry.fix(native.AUTHENTICATE, {
      subject: 'authentication',
      call: ({ headers }: { headers?: Record<string, string> }) => auth(headers ?? {}),
      encode: principal,
    });
  }
  if (visible !== undefined) {
    registry.fix(native.VISIBLE, {
      subject: 'visibility',
      call: ({ kind, names }: { kind: 'tools'; names: string[] }, cx: Context) => visible(cx, kind, names),
      encode: (names) => stringify([...(names as Iterable<string>)], 'visible'),
    });
  }
}

/** Only an explicit subject lets a caller in: false, null, `{ authenticated: false }` and the like do not (X12). */
function principal(given: unknown): string {
  const { subject, client, scopes, claims } = (typeof given === 'object' && given !== null ? given : {}) as Record<
    string,
    unknown
  >;
  if (typeof subject !== 'string' || subject === '') throw new Refused('The credentials were refused');
  return stringify(
    { subject, client: client ?? undefined, scopes: scopes ?? undefined, claims: claims ?? undefined },
    'principal',
  );
}

/** Calls an observer, whose failures are logged and change nothing. */
export function observer<T>(
  function_: ((value: T) => unknown) | undefined,
  read: (value: never) => T,
): ((value: unknown) => void) | undefined {
  if (function_ === undefined) return undefined;
  const failed = (error: unknown) => log(ERROR, 'an observer failed', error);
  return (value) => {
    try {
      const done = function_(read(value as never));
      if (typeof (done as PromiseLike<unknown> | undefined)?.then === 'function') {
        (done as PromiseLike<unknown>).then(undefined, failed);
      }
    } catch (error) {
      failed(error);
    }
  };
}
