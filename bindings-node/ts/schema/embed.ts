/**
 * A JSON Schema that a library made, as a part of the one that is being written.
 *
 * @module
 */

import { portable } from './patterns';
import { isNothing, setMember } from './shapes';
import type { Json, Walk } from './walk';

/** The same without what is the dialect's anyway and without patterns that cannot be published; definitions move to the root. */
export function embed(json: Json, walk: Walk): Json {
  const { $schema: _, $defs, definitions, ...root } = json;
  const kept = Object.entries({ ...(definitions as Json), ...($defs as Json) });
  const places = new Map(kept.map(([name]) => [name, walk.define(name)]));
  const whole = walk.embedded && refersToRoot(json) ? walk.define('Schema') : undefined;
  const moved: Moved = (reference) => {
    const [, name, rest] = DEFINITION.exec(reference) ?? [];
    const place = name === undefined ? undefined : places.get(decoded(name));
    if (place) {
      return place.$ref + rest;
    }
    return whole && reference.startsWith('#') ? whole.$ref + reference.slice(1) : reference;
  };
  for (const [name, body] of kept) {
    places.get(name)?.put(copy(body, moved) as Json);
  }
  whole?.put(copy(root, moved) as Json);
  return whole ? { $ref: whole.$ref } : (copy(root, moved) as Json);
}

/** Where a reference leads from now on. */
type Moved = (reference: string) => string;

const DEFINITION = /^#\/(?:\$defs|definitions)\/([^/]+)(.*)$/;

function decoded(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function refersToRoot(json: unknown): boolean {
  if (typeof json !== 'object' || json === null) {
    return false;
  }
  const { $ref } = json as Json;
  const leads = typeof $ref === 'string' && $ref.startsWith('#') && !DEFINITION.test($ref);
  return leads || Object.values(json).some(refersToRoot);
}

/** Keywords whose members are schemas by name, and keywords that hold data. */
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
const DATA = new Set(['const', 'enum', 'default', 'examples']);

function copy(json: unknown, moved: Moved): unknown {
  if (Array.isArray(json)) {
    return json.map((item) => copy(item, moved));
  }
  if (typeof json !== 'object' || json === null) {
    return json;
  }
  const result: Json = {};
  for (const [keyword, value] of Object.entries(json)) {
    if (keyword === '$ref' && typeof value === 'string') {
      result.$ref = moved(value);
    } else if (keyword === 'pattern' && typeof value === 'string') {
      const pattern = portable(value);
      if (pattern !== undefined) {
        result.pattern = pattern;
      }
    } else if (DATA.has(keyword)) {
      result[keyword] = value;
    } else if (NAMED.has(keyword) && typeof value === 'object' && value !== null) {
      const members: Json = {};
      for (const [name, member] of Object.entries(value)) {
        setMember(members, name, copy(member, moved));
      }
      result[keyword] = members;
    } else if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)) {
      // `undefined` is no branch: JSON does not have it.
      result[keyword] = value.filter((branch) => !isNothing(branch)).map((branch) => copy(branch, moved));
    } else {
      result[keyword] = copy(value, moved);
    }
  }
  const [only, ...others] = Array.isArray(result.anyOf) ? result.anyOf : [];
  if (only !== undefined && others.length === 0) {
    delete result.anyOf;
    Object.assign(result, { ...(only as Json), ...result });
  }
  // Empty lists are valid, but older validators refuse them.
  if (Array.isArray(result.required) && result.required.length === 0) {
    delete result.required;
  }
  return result;
}
