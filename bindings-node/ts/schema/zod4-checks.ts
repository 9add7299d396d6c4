/**
 * The checks of zod 4's texts, numbers and lists as keywords.
 *
 * @module
 */

import { patterns } from './patterns';
import type { Json, Side } from './walk';
import type { Zod4 } from './zod4';

/** A check, as zod 4 keeps it. */
export interface Zod4Check {
  readonly _zod: { readonly def: CheckDef };
}

interface CheckDef {
  readonly check: string;
  readonly [fact: string]: unknown;
}

/**
 * The checks that hold for what is described: a check behind something that overwrites the value (`trim()`, `toLowerCase()`) says
 * nothing about what goes in, and one before it nothing about what comes out.
 */
export function checksOf(schema: Zod4, side: Side): CheckDef[] {
  const { def } = schema._zod;
  // `z.email()` is a text and its own first check.
  const own = typeof def.check === 'string' ? [def as unknown as CheckDef] : [];
  const checks = [...own, ...(def.checks ?? []).map((check) => check._zod.def)];
  const overwrites = (check: CheckDef) => check.check === 'overwrite';
  if (side === 'output') {
    return checks.slice(checks.map(overwrites).lastIndexOf(true) + 1);
  }
  const first = checks.findIndex(overwrites);
  return first === -1 ? checks : checks.slice(0, first);
}

/** Formats that JSON Schema knows by another name. */
const FORMATS: Record<string, string> = {
  email: 'email',
  url: 'uri',
  uuid: 'uuid',
  guid: 'uuid',
  datetime: 'date-time',
  date: 'date',
  duration: 'duration',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
};

/** A text. A format that JSON Schema knows stands for its pattern, which would only cost a model tokens. */
export function stringKeywords(checks: CheckDef[]): Json {
  const json: Json = { type: 'string', ...sizeKeywords(checks, 'Length') };
  const expressions: RegExp[] = [];
  for (const check of checks) {
    if (check.check !== 'string_format') {
      continue;
    }
    const format = String(check.format);
    // Without a zone, or with minutes only, a time is none of the keyword's.
    const lax = check.local === true || check.precision === -1;
    if (Object.hasOwn(FORMATS, format) && !lax) {
      json.format = FORMATS[format];
    } else if (format === 'base64' || format === 'base64url') {
      json.contentEncoding = format;
    } else if (check.pattern instanceof RegExp || Object.prototype.toString.call(check.pattern) === '[object RegExp]') {
      expressions.push(check.pattern as RegExp);
    }
  }
  return { ...json, ...patterns(expressions) };
}

/** Bounds of the formats of numbers; those of floating point numbers and safe integers are the ones that numbers have anyway. */
const RANGES: Record<string, [number, number]> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
};

/** A number, or an integer. */
export function numberKeywords(checks: CheckDef[]): Json {
  const json: Json = { type: 'number' };
  const divisors: unknown[] = [];
  for (const check of checks) {
    const { value } = check;
    switch (check.check) {
      case 'number_format': {
        const format = String(check.format);
        if (format.includes('int')) {
          json.type = 'integer';
        }
        const range = RANGES[format];
        if (range) {
          bound(json, 'minimum', range[0]);
          bound(json, 'maximum', range[1]);
        }
        break;
      }
      case 'greater_than':
        bound(json, check.inclusive === true ? 'minimum' : 'exclusiveMinimum', value);
        break;
      case 'less_than':
        bound(json, check.inclusive === true ? 'maximum' : 'exclusiveMaximum', value);
        break;
      case 'multiple_of':
        divisors.push(value);
        break;
    }
  }
  return { ...json, ...multiples(divisors) };
}

/** The numbers that a value is a multiple of, all of them. */
export function multiples(divisors: readonly unknown[]): Json {
  const steps = [...new Set(divisors.map((divisor) => Math.abs(Number(divisor))))].filter((step) => step > 0);
  if (steps.length === 0) {
    return {};
  }
  return steps.length === 1 ? { multipleOf: steps[0] } : { allOf: steps.map((multipleOf) => ({ multipleOf })) };
}

/** How long a text or a list is. */
export function sizeKeywords(checks: CheckDef[], what: 'Length' | 'Items'): Json {
  const json: Json = {};
  for (const check of checks) {
    switch (check.check) {
      case 'min_length':
      case 'min_size':
        bound(json, `min${what}`, check.minimum);
        break;
      case 'max_length':
      case 'max_size':
        bound(json, `max${what}`, check.maximum);
        break;
      case 'length_equals':
        bound(json, `min${what}`, check.length);
        bound(json, `max${what}`, check.length);
        break;
      case 'size_equals':
        bound(json, `min${what}`, check.size);
        bound(json, `max${what}`, check.size);
        break;
    }
  }
  return json;
}

/** Sets a bound unless a narrower one is there. */
export function bound(json: Json, keyword: string, value: unknown): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return;
  }
  const known = json[keyword];
  const lower = /min/i.test(keyword);
  if (typeof known !== 'number' || (lower ? value > known : value < known)) {
    json[keyword] = value;
  }
}
