/**
 * JSON text of values, and values of marked payloads: integers that a JavaScript number cannot hold stay what they are.
 *
 * @module
 */

import { Buffer } from 'node:buffer';

import type { Path } from '../native';

/**
 * Puts the integers that the addon has marked (as strings of digits) where they belong. Changes `value` in place.
 *
 * @param paths where they stand; the empty path is the value itself
 * @param asBigint false: as numbers, rounded
 */
export function revive(value: unknown, paths: Path[] | undefined, asBigint: boolean): unknown {
  if (paths === undefined) return value;
  const convert = asBigint ? BigInt : Number;
  let whole = value;
  for (const path of paths) {
    const last = path[path.length - 1];
    if (last === undefined) {
      whole = convert(whole as string);
      continue;
    }
    let holder = whole as Record<string | number, unknown>;
    for (let at = 0; at < path.length - 1; at++) holder = holder[path[at] as string] as typeof holder;
    holder[last] = convert(holder[last] as string);
  }
  return whole;
}

/**
 * JSON text of any value. What JSON.stringify would lose silently has a rule here:
 *
 * - `bigint` is written as an integer, with all its digits;
 * - `NaN` and infinities, an invalid Date, a Map with keys that are no text, a promise, and a value that contains itself are errors, which
 *   name the place;
 * - a Map is an object, a Set or another iterable an array, bytes (Uint8Array, ArrayBuffer) base64 text, other typed arrays arrays;
 * - what has `toJSON` is what that gives (a Date its ISO text); an object with nothing in it but a text of its own (RegExp, URLSearchParams,
 *   Error) is that text;
 * - half surrogate pairs become U+FFFD, because strict peers refuse them;
 * - members that are undefined, functions or symbols are left out, and are null in an array, as in JSON.stringify.
 *
 * @param root what errors call the value
 * @throws TypeError that names the place: `` `result.rows[3].price` is NaN, which JSON cannot hold ``
 */
export function stringify(value: unknown, root = 'value'): string {
  if (isOrdinary(value, 0)) {
    const text = JSON.stringify(value);
    if (!text.includes('\\ud')) return text;
  }
  const text = write(value, [root], []);
  if (text === undefined) throw new TypeError(`\`${root}\` is ${describe(value)}, which JSON cannot hold`);
  return text;
}

/** Deeper values go the careful way, which finds out whether they contain themselves. */
const ORDINARY_DEPTH = 32;

/** Whether JSON.stringify loses nothing of it; the cheap question that nearly all values pass. */
function isOrdinary(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'undefined':
      return depth > 0;
    case 'object': {
      if (value === null) return true;
      if (depth === ORDINARY_DEPTH) return false;
      if (Array.isArray(value)) {
        for (let at = 0; at < value.length; at++) if (!isOrdinary(value[at], depth + 1)) return false;
        return true;
      }
      const prototype = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) return false;
      for (const name in value) if (!isOrdinary((value as Record<string, unknown>)[name], depth + 1)) return false;
      return true;
    }
    default:
      return false;
  }
}

/** The text, or undefined for what has none; `path` names the place, `above` are the objects around it. */
function write(value: unknown, path: (string | number)[], above: object[]): string | undefined {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(whole(value));
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) throw refused(path, String(value));
      return JSON.stringify(value);
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? 'null' : writeObject(value, path, above);
    default:
      return undefined;
  }
}

function writeObject(value: object, path: (string | number)[], above: object[]): string | undefined {
  if (above.includes(value)) throw new TypeError(`\`${place(path)}\` contains itself, which JSON cannot hold`);
  above.push(value);
  try {
    if (Array.isArray(value)) return writeItems(value, path, above);
    if (value instanceof Date && Number.isNaN(value.getTime())) throw refused(path, 'an invalid Date');
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return writeBytes(new Uint8Array(value));
    if (value instanceof Uint8Array || value instanceof Uint8ClampedArray) return writeBytes(value);
    const toJson = (value as { toJSON?: unknown }).toJSON;
    if (typeof toJson === 'function') return write(toJson.call(value, String(path[path.length - 1])), path, above);
    if (value instanceof String || value instanceof Number || value instanceof Boolean || value instanceof BigInt) {
      return write(value.valueOf(), path, above);
    }
    if (value instanceof Map) return writeMap(value, path, above);
    if (typeof (value as { then?: unknown }).then === 'function') throw refused(path, 'a promise, not yet awaited');
    if (hasOnlyText(value)) return JSON.stringify(whole(String(value)));
    if (typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function') {
      return writeItems([...(value as Iterable<unknown>)], path, above);
    }
    return writeMembers(value, path, above);
  } finally {
    above.pop();
  }
}

function writeItems(items: readonly unknown[], path: (string | number)[], above: object[]): string {
  const at = path.length;
  const texts: string[] = [];
  for (let index = 0; index < items.length; index++) {
    path[at] = index;
    texts.push(write(items[index], path, above) ?? 'null');
  }
  path.length = at;
  return `[${texts.join()}]`;
}

function writeMembers(value: object, path: (string | number)[], above: object[]): string {
  const at = path.length;
  const texts: string[] = [];
  for (const name of Object.keys(value)) {
    path[at] = name;
    const text = write((value as Record<string, unknown>)[name], path, above);
    if (text !== undefined) texts.push(`${JSON.stringify(whole(name))}:${text}`);
  }
  path.length = at;
  return `{${texts.join()}}`;
}

function writeMap(map: Map<unknown, unknown>, path: (string | number)[], above: object[]): string {
  const at = path.length;
  const texts: string[] = [];
  for (const [key, item] of map) {
    if (typeof key !== 'string') throw refused(path, `a Map with a key that is ${describe(key)} and no text`);
    path[at] = key;
    const text = write(item, path, above);
    if (text !== undefined) texts.push(`${JSON.stringify(whole(key))}:${text}`);
  }
  path.length = at;
  return `{${texts.join()}}`;
}

function writeBytes(bytes: Uint8Array | Uint8ClampedArray): string {
  return `"${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}"`;
}

/** Whether all its members are hidden, and its text says more than `[object Object]`: then the text is what there is to tell. */
function hasOnlyText(value: object): boolean {
  const text = (value as { toString?: unknown }).toString;
  if (typeof text !== 'function' || text === Object.prototype.toString) return false;
  return !ArrayBuffer.isView(value) && Object.keys(value).length === 0;
}

/** Text without half surrogate pairs. */
export function whole(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** `result.rows[3].price` */
function place(path: readonly (string | number)[]): string {
  return path
    .map((part, at) => {
      if (at === 0) return part;
      if (typeof part === 'number') return `[${part}]`;
      return /^[A-Za-z_$][\w$]*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
    })
    .join('');
}

function refused(path: readonly (string | number)[], what: string): TypeError {
  return new TypeError(`\`${place(path)}\` is ${what}, which JSON cannot hold`);
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
