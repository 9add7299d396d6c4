/**
 * Which calls end with which signal. One listener serves all calls of a signal, and goes with the last of them: ten thousand calls at
 * once are no leak, and must not look like one (Z10).
 *
 * @module
 */

/** What can be given up. */
export interface Abortable {
  aborted(reason: unknown): void;
}

interface Watch {
  calls: Set<Abortable>;
  listener: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/** Tells `call` when the signal is aborted. */
export function watch(signal: AbortSignal, call: Abortable): void {
  let watch = watches.get(signal);
  if (watch === undefined) {
    const calls = new Set<Abortable>();
    const listener = (): void => {
      watches.delete(signal);
      for (const call of [...calls]) call.aborted(signal.reason);
    };
    watch = { calls, listener };
    watches.set(signal, watch);
    signal.addEventListener('abort', listener, { once: true });
  }
  watch.calls.add(call);
}

/** The call is over. */
export function unwatch(signal: AbortSignal, call: Abortable): void {
  const watch = watches.get(signal);
  if (watch === undefined) return;
  watch.calls.delete(call);
  if (watch.calls.size === 0) {
    watches.delete(signal);
    signal.removeEventListener('abort', watch.listener);
  }
}
