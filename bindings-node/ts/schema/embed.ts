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
  const kept = { ...(definitions as Json), ...($defs as Json) };
  const names = new Map<string, string>();
  const places = Object.keys(kept).map((name) => {
    const place = walk.define(name);
    names.set(`#/$defs/${name}`, place.$ref);
    names.set(`#/definitions/${name}`, place.$ref);
    return { place, body: kept[name] as Json };
  });
  if (walk.embedded && refersToRoot(json)) {
    const place = walk.define('Schema');
    names.set('#', place.$ref);
    places.push({ place, body: root });
  }
  for (const { place, body } of places) {
    place.put(copy(body, names) as Json);
  }
  const own = names.get('#');
  return own === undefined ? (copy(root, names) as Json) : { $ref: own };
}

function refersToRoot(json: unknown): boolean {
  return typeof json === 'object' && json !== null && Object.entries(json).some(([key, value]) => (key === '$ref' && value === '#') || refersToRoot(value));
}

/** Keywords whose members are schemas by name, and keywords that hold data. */
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
const DATA = new Set(['const', 'enum', 'default', 'examples']);

function copy(json: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(json)) {
    return json.map((item) => copy(item, names));
  }
  if (typeof json !== 'object' || json === null) {
    return json;
  }
  const result: Json = {};
  for (const [keyword, value] of Object.entries(json)) {
    if (keyword === '$ref' && typeof value === 'string') {
      result.$ref = names.get(value) ?? value;
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
        setMember(members, name, copy(member, names));
      }
      result[keyword] = members;
    } else if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)) {
      // `undefined` is no branch: JSON does not have it.
      result[keyword] = value.filter((branch) => !isNothing(branch)).map((branch) => copy(branch, names));
    } else {
      result[keyword] = copy(value, names);
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
