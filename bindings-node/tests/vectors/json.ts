/** JSON without loss: numbers that JavaScript would spell otherwise (integers beyond 2^53, `2.0`) keep their text. */

/** A number as it was spelled. */
export class Spelled {
  constructor(readonly text: string) {}

  /** Whether it is the same number: integers exactly, others by value. */
  equals(other: Spelled | number): boolean {
    const text = other instanceof Spelled ? other.text : String(other);
    const areIntegers = [this.text, text].every((one) => /^-?\d+$/.test(one));
    return areIntegers ? BigInt(this.text) === BigInt(text) : Number(this.text) === Number(text);
  }
}

// A string is matched as a whole, so that no number is found inside one.
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARK = '\u0000spelled:';

/** Parses; throws what `JSON.parse` throws. */
export function parse(text: string): unknown {
  let isMarked = false;
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || String(Number(token)) === token) return token;
    isMarked = true;
    return JSON.stringify(MARK + token);
  });
  if (!isMarked) return JSON.parse(text);
  JSON.parse(text); // a number may have stood where none may, and been made a text that may stand there
  return JSON.parse(marked, (_, value) =>
    typeof value === 'string' && value.startsWith(MARK) ? new Spelled(value.slice(MARK.length)) : value,
  );
}

/** The text of a value on one line, with `Spelled` and `bigint` as they are. */
export function encode(value: unknown): string {
  if (value instanceof Spelled) return value.text;
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(encode).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${encode(member)}`).join(',')}}`;
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Spelled);
}
