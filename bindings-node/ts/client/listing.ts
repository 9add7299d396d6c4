/**
 * What a server lists: all of it, or page by page.
 *
 * @module
 */

import { InvalidRequest } from '../errors';

/** One page. */
interface Page<T> {
  items: T[];
  next: string | undefined;
}

/**
 * A list of a server. Awaited, it is all items of all pages; iterated over by `for await`, it is asked for page by page, and no further
 * than one goes. Nothing is asked before either; what is awaited twice is asked once.
 */
export class Listing<T> implements PromiseLike<T[]>, AsyncIterable<T> {
  readonly #whole: () => Promise<T[]>;
  readonly #page: (cursor: string | undefined) => PromiseLike<Page<T>>;
  #asked: Promise<T[]> | undefined;

  /** @internal */
  constructor(whole: () => Promise<T[]>, page: (cursor: string | undefined) => PromiseLike<Page<T>>) {
    this.#whole = whole;
    this.#page = page;
  }

  get [Symbol.toStringTag](): string {
    return 'Listing';
  }

  // biome-ignore lint/suspicious/noThenProperty: being awaited is what it is for
  then<A = T[], B = never>(
    fulfilled?: ((items: T[]) => A | PromiseLike<A>) | null,
    rejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#asked ??= this.#whole();
    return this.#asked.then(fulfilled, rejected);
  }

  catch<B = never>(rejected?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<T[] | B> {
    return this.then(null, rejected);
  }

  finally(done?: (() => void) | null): Promise<T[]> {
    return this.then().finally(done);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const seen = new Set<string>();
    let cursor: string | undefined;
    for (;;) {
      const page = await this.#page(cursor);
      yield* page.items;
      cursor = page.next;
      if (cursor === undefined) return;
      if (seen.has(cursor)) throw new InvalidRequest('the pages of the listing lead round in circles'); // T06
      seen.add(cursor);
    }
  }
}
