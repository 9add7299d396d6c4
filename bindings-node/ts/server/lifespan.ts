/**
 * What lives as long as a server does: a pool of connections, a cache.
 *
 * @module
 */

import type { Entered } from './pump';
import type { Server } from './server';

/**
 * Runs before the first call; what it gives is `cx.lifespan`. How it ends:
 *
 * - an async generator goes on after its one `yield`:
 *   `async function* () { const db = await open(); try { yield { db } } finally { await db.close() } }`;
 * - what has `[Symbol.asyncDispose]` or `[Symbol.dispose]` is disposed of;
 * - anything else just ends.
 */
export type Lifespan<L> = (app: Server) => L | PromiseLike<L> | AsyncGenerator<L, void, void>;

/** Enters it; without a promise when there is none to wait for. */
export function enter(lifespan: Lifespan<unknown> | undefined, app: Server): Entered | Promise<Entered> {
  if (lifespan === undefined) return { value: undefined, leave: () => {} };
  const given = lifespan(app);
  if (isGenerator(given)) return first(given);
  return isPromise(given) ? given.then(held) : held(given);
}

async function first(generator: AsyncGenerator<unknown, void, void>): Promise<Entered> {
  const { value, done } = await generator.next();
  if (done)
    throw new TypeError('the lifespan is a generator that yields nothing; it yields what handlers see as cx.lifespan');
  return { value, leave: () => generator.next() };
}

function held(given: unknown): Entered {
  if (typeof given !== 'object' || given === null) return { value: given, leave: () => {} };
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = given as Partial<AsyncDisposable & Disposable>;
  return { value: given, leave: () => (later ?? now)?.call(given) };
}

function isGenerator(given: unknown): given is AsyncGenerator<unknown, void, void> {
  return typeof given === 'object' && given !== null && Symbol.asyncIterator in given && 'next' in given;
}

function isPromise(given: unknown): given is Promise<unknown> {
  return typeof (given as { then?: unknown } | null | undefined)?.then === 'function';
}
