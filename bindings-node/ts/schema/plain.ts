/**
 * Plain JSON Schema, TypeBox's included: published as it is given, checked by the core alone.
 *
 * @module
 */

import { isLibrary } from './detect';
import { setMember } from './shapes';
import { type Json, refusal, type Side } from './walk';

/** Nesting at which a schema counts as endless; the core's own bound is far below. */
const MAX_DEPTH = 200;

/** Keywords by which an object is known as a JSON Schema, and what their values look like. */
const KEYWORDS: Record<string, (value: unknown) => boolean> = {
  type: (value) =>
    typeof value === 'string' || (Array.isArray(value) && value.every((name) => typeof name === 'string')),
  properties: isObject,
  patternProperties: isObject,
  additionalProperties: (value) => typeof value === 'boolean' || isObject(value),
  required: Array.isArray,
  $schema: isText,
  $ref: isText,
  $id: isText,
  $defs: isObject,
  anyOf: Array.isArray,
  oneOf: Array.isArray,
  allOf: Array.isArray,
  enum: Array.isArray,
  const: () => true,
  not: isObject,
  if: isObject,
  items: (value) => typeof value === 'boolean' || isObject(value),
  prefixItems: Array.isArray,
};

/** Whether it says something about values in the words of JSON Schema. */
export function isJsonSchema(given: object): boolean {
  return Object.entries(KEYWORDS).some(
    ([keyword, fits]) => Object.hasOwn(given, keyword) && fits((given as Json)[keyword]),
  );
}

/** A copy with nothing in it that JSON does not have; what a library keeps on the object for itself is left out. */
export function copyPlain(given: object, side: Side, subject: string): Json {
  return copy(given, '', 0) as Json;

  function copy(value: unknown, place: string, depth: number): unknown {
    if (isLibrary(value)) {
      throw refusal(
        subject,
        side,
        place,
        'is a schema of a library inside a JSON Schema; make the whole schema with one of them',
      );
    }
    if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) {
      return value;
    }
    if (depth > MAX_DEPTH) {
      throw refusal(subject, side, '', 'does not end: it contains itself; use $defs and $ref');
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => copy(item, `${place}[${index}]`, depth + 1));
    }
    if (!isObject(value) || value instanceof RegExp || value instanceof Date) {
      throw refusal(
        subject,
        side,
        place,
        `is no JSON: ${value instanceof RegExp ? 'write the source of an expression' : String(value)}`,
      );
    }
    const result: Json = {};
    for (const [name, member] of Object.entries(value)) {
      if (member !== undefined && !name.startsWith('~')) {
        setMember(result, name, copy(member, place === '' ? name : `${place}.${name}`, depth + 1));
      }
    }
    return result;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
