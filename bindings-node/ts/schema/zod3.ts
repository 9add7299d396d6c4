/**
 * zod 3 (3.22 and later, and `zod/v3` of zod 4): a walk over `_def`, which all copies share.
 *
 * @module
 */

import { BIGINT, DATE, FUNCTION, KEYS, MAP, NAN, SET, SYMBOL, TRANSFORM } from './remedies';
import { choices, defaultOf, intersection, NOTHING, setMember, tuple, union } from './shapes';
import type { Json, Side, Walk } from './walk';
import { arrayKeywords, numberKeywords, stringKeywords, type Zod3Check } from './zod3-checks';

/** What this file reads of a schema. */
export interface Zod3 {
  readonly _def: Def;
  readonly safeParse: (value: unknown) => Zod3Result;
  readonly safeParseAsync: (value: unknown) => Promise<Zod3Result>;
}

/** What its own validator gives. */
export type Zod3Result =
  | { success: true; data: unknown }
  | { success: false; error: { issues: { message: string; path: (string | number)[] }[] } };

type Def = Readonly<Record<string, unknown>> & { readonly typeName: string; readonly description?: string };

/** Whether it is a schema of zod 3, of whatever copy. */
export function isZod3(given: unknown): given is Zod3 {
  const definition = (given as Partial<Zod3> | null | undefined)?._def;
  return (
    typeof definition === 'object' &&
    definition !== null &&
    String((definition as Partial<Def>).typeName).startsWith('Zod')
  );
}

/** The JSON Schema of `schema` on the side that is walked. */
export function writeZod3(schema: Zod3, walk: Walk): Json {
  return walk.once(schema, undefined, () => {
    const { typeName, description } = schema._def;
    const write = Object.hasOwn(WRITERS, typeName) ? WRITERS[typeName] : undefined;
    if (!write) {
      const known = Object.hasOwn(REFUSED, typeName) ? REFUSED[typeName] : undefined;
      throw walk.refusal(known ?? `is of a kind that is not known here, zod's \`${typeName}\``);
    }
    const json = write(schema._def, walk);
    return description === undefined ? json : { ...json, description };
  });
}

/** Whether a member with this schema may be left out. Read off the schema: to try `undefined` would run what users wrote. */
export function isOptionalZod3(schema: Zod3, side: Side): boolean {
  const definition = schema._def;
  switch (definition.typeName) {
    case 'ZodOptional':
    case 'ZodUndefined':
    case 'ZodVoid':
    case 'ZodAny':
    case 'ZodUnknown':
      return true;
    case 'ZodDefault':
      return side === 'input';
    case 'ZodCatch':
      return side === 'input' || inside(definition.innerType, side);
    case 'ZodNullable':
    case 'ZodReadonly':
      return inside(definition.innerType, side);
    case 'ZodBranded':
      return inside(definition.type, side);
    case 'ZodEffects':
      return inside(definition.schema, side);
    case 'ZodPipeline':
      return inside(side === 'input' ? definition.in : definition.out, side);
    case 'ZodLazy':
      return inside((definition.getter as () => unknown)(), side);
    case 'ZodUnion':
      return (definition.options as unknown[]).some((option) => inside(option, side));
    case 'ZodIntersection':
      return inside(definition.left, side) && inside(definition.right, side);
    case 'ZodLiteral':
      return definition.value === undefined;
    default:
      return false;
  }
}

function inside(schema: unknown, side: Side): boolean {
  return isZod3(schema) && isOptionalZod3(schema, side);
}

const REFUSED: Record<string, string> = { ZodSymbol: SYMBOL, ZodNaN: NAN, ZodFunction: FUNCTION };

type Writer = (definition: Def, walk: Walk) => Json;

const WRITERS: Record<string, Writer> = {
  ZodString: ({ checks }, walk) => stringKeywords(checks as Zod3Check[], walk.side),
  ZodNumber: ({ checks }) => numberKeywords(checks as Zod3Check[]),
  ZodBoolean: () => ({ type: 'boolean' }),
  ZodNull: () => ({ type: 'null' }),
  ZodUndefined: () => NOTHING,
  ZodVoid: () => NOTHING,
  ZodNever: () => NOTHING,
  ZodAny: () => ({}),
  ZodUnknown: () => ({}),
  ZodBigInt: ({ coerce }, walk) => {
    if (coerce !== true) {
      onlyOutput(walk, BIGINT);
    }
    return { type: 'integer' };
  },
  ZodDate: ({ coerce }, walk) => {
    if (coerce !== true) {
      onlyOutput(walk, DATE);
    }
    return { type: 'string', format: 'date-time' };
  },
  ZodEnum: ({ values }) => choices(values as string[]),
  ZodNativeEnum: ({ values }) => choices(enumValues(values as Record<string, unknown>)),
  ZodLiteral: ({ value }, walk) => {
    if (typeof value === 'bigint') {
      onlyOutput(walk, BIGINT);
      return { type: 'integer', const: Number(value) };
    }
    return value === undefined ? NOTHING : choices([value]);
  },
  ZodArray: (definition, walk) => ({
    type: 'array',
    items: walk.below('[]', () => child(definition.type, walk)),
    ...arrayKeywords(definition),
  }),
  ZodSet: (definition, walk) => {
    onlyOutput(walk, SET);
    return {
      type: 'array',
      items: walk.below('[]', () => child(definition.valueType, walk)),
      ...arrayKeywords(definition),
    };
  },
  ZodMap: ({ keyType, valueType }, walk) => {
    onlyOutput(walk, MAP);
    if (child(keyType, walk).type !== 'string') {
      throw walk.refusal(KEYS);
    }
    return { type: 'object', additionalProperties: walk.below('[]', () => child(valueType, walk)) };
  },
  ZodObject: writeObject,
  ZodRecord: ({ keyType, valueType }, walk) => {
    const { type, ...names } = child(keyType, walk);
    const json: Json = { type: 'object' };
    if (Object.keys(names).length > 0 && type !== 'number') {
      json.propertyNames = names;
    }
    json.additionalProperties = walk.below('[]', () => child(valueType, walk));
    return json;
  },
  ZodTuple: ({ items, rest }, walk) => {
    const written = (items as unknown[]).map((item, index) => walk.below(`[${index}]`, () => child(item, walk)));
    // zod 3 asks for all items, also for those that may be undefined.
    return tuple(written, written.length, isZod3(rest) ? walk.below('[]', () => child(rest, walk)) : null);
  },
  ZodUnion: ({ options }, walk) => union((options as unknown[]).map((option) => child(option, walk))),
  ZodDiscriminatedUnion: ({ options }, walk) =>
    // A list since 3.20, a Map of lists before.
    union([...(options as Iterable<unknown>)].map((option) => child(Array.isArray(option) ? option[1] : option, walk))),
  ZodIntersection: ({ left, right }, walk) => intersection(child(left, walk), child(right, walk)),
  ZodNullable: ({ innerType }, walk) => union([child(innerType, walk), { type: 'null' }]),
  ZodOptional: ({ innerType }, walk) => child(innerType, walk),
  ZodReadonly: ({ innerType }, walk) => child(innerType, walk),
  ZodCatch: ({ innerType }, walk) => child(innerType, walk),
  ZodPromise: ({ type }, walk) => child(type, walk),
  ZodBranded: ({ type }, walk) => child(type, walk),
  ZodLazy: ({ getter }, walk) => child((getter as () => unknown)(), walk),
  // In zod 3 a default goes in, before transformations.
  ZodDefault: ({ innerType, defaultValue }, walk) => {
    const json = child(innerType, walk);
    return walk.side === 'output' ? json : { ...json, ...defaultOf(defaultValue as () => unknown) };
  },
  ZodEffects: ({ schema, effect }, walk) => {
    const { type } = effect as { type: string };
    if (type === 'transform' && walk.side === 'output') {
      throw walk.refusal(TRANSFORM);
    }
    return child(schema, walk);
  },
  ZodPipeline: (definition, walk) => child(walk.side === 'input' ? definition.in : definition.out, walk),
};

/** A value that JSON does not have has a form on its way out, but on its way in nothing would make it of that form. */
function onlyOutput(walk: Walk, refused: string): void {
  if (walk.side === 'input') {
    throw walk.refusal(refused);
  }
}

function child(schema: unknown, walk: Walk): Json {
  if (!isZod3(schema)) {
    throw walk.refusal(
      'is no schema of zod 3, but stands inside of one; make all parts of a schema with one release of zod',
    );
  }
  return writeZod3(schema, walk);
}

function enumValues(entries: Record<string, unknown>): unknown[] {
  // TypeScript's numeric enumerations map numbers back to names.
  const names = Object.keys(entries).filter((key) => typeof entries[entries[key] as string] !== 'number');
  return [...new Set(names.map((name) => entries[name]))];
}

function writeObject(definition: Def, walk: Walk): Json {
  const shape = (definition.shape as () => Record<string, Zod3>)();
  const properties: Json = {};
  const required: string[] = [];
  for (const name of Object.keys(shape)) {
    const member = shape[name] as Zod3;
    setMember(
      properties,
      name,
      walk.below(name, () => child(member, walk)),
    );
    if (!isOptionalZod3(member, walk.side)) {
      required.push(name);
    }
  }
  const json: Json = { type: 'object', properties };
  if (required.length > 0) {
    json.required = required;
  }
  const { catchall } = definition;
  if (isZod3(catchall) && catchall._def.typeName !== 'ZodNever') {
    const rest = walk.below('[]', () => child(catchall, walk));
    return Object.keys(rest).length === 0 ? json : { ...json, additionalProperties: rest };
  }
  // Members that are not named are refused by a strict object only; others drop them or keep them.
  return definition.unknownKeys === 'strict' ? { ...json, additionalProperties: false } : json;
}
