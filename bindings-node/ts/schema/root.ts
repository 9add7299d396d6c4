/**
 * The root of an input schema: arguments are an object, and `tools/list` says so.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool
 * @module
 */

import { DefinitionError } from '../errors';
import type { Json } from './walk';

/** The schema with `"type": "object"` at its root; a union of objects keeps its branches beside it (S12). */
export function objectRoot(json: Json, subject: string): Json {
  const other = otherThanObject(json, json, new Set());
  if (other !== null) {
    throw new DefinitionError(
      `${subject}: the input schema must be an object at its root, not ${other}: arguments have names, { value: ... }`,
    );
  }
  return json.type === 'object' ? json : { type: 'object', ...json };
}

/** What a schema takes that is no object; null when there is nothing of that kind. */
function otherThanObject(schema: unknown, root: Json, seen: Set<unknown>): string | null {
  if (schema === false) {
    return 'nothing at all';
  }
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) {
    return null;
  }
  seen.add(schema);
  const { type, $ref, const: constant, enum: values, anyOf, oneOf, allOf, not } = schema as Json;
  if (type !== undefined) {
    return type === 'object' ? null : `${JSON.stringify(type)}`;
  }
  if (constant !== undefined || Array.isArray(values)) {
    const other = [constant, ...((values as unknown[]) ?? [])].find(
      (value) => value !== undefined && typeof value !== 'object',
    );
    return other === undefined ? null : `${JSON.stringify(other)}`;
  }
  if (not !== undefined && typeof not === 'object' && not !== null && Object.keys(not).length === 0) {
    return 'nothing at all';
  }
  const branches = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (typeof $ref === 'string') {
    branches.push(resolve($ref, root));
  }
  for (const branch of branches) {
    const other = otherThanObject(branch, root, seen);
    if (other !== null) {
      return other;
    }
  }
  return null;
}

/** A part of the schema that a local reference leads to. */
function resolve(reference: string, root: Json): unknown {
  return reference
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((part, step) => (part as Json | undefined)?.[step], root);
}
