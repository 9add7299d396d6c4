/**
 * What the other parts of the package may do with a server, and nobody else.
 *
 * @module
 */

import type { Engine } from '../native';

/** `server[pumpOf]()` gives the pump of the server at work; it is started when it is not. */
export const pumpOf: unique symbol = Symbol('omniport.pump');

/** `server[engineOf]()` gives the native engine of the server at work; a client of another copy of the package may ask for it, too. */
export const engineOf: unique symbol = Symbol.for('omniport.engine') as never;

/** A server that clients of the same process can use. */
export interface Hosted {
  readonly name: string;
  [engineOf](): Engine;
}
