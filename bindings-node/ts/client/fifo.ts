/**
 * A queue: an array whose `shift` moves all that is behind would make a flood cost its square.
 *
 * @module
 */

/** First in, first out. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #first = 0;

  /** How many wait. */
  get size(): number {
    return this.#items.length - this.#first;
  }

  /** Adds one at the end. */
  push(item: T): void {
    this.#items.push(item);
  }

  /** Takes the first one; undefined when there is none. */
  shift(): T | undefined {
    if (this.#first === this.#items.length) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first++] = undefined;
    if (this.#first === this.#items.length) {
      this.#items = [];
      this.#first = 0;
    } else if (this.#first > 1024 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
