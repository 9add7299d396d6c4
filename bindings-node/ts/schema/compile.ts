/**
 * From what users give to what the server needs: a JSON Schema for the wire, and a parser.
 *
 * @module
 */

import { DefinitionError } from '../errors';
import { isLibrary } from './detect';
import { validator, write } from './member';
import { copyPlain, isJsonSchema } from './plain';
import { type Parse, parseBy } from './problems';
import { describeRecord, type Members, parseRecord } from './record';
import { objectRoot } from './root';
import { isNothing } from './shapes';
import { type Json, refusal, type Side, Walk } from './walk';

/** A schema, ready for use. */
export interface CompiledSchema {
  /** For the wire: what goes into an input schema, what comes out of an output schema. */
  json: Json;
  /**
   * Makes of a value what comes out of the schema: defaults filled in, transformed. Throws or rejects with `SchemaProblems`. It checks
   * all that `json` says and more, and takes some values that `json` does not (`z.coerce`, `z.preprocess`), so that a tool with a
   * parser is registered as `unchecked`. Null: the check of the core is all there is to do.
   */
  parse: Parse | null;
}

/**
 * Reads a schema of a library, a record of such schemas, or a JSON Schema.
 *
 * @param side "input": of arguments, whose root has to be an object; "output": of results
 * @param subject how errors name what the schema is for: "tool `add`"
 * @throws DefinitionError when it is none of these, or describes values that JSON does not have. An empty schema is never made of
 *   something that was not understood (Z01, Z04).
 */
export function compile(given: unknown, side: Side, subject: string): CompiledSchema {
  const schema = describe(given, side, subject);
  if (side === 'input') {
    return { ...schema, json: objectRoot(schema.json, subject) };
  }
  if (isNothing(schema.json)) {
    throw refusal(subject, side, '', 'fits no value of JSON; a tool that returns nothing has no output schema');
  }
  return schema;
}

/** The same without a rule for the root. */
export function describe(given: unknown, side: Side, subject: string): CompiledSchema {
  if (isLibrary(given)) {
    const walk = new Walk(side, subject);
    return { json: walk.finish(write(given, walk)), parse: parseBy(validator(given)) };
  }
  if (given === true) {
    return { json: {}, parse: null };
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw unsupported(given, side, subject);
  }
  const names = Object.keys(given);
  const foreign = names.filter((name) => !isLibrary((given as Json)[name]));
  // TypeBox writes "anything" as an object whose only mark is a symbol.
  const marked = names.length === 0 && isBare(given) && Object.getOwnPropertySymbols(given).length > 0;
  if (foreign.length === 0 && !marked && (names.length > 0 || isBare(given))) {
    return { json: describeRecord(given as Members, side, subject), parse: parseRecord(given as Members) };
  }
  if (foreign.length < names.length) {
    throw new DefinitionError(
      `${subject}: \`${foreign[0]}\` of the ${side} schema is no supported schema, but other members are; a record has schemas of libraries only`,
    );
  }
  if (isJsonSchema(given) || marked) {
    return { json: copyPlain(given, side, subject), parse: null };
  }
  throw unsupported(given, side, subject);
}

function isBare(given: object): boolean {
  const prototype = Object.getPrototypeOf(given);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function unsupported(given: unknown, side: Side, subject: string): DefinitionError {
  const members = typeof given === 'object' && given !== null ? Object.values(given) : [];
  const remedy =
    members.length > 0 &&
    members.every((member) => typeof member === 'object' && member !== null && isJsonSchema(member))
      ? '; JSON Schemas of members stand inside of one: { type: "object", properties: { ... } }'
      : '; give a schema of zod, valibot, arktype or another library of Standard Schema, a record of such schemas, or a JSON Schema';
  return new DefinitionError(`${subject}: the ${side} schema is not a supported schema, but ${words(given)}${remedy}`);
}

function words(given: unknown): string {
  if (typeof given === 'function') {
    return `the function \`${given.name || 'anonymous'}\``;
  }
  if (typeof given !== 'object' || given === null) {
    return typeof given === 'string' ? JSON.stringify(given) : String(given);
  }
  if (Array.isArray(given)) {
    return 'a list';
  }
  const names = Object.keys(given).slice(0, 5).join(', ');
  const kind = isBare(given) ? 'an object' : `a ${given.constructor?.name || 'class'}`;
  return names === '' ? `${kind} without members` : `${kind} with the members ${names}`;
}
