/**
 * What changes at a server, as something to iterate over.
 *
 * @module
 */

import { Exchange } from './call';
import type { Connection } from './connection';
import type { Life } from './life';
import { request } from './request';
import { Stream } from './stream';

/** What changed at the server. */
export interface Change {
  /** Which list, or one resource; "missed": the connection was made anew, and anything may have changed. */
  kind: 'tools' | 'resources' | 'prompts' | 'resource' | 'missed' | 'ended';
  /** The resource. */
  uri?: string;
  /** Names of tools that are new, when the tools were listed before. */
  added?: string[];
  /** Names of tools that are gone. */
  removed?: string[];
  /** Names of tools whose description or schemas are different. */
  changed?: string[];
}

/** Which changes are wanted. Lists that are not named are, unless they are false. */
export interface ChangeFilter {
  tools?: boolean | undefined;
  resources?: boolean | undefined;
  prompts?: boolean | undefined;
  /** Resources, by their URIs. */
  uris?: Iterable<string> | undefined;
}

const LISTS = ['tools', 'resources', 'prompts'] as const;
const UNHEARD = 'nobody listens any more';

/** Ends subscriptions that nobody iterates over any more. */
const forgotten = new FinalizationRegistry<{ connection: WeakRef<Connection>; token: number }>(
  ({ connection, token }) => {
    connection.deref()?.native.cancel(token, UNHEARD);
  },
);

/**
 * The changes of a server from the first step of the iteration on.
 *
 * Changes that nobody took yet are gathered: of each list and each resource one waits at most. The iteration ends when the client is
 * closed by its user or the server ends the subscription; it throws `Closed` when the connection was lost for good.
 */
export class Changes extends Stream<Change> {
  readonly #life: Life;
  readonly #kinds: Set<string>;
  readonly #uris: Set<string>;
  readonly #waiting = new Map<string, Change>();
  #connection: Connection | undefined;
  #token = 0;

  /** @internal */
  constructor(life: Life, options: ChangeFilter) {
    super();
    this.#life = life;
    this.#kinds = new Set(LISTS.filter((kind) => options[kind] !== false));
    this.#uris = new Set(options.uris);
  }

  override next(): Promise<IteratorResult<Change, undefined>> {
    if (this.#connection === undefined && !this.isOver) this.#begin();
    return super.next();
  }

  override return(): Promise<IteratorResult<Change, undefined>> {
    this.#waiting.clear();
    return super.return();
  }

  /** @internal Something changed. */
  put(change: Change, token: number): void {
    if (change.kind === 'ended') {
      if (token === this.#token) this.end();
      return;
    }
    if (!this.#wants(change, token)) return;
    const key = `${change.kind} ${change.uri ?? ''}`;
    const before = this.#waiting.get(key);
    this.#waiting.set(key, before === undefined ? change : both(before, change));
    this.ring();
  }

  /** @internal The connection is over. */
  lost(error: unknown): void {
    super.end(error);
  }

  protected override take(): Change | undefined {
    for (const [key, change] of this.#waiting) {
      this.#waiting.delete(key);
      return change;
    }
    return undefined;
  }

  protected override end(error?: unknown): void {
    if (!this.isOver && this.#connection !== undefined) {
      forgotten.unregister(this);
      this.#connection.native.cancel(this.#token, UNHEARD);
    }
    super.end(error);
  }

  #wants({ kind, uri }: Change, token: number): boolean {
    if (kind === 'resource') return uri !== undefined && this.#uris.has(uri);
    return this.#kinds.has(kind) || (kind === 'missed' && (token === 0 || token === this.#token));
  }

  #begin(): void {
    const wanted: Record<string, unknown> = { uris: [...this.#uris] };
    for (const kind of this.#kinds) wanted[kind] = true;
    const subscribed = new Exchange<void>();
    subscribed.settleBy(
      () => {},
      (error) => super.end(subscribed.connection?.isClosing ? undefined : error),
    );
    subscribed.begin(this.#life, () => request('listen', wanted, () => {}));
    const { connection, token } = subscribed;
    if (connection === undefined) return;
    this.#connection = connection;
    this.#token = token;
    connection.changes.add(new WeakRef(this));
    forgotten.register(this, { connection: new WeakRef(connection), token }, this);
  }
}

/** Two changes of one list as one: what was added and removed again is neither. */
export function both(first: Change, then: Change): Change {
  if (first.added === undefined && then.added === undefined) return then;
  const of = (names: string[] | undefined): Set<string> => new Set(names);
  const [added, removed] = [of(first.added), of(first.removed)];
  const [addedThen, removedThen] = [of(then.added), of(then.removed)];
  const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();
  const isNew = [
    ...[...added].filter((name) => !removedThen.has(name)),
    ...[...addedThen].filter((name) => !removed.has(name)),
  ];
  const isGone = [
    ...[...removed].filter((name) => !addedThen.has(name)),
    ...[...removedThen].filter((name) => !added.has(name)),
  ];
  const again = [...removed].filter((name) => addedThen.has(name));
  const isChanged = [...of(first.changed), ...of(then.changed), ...again].filter(
    (name) => !removedThen.has(name) && !isNew.includes(name),
  );
  return { ...then, added: sorted(isNew), removed: sorted(isGone), changed: sorted(isChanged) };
}
