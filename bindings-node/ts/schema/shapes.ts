/**
 * The JSON Schemas of shapes that libraries share: choices, unions, tuples, intersections.
 *
 * @module
 */

import type { Json } from './walk';

/** What no value fits: how `undefined`, which JSON has not, is written. */
export const NOTHING: Json = { not: {} };

/** Whether no value fits. */
export function isNothing(json: Json): boolean {
  const { not } = json;
  return typeof not === 'object' && not !== null && Object.keys(not).length === 0;
}

/** One of some values; `null` stands apart only by its type. */
export function choices(values: unknown[]): Json {
  if (values.length === 0) {
    return NOTHING;
  }
  const kinds = new Set(values.map(kindOf));
  const type = kinds.size === 1 ? { type: [...kinds][0] } : {};
  if (kinds.has('null') && kinds.size === 1) {
    return type;
  }
  return values.length === 1 ? { ...type, const: values[0] } : { ...type, enum: values };
}

function kindOf(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/**
 * One of some forms. Always `anyOf`: hosts and models that do not know `oneOf` know it, and forms told apart by a constant exclude
 * each other anyway.
 */
export function union(branches: Json[]): Json {
  const flat = branches.filter((branch) => !isNothing(branch)).flatMap(alternatives);
  const distinct = [...new Map(flat.map((branch) => [JSON.stringify(branch), branch])).values()];
  if (distinct.length === 0) {
    return NOTHING;
  }
  if (distinct.length === 1 && distinct[0] !== undefined) {
    return distinct[0];
  }
  const values = distinct.map(constants);
  return values.every((list) => list !== null) ? choices(values.flat()) : { anyOf: distinct };
}

function alternatives(branch: Json): Json[] {
  return Array.isArray(branch.anyOf) && Object.keys(branch).length === 1 ? (branch.anyOf as Json[]) : [branch];
}

/** The values of a branch that is nothing but constants, else null. */
function constants(branch: Json): unknown[] | null {
  const others = Object.keys(branch).filter((key) => key !== 'type' && key !== 'const' && key !== 'enum');
  if (others.length > 0) {
    return null;
  }
  if ('const' in branch) {
    return [branch.const];
  }
  return Array.isArray(branch.enum) ? branch.enum : null;
}

/** Items in order; those from `least` on may be left out. `rest`: what may follow, null for nothing. */
export function tuple(items: Json[], least: number, rest: Json | null): Json {
  const json: Json = { type: 'array' };
  if (items.length > 0) {
    json.prefixItems = items;
  }
  if (least > 0) {
    json.minItems = least;
  }
  if (rest === null) {
    json.items = false;
    json.maxItems = items.length;
  } else {
    json.items = rest;
  }
  return json;
}

/**
 * Both at once. Two objects become one, since `additionalProperties: false` in one branch of an `allOf` would refuse the members of
 * the other.
 */
export function intersection(left: Json, right: Json): Json {
  return mergedObjects(left, right) ?? closedAround([left, right]);
}

const OBJECT_KEYWORDS = new Set(['type', 'properties', 'required', 'additionalProperties']);

function mergedObjects(left: Json, right: Json): Json | null {
  if (![left, right].every(isPlainObject)) {
    return null;
  }
  const properties: Json = { ...(left.properties as Json) };
  for (const [name, json] of Object.entries((right.properties as Json) ?? {})) {
    const other = Object.hasOwn(properties, name) ? (properties[name] as Json) : null;
    const same = other === null || JSON.stringify(other) === JSON.stringify(json);
    setMember(properties, name, same ? json : intersection(other as Json, json as Json));
  }
  const required = [...new Set([...((left.required as string[]) ?? []), ...((right.required as string[]) ?? [])])];
  const merged: Json = { type: 'object', properties };
  if (required.length > 0) {
    merged.required = required;
  }
  if (left.additionalProperties === false && right.additionalProperties === false) {
    merged.additionalProperties = false;
  }
  return merged;
}

function isPlainObject(json: Json): boolean {
  const { additionalProperties } = json;
  const open = additionalProperties === undefined || additionalProperties === false;
  return (
    json.type === 'object' && 'properties' in json && open && Object.keys(json).every((key) => OBJECT_KEYWORDS.has(key))
  );
}

function closedAround(branches: Json[]): Json {
  const closed = branches.every((branch) => branch.additionalProperties === false);
  const opened = branches.map((branch) => {
    const { additionalProperties, ...rest } = branch;
    return additionalProperties === false ? rest : branch;
  });
  return closed ? { allOf: opened, unevaluatedProperties: false } : { allOf: opened };
}

/** Sets a member whatever its name is, `__proto__` included. */
export function setMember(target: Json, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[name] = value;
  }
}

/** A default as JSON, or undefined when it has no JSON form or is another one each time (a clock, an identifier). */
export function defaultOf(make: () => unknown): { default: unknown } | undefined {
  try {
    const [first, second] = [make(), make()].map((value) => JSON.stringify(value, defaultMember));
    return first === undefined || first !== second ? undefined : { default: JSON.parse(first) };
  } catch {
    return undefined;
  }
}

function defaultMember(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    if (Number.isSafeInteger(number)) {
      return number;
    }
    throw new TypeError('no JSON number');
  }
  if (value instanceof Set) {
    return [...value];
  }
  return value instanceof Map ? Object.fromEntries(value) : value;
}
