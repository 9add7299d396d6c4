/** Expected values: JSON with a few matchers, and values that are caught in one step and used in another. */

import { encode, isObject, type JsonObject, Spelled } from './json.js';

export type Bindings = JsonObject;

/** Members that are no matchers: `$closed` belongs to its object, the others are words of JSON Schema. */
const LITERAL = ['$closed', '$schema', '$defs'];
/** What is found where there is nothing. */
const NOTHING = Symbol('nothing');
const WHOLE = /^\$\{([^${}:]*)\}$/;
const PART = /\$\{([^}]*)\}/g;

/** Names the place and both sides. */
export class Mismatch extends Error {}

/** Throws a Mismatch where the value is not as the pattern says. */
export function check(pattern: unknown, actual: unknown, bindings: Bindings, path = ''): void {
  if (isObject(pattern) && Object.keys(pattern).some((key) => key.startsWith('$') && !LITERAL.includes(key))) {
    for (const [name, argument] of Object.entries(pattern)) matcher(name, argument, actual, bindings, path);
  } else if (actual === NOTHING) {
    throw new Mismatch(`${path}: expected ${shown(pattern)}, found nothing`);
  } else if (isObject(pattern) && isObject(actual)) {
    checkObject(pattern, actual, bindings, path);
  } else if (Array.isArray(pattern) && Array.isArray(actual)) {
    if (pattern.length !== actual.length) {
      throw new Mismatch(`${path}: expected ${pattern.length} items, found ${actual.length}: ${shown(actual)}`);
    }
    pattern.forEach((expected, index) => {
      check(expected, actual[index], bindings, `${path}[${index}]`);
    });
  } else if (!same(pattern, actual)) {
    throw new Mismatch(`${path}: expected ${shown(pattern)}, found ${shown(actual)}`);
  }
}

function matches(pattern: unknown, actual: unknown, bindings: Bindings, path: string): boolean {
  try {
    check(pattern, actual, bindings, path);
    return true;
  } catch (error) {
    if (error instanceof Mismatch) return false;
    throw error;
  }
}

/** Equal as JSON: integers exactly, other numbers by value. */
function same(a: unknown, b: unknown): boolean {
  if (a instanceof Spelled) return (b instanceof Spelled || typeof b === 'number') && a.equals(b);
  if (b instanceof Spelled) return same(b, a);
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => key in b && same(a[key], b[key]));
  }
  return a === b;
}

/** Objects are open: members that the pattern does not name may be there, unless it says `$closed`. */
function checkObject(expected: JsonObject, found: JsonObject, bindings: Bindings, path: string): void {
  for (const [key, pattern] of Object.entries(expected)) {
    if (key !== '$closed') check(pattern, Object.hasOwn(found, key) ? found[key] : NOTHING, bindings, `${path}.${key}`);
  }
  const extra = Object.keys(found).find((key) => !Object.hasOwn(expected, key));
  if (expected.$closed === true && extra !== undefined) {
    throw new Mismatch(`${path}: the member \`${extra}\` should not be there`);
  }
}

function matcher(name: string, argument: unknown, actual: unknown, bindings: Bindings, path: string): void {
  if (name === '$each' && actual !== NOTHING) {
    array(actual, path).forEach((item, index) => {
      check(argument, item, bindings, `${path}[${index}]`);
    });
  } else if (name === '$contains' && actual !== NOTHING) {
    checkContains(argument as unknown[], array(actual, path), bindings, path);
  } else if (!holds(name, argument, actual, bindings, path)) {
    throw new Mismatch(`${path}: expected ${name} ${shown(argument)}, found ${shown(actual)}`);
  }
}

function holds(name: string, argument: unknown, actual: unknown, bindings: Bindings, path: string): boolean {
  if (name === '$absent') return (argument === true) === (actual === NOTHING);
  if (actual === NOTHING) return false;
  const texts = (Array.isArray(argument) ? argument : [argument]) as string[];
  switch (name) {
    case '$any':
      return true;
    case '$bind':
      bindings[argument as string] = actual;
      return true;
    case '$ref':
      return (argument as string) in bindings && same(bindings[argument as string], actual);
    case '$type':
      return isOfType(argument as string, actual);
    case '$has':
      return typeof actual === 'string' && texts.every((text) => actual.includes(text));
    case '$lacks':
      return typeof actual === 'string' && !texts.some((text) => actual.includes(text));
    case '$starts':
      return typeof actual === 'string' && texts.every((text) => actual.startsWith(text));
    case '$length':
      return sizeOf(actual) === argument;
    case '$min_length':
      return (sizeOf(actual) ?? -1) >= (argument as number);
    case '$not':
      return !matches(argument, actual, bindings, path);
    case '$excludes':
      return !array(actual, path).some((item) => matches(argument, item, bindings, path));
    default:
      throw new Error(`${path}: unknown matcher ${name}`);
  }
}

/** Each pattern matches some item, and no item two of them. */
function checkContains(patterns: unknown[], items: unknown[], bindings: Bindings, path: string): void {
  const left = [...items];
  for (const pattern of patterns) {
    const place = left.findIndex((item) => matches(pattern, item, bindings, path));
    if (place < 0) throw new Mismatch(`${path}: no item matches ${shown(pattern)}: ${shown(items)}`);
    left.splice(place, 1);
  }
}

function array(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw new Mismatch(`${path}: expected an array, found ${shown(value)}`);
  return value;
}

/** Characters of a text, items, members. */
function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return value instanceof Spelled ? /^-?\d+$/.test(value.text) : Number.isInteger(value);
    case 'number':
      return value instanceof Spelled || typeof value === 'number';
    default:
      return typeof value === type;
  }
}

function shown(value: unknown): string {
  return value === NOTHING ? 'nothing' : encode(value).slice(0, 3000);
}

/** Puts values in: `"${name}"` becomes the value itself, `${name}` inside a longer text its text, `${repeat:text:times}` a long text. */
export function fill(value: unknown, bindings: Bindings): unknown {
  if (typeof value === 'string') {
    const whole = WHOLE.exec(value)?.[1];
    return whole === undefined ? fillText(value, bindings) : bound(whole, bindings);
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, bindings));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [fillText(key, bindings), fill(item, bindings)]),
  );
}

function fillText(text: string, bindings: Bindings): string {
  return text.replace(PART, (_, name: string) => {
    if (name.startsWith('repeat:')) {
      const end = name.lastIndexOf(':');
      return name.slice('repeat:'.length, end).repeat(Number(name.slice(end + 1)));
    }
    const value = bound(name, bindings);
    return typeof value === 'string' ? value : encode(value);
  });
}

function bound(name: string, bindings: Bindings): unknown {
  if (!Object.hasOwn(bindings, name)) throw new Error(`nothing is kept under the name ${name}`);
  return bindings[name];
}
