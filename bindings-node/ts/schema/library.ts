/**
 * Libraries other than zod: they describe their schemas themselves, by Standard JSON Schema or by a package of theirs.
 *
 * @module
 */

import type { createRequire } from 'node:module';
import { embed } from './embed';
import type { StandardSchema } from './standard';
import { type Json, refusal, type Side, type Walk } from './walk';

const TARGET = 'draft-2020-12';

/** The part of `~standard` that gives JSON Schemas, see https://standardschema.dev/json-schema. */
type Converter = Record<Side, (options: { target: string; libraryOptions?: Record<string, unknown> }) => unknown>;

/** The JSON Schema of a schema, as its library says it. */
export function writeLibrary(schema: StandardSchema, walk: Walk): Json {
  const { vendor } = schema['~standard'];
  const { jsonSchema } = schema['~standard'] as { jsonSchema?: Converter };
  let json: unknown;
  try {
    if (vendor === 'arktype') {
      json = ofArktype(schema, jsonSchema, walk);
    } else if (typeof jsonSchema?.[walk.side] === 'function') {
      json = jsonSchema[walk.side]({ target: TARGET });
    } else if (vendor === 'valibot') {
      json = ofValibot(schema, walk);
    } else {
      throw walk.refusal(
        `is made with \`${vendor}\`, which gives no JSON Schema (Standard JSON Schema) of it; give the JSON Schema itself, or use zod, valibot or arktype`,
      );
    }
  } catch (error) {
    throw isRefusal(error)
      ? error
      : walk.refusal(`has no JSON Schema: ${vendor} says: ${(error as Error)?.message ?? String(error)}`);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw walk.refusal(`has no JSON Schema: ${vendor} gives ${JSON.stringify(json)}`);
  }
  return embed(json as Json, walk);
}

function isRefusal(error: unknown): boolean {
  return (error as { kind?: unknown } | null)?.kind === 'definition';
}

interface Arktype {
  readonly in?: Arktype;
  readonly out?: Arktype;
  readonly toJsonSchema?: (options: Record<string, unknown>) => unknown;
}

/** What arktype asks about a part that JSON Schema cannot say. */
interface Asked {
  readonly base: Json;
  readonly domain?: string;
  readonly proto?: { readonly name?: string };
}

/** arktype, which would leave out by default what it cannot say: a Date as the empty schema, which everything fits. */
function ofArktype(schema: StandardSchema, converter: Converter | undefined, walk: Walk): unknown {
  const out = walk.side === 'output';
  const refuse = (what: string, remedy: string) => {
    throw walk.refusal(`holds ${what}, which JSON does not have; use ${remedy}`);
  };
  const checkedAnyway = ({ base }: Asked) => base;
  const fallback = {
    date: () => (out ? { type: 'string', format: 'date-time' } : refuse('a Date', "'string.date.parse'")),
    domain: ({ domain }: Asked) =>
      out && domain === 'bigint' ? { type: 'integer' } : refuse(`a ${domain}`, "'number.integer' or 'string'"),
    proto: ({ proto }: Asked) => refuse(`a ${proto?.name ?? 'class'}`, 'a morph from what JSON has'),
    unit: () => ({ not: {} }),
    symbolKey: () => refuse('a symbol as key', 'texts'),
    morph: ({ base }: Asked) =>
      out ? refuse('a morph without a type for its result', "a pipe to a type: .to('number')") : base,
    arrayObject: checkedAnyway,
    arrayPostfix: checkedAnyway,
    patternIntersection: checkedAnyway,
    predicate: checkedAnyway,
    defaultValue: checkedAnyway,
  };
  if (typeof converter?.[walk.side] === 'function') {
    return converter[walk.side]({ target: TARGET, libraryOptions: { fallback } });
  }
  const ark = schema as unknown as Arktype;
  const part = (out ? ark.out : ark.in) ?? ark;
  return part.toJsonSchema?.({ fallback });
}

interface ValibotPart {
  readonly kind: string;
  readonly type: string;
  readonly requirement?: unknown;
}

interface ValibotConverter {
  toJsonSchema(schema: unknown, config: Record<string, unknown>): unknown;
}

/** valibot, by the package of its authors. */
function ofValibot(schema: StandardSchema, walk: Walk): unknown {
  return valibotConverter(walk).toJsonSchema(schema, {
    typeMode: walk.side,
    target: TARGET,
    errorMode: 'throw',
    overrideAction({
      valibotAction: action,
      jsonSchema,
      errors,
    }: {
      valibotAction: ValibotPart;
      jsonSchema: Json;
      errors?: unknown;
    }) {
      if (!errors) {
        return undefined;
      }
      if (
        action.kind === 'transformation' &&
        walk.side === 'output' &&
        /transform|^(to|parse|reduce|find)_/.test(action.type)
      ) {
        throw walk.refusal(
          'ends with a transform, whose result has no schema; add the schema of the result behind it: v.number()',
        );
      }
      if (action.type === 'regex') {
        // Refused for its flags, but written all the same.
        const { pattern, ...rest } = jsonSchema;
        return pattern === (action.requirement as RegExp).source ? rest : jsonSchema;
      }
      // A check has no keyword; valibot applies it when it parses.
      return jsonSchema;
    },
    overrideSchema({
      valibotSchema,
      jsonSchema,
      errors,
    }: {
      valibotSchema: ValibotPart;
      jsonSchema: Json;
      errors?: unknown;
    }) {
      if (!errors) {
        return undefined;
      }
      switch (valibotSchema.type) {
        case 'record':
          // Refused for keys that are no bare text, but `propertyNames` says what they are.
          return jsonSchema;
        case 'undefined':
        case 'void':
          return { not: {} };
        case 'date':
          if (walk.side === 'output') {
            return { type: 'string', format: 'date-time' };
          }
          throw walk.refusal(
            'holds a Date, which JSON does not have; use v.pipe(v.string(), v.isoTimestamp(), v.transform(...))',
          );
        case 'bigint':
          if (walk.side === 'output') {
            return { type: 'integer' };
          }
          throw walk.refusal(
            'holds a bigint, which JSON does not have; use v.pipe(v.number(), v.integer(), v.transform(BigInt))',
          );
        default:
          return undefined;
      }
    },
  });
}

let found: ValibotConverter | undefined;

/** Looked for where the program is: it belongs to the project of the user, who has valibot from there, too. */
function valibotConverter(walk: Walk): ValibotConverter {
  if (found) {
    return found;
  }
  const requireFrom = (require('node:module') as { createRequire: typeof createRequire }).createRequire;
  for (const place of [process.argv[1], `${process.cwd()}/index.js`, __filename]) {
    try {
      if (place !== undefined) {
        found = requireFrom(place)('@valibot/to-json-schema') as ValibotConverter;
        return found;
      }
    } catch {
      // Not from there.
    }
  }
  throw refusal(
    walk.subject,
    walk.side,
    '',
    'is made with valibot, whose JSON Schemas come from a package of their own: npm install @valibot/to-json-schema',
  );
}
