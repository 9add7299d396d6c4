/**
 * What the other parts of the package may do with a server, and nobody else.
 *
 * @module
 */

/** `server[pumpOf]()` gives the pump of the server at work; it is started when it is not. */
export const pumpOf: unique symbol = Symbol('omniport.pump');
