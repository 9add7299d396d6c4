/**
 * zod 4, classic and mini, of any release: a walk over `_zod.def`, which all copies share.
 *
 * zod's own converter is not asked, for three reasons: mini and the releases before 4.2 have none on the schema; it publishes
 * patterns without their flags and with look-around, so that a right value would be refused; and what it refuses it does not locate.
 *
 * @module
 */

import { portable } from './patterns';
import { BIGINT, CUSTOM, DATE, FILE, FUNCTION, KEYS, MAP, NAN, SET, SYMBOL, TRANSFORM } from './remedies';
import { choices, defaultOf, intersection, NOTHING, setMember, tuple, union } from './shapes';
import type { Json, Walk } from './walk';
import { checksOf, numberKeywords, sizeKeywords, stringKeywords, type Zod4Check } from './zod4-checks';

/** What this file reads of a schema. */
export interface Zod4 {
  readonly _zod: {
    readonly def: Def;
    readonly traits?: Set<string>;
    readonly optin?: string;
    readonly optout?: string;
    readonly values?: Set<unknown>;
    readonly pattern?: RegExp;
    readonly toJSONSchema?: () => Json;
  };
  readonly meta?: () => Json | undefined;
}

type Def = Readonly<Record<string, unknown>> & { readonly type: string; readonly checks?: readonly Zod4Check[] };

/** Whether it is a schema of zod 4, of whatever copy. */
export function isZod4(given: unknown): given is Zod4 {
  const zod = (given as Partial<Zod4> | null | undefined)?._zod;
  return typeof zod === 'object' && zod !== null && typeof (zod.def as Partial<Def> | undefined)?.type === 'string';
}

/** The JSON Schema of `schema` on the side that is walked. */
export function writeZod4(schema: Zod4, walk: Walk): Json {
  const meta = metaOf(schema);
  const id = typeof meta.id === 'string' ? meta.id : undefined;
  const name = id ?? (typeof meta.title === 'string' ? meta.title : undefined);
  return walk.once(
    schema,
    id,
    () => {
      const { id: _, ...keywords } = meta;
      const before = walk.transforms;
      const json = body(schema, keywords, walk);
      if (walk.side === 'input' && walk.transforms > before) {
        // They are values of what comes out.
        delete keywords.examples;
        delete keywords.default;
      }
      return { ...json, ...keywords };
    },
    name,
  );
}

/** Whether a member with this schema may be left out. */
export function isOptionalZod4(schema: Zod4, side: Walk['side']): boolean {
  const { def, optin, optout } = schema._zod;
  if (side === 'output') {
    return optout === 'optional';
  }
  // Releases differ in what they say of these two; what they accept is the same.
  if (def.type === 'catch') {
    return true;
  }
  const inside = def.in;
  if (def.type === 'pipe' && isZod4(inside) && inside._zod.def.type === 'transform' && isZod4(def.out)) {
    return isOptionalZod4(def.out, side);
  }
  return optin === 'optional' || optin === 'defaulted';
}

/** What `describe` and `meta` were given. Mini has no method for it; its registry is the one of all copies since 4.1. */
function metaOf(schema: Zod4): Json {
  if (typeof schema.meta === 'function') {
    return schema.meta() ?? {};
  }
  const registry = (globalThis as { __zod_globalRegistry?: { get(schema: Zod4): Json | undefined } })
    .__zod_globalRegistry;
  return registry?.get(schema) ?? {};
}

/** Keywords by which the author of a schema says its JSON form himself. */
const FORMS = ['type', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', '$ref'];

function body(schema: Zod4, meta: Json, walk: Walk): Json {
  const own = schema._zod.toJSONSchema?.();
  if (own) {
    return own;
  }
  const { type } = schema._zod.def;
  const write = Object.hasOwn(WRITERS, type) ? WRITERS[type] : undefined;
  if (write) {
    return write(schema, walk);
  }
  if (FORMS.some((keyword) => keyword in meta)) {
    return {};
  }
  throw walk.refusal(
    Object.hasOwn(REFUSED, type) ? (REFUSED[type] as string) : `is of a kind that is not known here, zod's \`${type}\``,
  );
}

const REFUSED: Record<string, string> = { symbol: SYMBOL, nan: NAN, file: FILE, function: FUNCTION, custom: CUSTOM };

type Writer = (schema: Zod4, walk: Walk) => Json;

const WRITERS: Record<string, Writer> = {
  string: (schema, walk) => stringKeywords(checksOf(schema, walk.side)),
  number: (schema, walk) => numberKeywords(checksOf(schema, walk.side)),
  boolean: () => ({ type: 'boolean' }),
  null: () => ({ type: 'null' }),
  undefined: () => NOTHING,
  void: () => NOTHING,
  never: () => NOTHING,
  any: () => ({}),
  unknown: () => ({}),
  bigint: ({ _zod: { def } }, walk) => {
    if (def.coerce !== true) {
      onlyOutput(walk, BIGINT);
    }
    return { type: 'integer' };
  },
  date: ({ _zod: { def } }, walk) => {
    if (def.coerce !== true) {
      onlyOutput(walk, DATE);
    }
    return { type: 'string', format: 'date-time' };
  },
  enum: ({ _zod: { def } }) => choices(enumValues(def.entries as Record<string, unknown>)),
  literal: ({ _zod: { def } }, walk) => union((def.values as unknown[]).map((value) => literal(value, walk))),
  template_literal: ({ _zod: { pattern } }) => {
    const source = pattern && portable(pattern.source);
    return source === undefined ? { type: 'string' } : { type: 'string', pattern: source };
  },
  success: (schema, walk) => (walk.side === 'output' ? { type: 'boolean' } : inner(schema, walk)),
  transform: (_schema, walk) => {
    walk.transforms++;
    if (walk.side === 'output') {
      throw walk.refusal(TRANSFORM);
    }
    return {};
  },
  array: (schema, walk) => ({
    type: 'array',
    items: walk.below('[]', () => child(schema._zod.def.element, walk)),
    ...sizeKeywords(checksOf(schema, walk.side), 'Items'),
  }),
  set: (schema, walk) => {
    onlyOutput(walk, SET);
    const items = walk.below('[]', () => child(schema._zod.def.valueType, walk));
    return { type: 'array', items, ...sizeKeywords(checksOf(schema, walk.side), 'Items') };
  },
  map: ({ _zod: { def } }, walk) => {
    onlyOutput(walk, MAP);
    if (child(def.keyType, walk).type !== 'string') {
      throw walk.refusal(KEYS);
    }
    return { type: 'object', additionalProperties: walk.below('[]', () => child(def.valueType, walk)) };
  },
  object: writeObject,
  record: writeRecord,
  tuple: writeTuple,
  union: ({ _zod: { def } }, walk) => {
    const branches = (def.options as unknown[]).map((option) => child(option, walk));
    // Only an exclusive union says something else by `oneOf` than by `anyOf`.
    return def.inclusive === false && def.discriminator === undefined ? { oneOf: branches } : union(branches);
  },
  intersection: ({ _zod: { def } }, walk) => intersection(child(def.left, walk), child(def.right, walk)),
  nullable: (schema, walk) => union([inner(schema, walk), { type: 'null' }]),
  optional: inner,
  nonoptional: inner,
  readonly: inner,
  promise: inner,
  catch: inner,
  lazy: ({ _zod: { def } }, walk) => child((def.getter as () => unknown)(), walk),
  default: (schema, walk) => {
    const before = walk.transforms;
    const json = inner(schema, walk);
    return walk.transforms > before ? json : withDefault(json, schema, walk);
  },
  prefault: (schema, walk) => withDefault(inner(schema, walk), schema, walk),
  pipe: writePipe,
};

/** A value that JSON does not have has a form on its way out, but on its way in nothing would make it of that form. */
function onlyOutput(walk: Walk, refused: string): void {
  if (walk.side === 'input') {
    throw walk.refusal(refused);
  }
}

function child(schema: unknown, walk: Walk): Json {
  if (!isZod4(schema)) {
    throw walk.refusal(
      'is no schema of zod 4, but stands inside of one; make all parts of a schema with one release of zod',
    );
  }
  return writeZod4(schema, walk);
}

function inner(schema: Zod4, walk: Walk): Json {
  return child(schema._zod.def.innerType, walk);
}

function withDefault(json: Json, schema: Zod4, walk: Walk): Json {
  if (walk.side === 'output') {
    return json;
  }
  return { ...json, ...defaultOf(() => schema._zod.def.defaultValue) };
}

function enumValues(entries: Record<string, unknown>): unknown[] {
  // TypeScript's numeric enumerations map numbers back to names.
  const numbers = Object.values(entries).filter((value) => typeof value === 'number');
  return [
    ...new Set(
      Object.entries(entries)
        .filter(([key]) => !numbers.includes(Number(key)))
        .map(([, value]) => value),
    ),
  ];
}

function literal(value: unknown, walk: Walk): Json {
  if (value === undefined) {
    return NOTHING;
  }
  if (typeof value === 'bigint') {
    onlyOutput(walk, BIGINT);
    return { type: 'integer', const: Number(value) };
  }
  return choices([value]);
}

function writeObject({ _zod: { def } }: Zod4, walk: Walk): Json {
  const shape = def.shape as Record<string, Zod4>;
  const properties: Json = {};
  const required: string[] = [];
  for (const name of Object.keys(shape)) {
    const member = shape[name] as Zod4;
    setMember(
      properties,
      name,
      walk.below(name, () => child(member, walk)),
    );
    if (!isOptionalZod4(member, walk.side)) {
      required.push(name);
    }
  }
  const json: Json = { type: 'object', properties };
  if (required.length > 0) {
    json.required = required;
  }
  return { ...json, ...catchall(def.catchall, walk) };
}

/** What members that are not named may be; nothing is said where they are dropped or kept as they are. */
function catchall(schema: unknown, walk: Walk): Json {
  if (!isZod4(schema)) {
    return {};
  }
  if (schema._zod.def.type === 'never') {
    return { additionalProperties: false };
  }
  const json = walk.below('[]', () => child(schema, walk));
  return Object.keys(json).length === 0 ? {} : { additionalProperties: json };
}

function writeRecord({ _zod: { def } }: Zod4, walk: Walk): Json {
  // zod 4.0 still takes the values alone.
  const [keys, values] = def.valueType === undefined ? [undefined, def.keyType] : [def.keyType, def.valueType];
  const json: Json = { type: 'object' };
  const value = walk.below('[]', () => child(values, walk));
  if (def.mode === 'loose') {
    return json;
  }
  const names = isZod4(keys) ? keyNames(child(keys, walk)) : {};
  if (Object.keys(names).length > 0) {
    json.propertyNames = names;
  }
  json.additionalProperties = value;
  const known = isZod4(keys) ? keys._zod.values : undefined;
  if (known && known.size > 0 && def.partial !== true && isZod4(values) && !isOptionalZod4(values, walk.side)) {
    json.required = [...known].map(String);
  }
  return json;
}

/** Names of members are texts: a number as key is one that is written as a number. */
function keyNames(json: Json): Json {
  const { type, ...rest } = json;
  const numeric = type === 'integer' || type === 'number';
  if (!numeric) {
    return rest;
  }
  const values = Array.isArray(rest.enum) ? rest.enum : 'const' in rest ? [rest.const] : null;
  return values ? { enum: values.map(String) } : { pattern: '^-?\\d+(\\.\\d+)?$' };
}

function writeTuple(schema: Zod4, walk: Walk): Json {
  const { def } = schema._zod;
  const items = def.items as Zod4[];
  let least = items.length;
  while (least > 0 && isOptionalZod4(items[least - 1] as Zod4, walk.side)) {
    least--;
  }
  const written = items.map((item, index) => walk.below(`[${index}]`, () => child(item, walk)));
  const rest = isZod4(def.rest) ? walk.below('[]', () => child(def.rest, walk)) : null;
  return tuple(written, least, rest);
}

/** What goes into a pipe is its first part, and what comes out its last; of a preprocessor, which takes anything, the part behind. */
function writePipe({ _zod: { def } }: Zod4, walk: Walk): Json {
  walk.transforms++;
  const first = def.in;
  const preprocesses = isZod4(first) && first._zod.def.type === 'transform';
  return child(walk.side === 'input' && !preprocesses ? first : def.out, walk);
}
