/**
 * The checks of zod 3's texts, numbers and lists as keywords.
 *
 * @module
 */

import { escaped, patterns } from './patterns';
import type { Json, Side } from './walk';
import { bound, multiples } from './zod4-checks';

/** A check, as zod 3 keeps it. */
export interface Zod3Check {
  readonly kind: string;
  readonly value?: unknown;
  readonly regex?: RegExp;
  readonly version?: 'v4' | 'v6';
  readonly inclusive?: boolean;
  readonly local?: boolean;
}

/** Checks that change the text instead. */
const OVERWRITES = new Set(['trim', 'toLowerCase', 'toUpperCase']);

/** Formats that JSON Schema knows by another name. */
const FORMATS: Record<string, string> = {
  email: 'email',
  url: 'uri',
  uuid: 'uuid',
  datetime: 'date-time',
  date: 'date',
  duration: 'duration',
};

/** A text; see `checksOf` of zod 4 for the two sides. */
export function stringKeywords(checks: readonly Zod3Check[], side: Side): Json {
  const json: Json = { type: 'string' };
  const expressions: RegExp[] = [];
  for (const check of effective(checks, side)) {
    const { kind, value } = check;
    if (Object.hasOwn(FORMATS, kind)) {
      if (!check.local) {
        json.format = FORMATS[kind];
      }
      continue;
    }
    switch (kind) {
      case 'min':
        bound(json, 'minLength', value);
        break;
      case 'max':
        bound(json, 'maxLength', value);
        break;
      case 'length':
        bound(json, 'minLength', value);
        bound(json, 'maxLength', value);
        break;
      case 'ip':
        Object.assign(json, check.version ? { format: `ip${check.version}` } : {});
        break;
      case 'base64':
      case 'base64url':
        json.contentEncoding = kind;
        break;
      case 'regex':
        expressions.push(check.regex as RegExp);
        break;
      case 'startsWith':
        expressions.push(new RegExp(`^${escaped(String(value))}`));
        break;
      case 'endsWith':
        expressions.push(new RegExp(`${escaped(String(value))}$`));
        break;
      case 'includes':
        expressions.push(new RegExp(escaped(String(value))));
        break;
      default:
        // nanoid, cuid, ulid, emoji, jwt, time and cidr have no keyword; zod checks them.
        break;
    }
  }
  return { ...json, ...patterns(expressions) };
}

function effective(checks: readonly Zod3Check[], side: Side): readonly Zod3Check[] {
  const overwrites = (check: Zod3Check) => OVERWRITES.has(check.kind);
  if (side === 'output') {
    return checks.slice(checks.map(overwrites).lastIndexOf(true) + 1);
  }
  const first = checks.findIndex(overwrites);
  return first === -1 ? checks : checks.slice(0, first);
}

/** A number, or an integer. */
export function numberKeywords(checks: readonly Zod3Check[]): Json {
  const json: Json = { type: 'number' };
  const divisors: unknown[] = [];
  for (const { kind, value, inclusive } of checks) {
    switch (kind) {
      case 'int':
        json.type = 'integer';
        break;
      case 'min':
        bound(json, inclusive ? 'minimum' : 'exclusiveMinimum', value);
        break;
      case 'max':
        bound(json, inclusive ? 'maximum' : 'exclusiveMaximum', value);
        break;
      case 'multipleOf':
        divisors.push(value);
        break;
      default:
        break;
    }
  }
  return { ...json, ...multiples(divisors) };
}

/** How long a list is. */
export function arrayKeywords(definition: Readonly<Record<string, unknown>>): Json {
  const json: Json = {};
  for (const [fact, keyword] of SIZES) {
    bound(json, keyword, (definition[fact] as { value?: unknown } | null | undefined)?.value);
  }
  return json;
}

const SIZES = [
  ['minLength', 'minItems'],
  ['maxLength', 'maxItems'],
  ['exactLength', 'minItems'],
  ['exactLength', 'maxItems'],
  ['minSize', 'minItems'],
  ['maxSize', 'maxItems'],
] as const;
