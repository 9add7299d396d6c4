/**
 * What JSON does not have, and what to write instead: the ends of sentences that begin with the place in the schema.
 *
 * @module
 */

export const DATE = 'is a Date, which JSON does not have; use z.coerce.date(), or a text: z.iso.datetime()';
export const BIGINT = 'is a bigint, which JSON does not have; use z.coerce.bigint(), or z.int()';
export const MAP = 'is a Map, which JSON does not have; use z.record(), with a transform to a Map where you need one';
export const KEYS = 'is a Map whose keys are no texts; only texts name the members of a JSON object';
export const SET = 'is a Set, which JSON does not have; use z.array() with a transform to a Set';
export const SYMBOL = 'is a symbol, which JSON does not have';
export const NAN = 'is NaN, which JSON does not have';
export const FILE = 'is a File, which JSON does not have; use a text: z.base64()';
export const FUNCTION = 'is a function, which JSON does not have';
export const CUSTOM =
  'is a custom type, of which only its author knows the JSON form; say it by .meta({ type: ... }), or use another schema with .refine()';
export const TRANSFORM =
  'ends with a transform, whose result has no schema; add the schema of the result: .pipe(z.number())';
