/**
 * What a middleware put into `AsyncLocalStorage` is seen by the handlers of its request, and by no other's (H15).
 *
 * @module
 */

import { AsyncLocalStorage, AsyncResource, executionAsyncResource } from 'node:async_hooks';

/** Runs a function where a request came in. */
export type Within = <R>(run: () => R) => R;

/**
 * The context that is current now, or null where no storage has a value: a call whose context nobody looks at costs nothing.
 */
export function captureContext(): Within | null {
  if (storesAreVisible() && !hasStore(executionAsyncResource())) return null;
  // Not `AsyncLocalStorage.snapshot`: Node 20.0 has none.
  const resource = new AsyncResource('OmniportRequest', { requireManualDestroy: true });
  return (run) => resource.runInAsyncScope(run);
}

const DESCRIPTION = 'kResourceStore';

/** Whether some storage has a value in the execution that `resource` stands for. */
function hasStore(resource: object): boolean {
  return Object.getOwnPropertySymbols(resource).some(
    (symbol) => symbol.description === DESCRIPTION && (resource as Record<symbol, unknown>)[symbol] !== undefined,
  );
}

let visible: boolean | undefined;

/**
 * Whether this runtime keeps stores where {@link hasStore} looks, as Node does up to 22. Tried out rather than told by a version:
 * elsewhere every request has its context captured.
 */
function storesAreVisible(): boolean {
  if (visible === undefined) {
    const probe = new AsyncLocalStorage<true>();
    const before = hasStore(executionAsyncResource());
    visible = before || probe.run(true, () => hasStore(executionAsyncResource()));
    probe.disable(); // a storage in use slows every promise of a process down
  }
  return visible;
}
