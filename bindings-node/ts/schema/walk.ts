/**
 * What every walk over a library's schema shares: the place it is at, recursion, and how it refuses.
 *
 * @module
 */

import { DefinitionError } from '../errors';

/** A JSON Schema being made. */
export type Json = Record<string, unknown>;

/** Which values are described: those that go into a schema, or those that come out. */
export type Side = 'input' | 'output';

/** Nesting at which a schema counts as endless: a lazy getter that makes a new schema each time never repeats itself. */
const MAX_DEPTH = 200;

/** One conversion. */
export class Walk {
  /** How many schemas so far turn values into other values; a default behind one of them is no value of the input. */
  transforms = 0;
  private readonly definitions = new Map<string, Json | undefined>();
  private readonly path: string[] = [];
  /** Schemas that are being written, outermost first, and the names of those that were referred to meanwhile. */
  private readonly open = new Map<object, string | null>();
  /** Schemas with a name of their own that are written. */
  private readonly named = new Map<object, string>();

  /** @param embedded whether the schema that is walked first is a part of the result, not its root */
  constructor(
    readonly side: Side,
    readonly subject: string,
    readonly embedded = false,
  ) {}

  /** Writes what stands below `step` ("a", "[]"). */
  below<T>(step: string, write: () => T): T {
    this.path.push(step);
    try {
      return write();
    } finally {
      this.path.pop();
    }
  }

  /**
   * Writes `schema`, or refers to it where it contains itself.
   *
   * @param name asks for a definition of that name
   * @param hint the name for a definition that turns out to be needed
   */
  once(schema: object, name: string | undefined, write: () => Json, hint = name): Json {
    const known = this.named.get(schema);
    if (known !== undefined) {
      return { $ref: reference(known) };
    }
    if (this.open.has(schema)) {
      return { $ref: this.refer(schema, hint) };
    }
    if (this.open.size > MAX_DEPTH) {
      throw this.refusal('does not end: a lazy schema must give the same schema each time');
    }
    this.open.set(schema, null);
    const json = write();
    const referred = this.open.get(schema);
    this.open.delete(schema);
    const root = this.open.size === 0 && !this.embedded;
    const used = referred ?? (name !== undefined && !root ? this.fresh(name) : null);
    if (used === null || used === ROOT) {
      return json;
    }
    this.named.set(schema, used);
    this.definitions.set(used, json);
    return { $ref: reference(used) };
  }

  /** A definition, named as near to `wanted` as others allow; `put` says what it holds. */
  define(wanted: string): { $ref: string; put: (json: Json) => void } {
    const name = this.fresh(wanted);
    return {
      $ref: reference(name),
      put: (json) => {
        this.definitions.set(name, json);
      },
    };
  }

  /** The whole schema. */
  finish(root: Json): Json {
    return this.definitions.size === 0 ? root : { ...root, $defs: Object.fromEntries(this.definitions) };
  }

  /** What cannot be registered, and where it stands; `why` is a sentence without its subject. */
  refusal(why: string): DefinitionError {
    return refusal(this.subject, this.side, this.place(), why);
  }

  private place(): string {
    return this.path.reduce((text, step) => (step === '[]' || text === '' ? text + step : `${text}.${step}`), '');
  }

  private refer(schema: object, name: string | undefined): string {
    const known = this.open.get(schema);
    if (known === ROOT) {
      return ROOT;
    }
    if (known != null) {
      return reference(known);
    }
    const isRoot = !this.embedded && this.open.keys().next().value === schema;
    const used = isRoot ? ROOT : this.fresh(name ?? 'Schema');
    this.open.set(schema, used);
    return isRoot ? ROOT : reference(used);
  }

  private fresh(wanted: string): string {
    const base = wanted.replace(/[^\w.-]+/g, '_') || 'Schema';
    let name = base;
    for (let number = 2; this.definitions.has(name); number++) {
      name = `${base}${number}`;
    }
    // Taken from now on, although it is written later.
    this.definitions.set(name, undefined);
    return name;
  }
}

const ROOT = '#';

function reference(name: string): string {
  return `#/$defs/${name}`;
}

/** The error for a schema that cannot be registered: names the tool, the side, the place, and what to do. */
export function refusal(subject: string, side: Side, place: string, why: string): DefinitionError {
  const where = place === '' ? `the ${side} schema` : `\`${place}\` of the ${side} schema`;
  return new DefinitionError(`${subject}: ${where} ${why}`);
}
