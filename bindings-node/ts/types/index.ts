/**
 * The protocol's types, for those who write servers, clients and hosts; nothing of this module is there at run time.
 *
 * One set of types reads every revision of the specification. Members have the protocol's spelling, and one that some revision lacks
 * is optional. The types name what is known; a message keeps all it has:
 *
 * - Unknown members stay in the object. {@link Open} lets one read and write them.
 * - An enumeration takes any text, its known ones are offered by editors ({@link Role}, {@link LoggingLevel}).
 * - A union lists the known kinds, told apart by a constant member ({@link ContentBlock} by `type`). A kind of a later revision
 *   reaches the `default` of a `switch`.
 *
 * The specification: https://modelcontextprotocol.io/specification/2026-07-28/schema.
 *
 * @module
 */

export type * from './models';

/**
 * A model with members that it does not name, as vendors and later revisions add them.
 *
 * @example
 * ```ts
 * const tool: Open<Tool> = { name: 'add', inputSchema: { type: 'object' }, 'example.com/cost': 3 };
 * ```
 */
export type Open<Model> = Model & { [member: string]: unknown };
