/** zod in every release and copy that a project may hold: the same schema, or an error, never an empty schema. */
import { deepStrictEqual, match, strictEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3Of4 } from 'zod/v3';
import { z as z3 } from 'zod-3';
import { z as z4Of3 } from 'zod-3/v4';
import { type CompiledSchema, compile } from '../../dist/schema/index.js';

/** What all releases of zod have in common; their types differ. */
// biome-ignore lint/suspicious/noExplicitAny: five packages with types of their own
type Zod = any;

const releases: [string, Zod][] = [
  ['zod 4', z as Zod],
  ['zod/v4 of zod 3.25', z4Of3 as Zod],
  ['zod 3', z3 as Zod],
  ['zod/v3 of zod 4', z3Of4 as Zod],
];

const input = (given: unknown) => compile(given, 'input', 'tool `t`');
const output = (given: unknown) => compile(given, 'output', 'tool `t`');

/** Each release gives `expected` for what `make` makes of it. */
function everywhere(name: string, make: (z: Zod) => unknown, expected: unknown, side = input): void {
  for (const [release, zod] of releases) {
    test(`${name}: ${release}`, () => deepStrictEqual(side(make(zod)).json, expected));
  }
}

const numbered = {
  type: 'object',
  properties: { a: { type: 'number', description: 'd' }, b: { type: 'string' } },
  required: ['a'],
};

everywhere('Z01 object', (z) => z.object({ a: z.number().describe('d'), b: z.string().optional() }), numbered);
everywhere('Z01 record', (z) => ({ a: z.number().describe('d'), b: z.string().optional() }), numbered);

test('Z01 mini', () => {
  const members = { a: mini.number().check(mini.describe('d')), b: mini.optional(mini.string()) };
  deepStrictEqual(input(mini.object(members)).json, numbered);
  deepStrictEqual(input(members).json, numbered);
});

test('Z01 a copy without Standard JSON Schema, as before 4.2', () => {
  const schema = z.object({ a: z.number().describe('d'), b: z.string().optional() });
  const { jsonSchema: _, ...standard } = schema['~standard'];
  Object.defineProperty(schema, '~standard', { value: standard });
  deepStrictEqual(input(schema).json, numbered);
});

test('Z01 a zod 3 without Standard Schema, as before 3.24', async () => {
  const schema = z3.object({ a: z3.number().refine(async (n) => n > 0, 'too small') });
  Object.defineProperty(schema, '~standard', { value: undefined });
  const { parse } = input(schema) as CompiledSchema & { parse: (value: unknown) => unknown };
  deepStrictEqual(await parse({ a: 1 }), { a: 1 });
  deepStrictEqual(await parse({ a: 2 }), { a: 2 });
  await (parse({ a: -1 }) as Promise<unknown>).then(
    () => strictEqual('accepted', 'refused'),
    (error) => deepStrictEqual(error.problems, [{ path: ['a'], message: 'too small' }]),
  );
});

test('Z01 copies mixed inside one schema are refused, side by side in a record they are composed', () => {
  throws(() => input(z.object({ a: z3.number() as Zod })), /`a` of the input schema is no schema of zod 4/);
  throws(() => input(z3.object({ a: z.number() as Zod })), /`a` of the input schema is no schema of zod 3/);
  const { json, parse } = input({ a: z.number().describe('d'), b: z3.string().optional(), c: z4Of3.int().default(1) });
  deepStrictEqual(json, { ...numbered, properties: { ...numbered.properties, c: { type: 'integer', default: 1 } } });
  deepStrictEqual(parse?.({ a: 1, other: 2 }), { a: 1, c: 1 });
});

test('Z01 what is no schema is never taken for an empty one', () => {
  class Yup {
    fields = {};
  }
  for (const given of [
    z,
    z.string,
    new Yup(),
    new Date(),
    Promise.resolve({}),
    5,
    'x',
    null,
    [],
    [z.string()],
    false,
  ]) {
    throws(() => input(given), { name: 'DefinitionError', message: /^tool `t`: .*not a supported schema/ });
  }
  throws(() => input({ a: z.string(), b: 5 }), /`b` of the input schema is no supported schema/);
  const foreign = { '~standard': { version: 1, vendor: 'yup', validate: () => ({ value: 1 }) } };
  throws(() => input(foreign), /made with `yup`, which gives no JSON Schema/);
});

everywhere(
  'Z03 defaults are not required and keep their type',
  (z) => z.object({ a: z.number().default(5), b: z.string().optional().default('x'), c: z.number().catch(3) }),
  {
    type: 'object',
    properties: { a: { type: 'number', default: 5 }, b: { type: 'string', default: 'x' }, c: { type: 'number' } },
  },
);

everywhere(
  'Z03 a default that differs each time is not published',
  (z) => ({ a: z.number().default(() => Math.random()) }),
  {
    type: 'object',
    properties: { a: { type: 'number' } },
  },
);

everywhere(
  'Z03 transforms show their source',
  (z) =>
    z.object({
      a: z.string().transform(Number),
      b: z.string().transform(Number).pipe(z.number()),
      c: z.preprocess((v: unknown) => v, z.array(z.string())),
      d: z.coerce.number(),
      e: z.coerce.date(),
      f: z.coerce.bigint(),
      g: z.string().refine((text: string) => text !== 'x'),
    }),
  {
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: { type: 'string' },
      c: { type: 'array', items: { type: 'string' } },
      d: { type: 'number' },
      e: { type: 'string', format: 'date-time' },
      f: { type: 'integer' },
      g: { type: 'string' },
    },
    required: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
  },
);

for (const [release, z] of releases) {
  test(`Z03 handlers get the output side: ${release}`, async () => {
    const schema = z.object({
      a: z.number().default(5),
      b: z.string().transform(Number),
      c: z.preprocess((v: unknown) => (typeof v === 'string' ? JSON.parse(v) : v), z.array(z.number())),
      d: z.coerce.number(),
      e: z.coerce.date(),
      f: z.coerce.bigint(),
    });
    const parse = input(schema).parse as (value: unknown) => unknown;
    const value = { b: '7', c: '[1]', d: '8', e: '2026-01-02T00:00:00Z', f: 9 };
    deepStrictEqual(parse(value), { a: 5, b: 7, c: [1], d: 8, e: new Date(Date.UTC(2026, 0, 2)), f: 9n });
    deepStrictEqual(value, { b: '7', c: '[1]', d: '8', e: '2026-01-02T00:00:00Z', f: 9 });
  });

  test(`Z03 what JSON does not have is refused with its place and a remedy: ${release}`, () => {
    throws(() => input(z.object({ n: z.object({ l: z.array(z.date()) }) })), {
      name: 'DefinitionError',
      message: /^tool `t`: `n\.l\[\]` of the input schema is a Date, .*z\.coerce\.date\(\)/,
    });
    throws(() => input({ a: z.bigint() }), /`a` of the input schema is a bigint, .*z\.coerce\.bigint\(\)/);
    throws(() => input({ a: z.map(z.string(), z.string()) }), /is a Map/);
    throws(() => input({ a: z.set(z.string()) }), /is a Set/);
    throws(() => input({ a: z.symbol() }), /is a symbol/);
    throws(() => input({ a: z.nan() }), /is NaN/);
    throws(
      () => output({ a: z.string().transform(Number) }),
      /`a` of the output schema ends with a transform.*\.pipe\(/,
    );
    throws(() => output(z.void()), /fits no value/);
    throws(() => output(z.map(z.number(), z.string())), /keys are no texts/);
  });
}

everywhere(
  'Z03 the output side says what is sent',
  (z) =>
    z.object({
      a: z.number().default(5),
      b: z.string().transform(Number).pipe(z.number()),
      c: z.date(),
      d: z.bigint(),
      e: z.map(z.string(), z.number()),
      f: z.set(z.string()),
      g: z.string().trim().max(3),
    }),
  {
    type: 'object',
    properties: {
      a: { type: 'number' },
      b: { type: 'number' },
      c: { type: 'string', format: 'date-time' },
      d: { type: 'integer' },
      e: { type: 'object', additionalProperties: { type: 'number' } },
      f: { type: 'array', items: { type: 'string' } },
      g: { type: 'string', maxLength: 3 },
    },
    required: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
  },
  output,
);

everywhere(
  'Z07 descriptions stay in both orders',
  (z) => ({
    a: z.string().describe('x').optional(),
    b: z.string().optional().describe('x'),
    c: z.string().describe('x').default('y'),
  }),
  {
    type: 'object',
    properties: {
      a: { type: 'string', description: 'x' },
      b: { type: 'string', description: 'x' },
      c: { type: 'string', description: 'x', default: 'y' },
    },
  },
);

test('Z07 titles and examples of meta', () => {
  const { json } = input(
    z.object({
      a: z
        .string()
        .meta({ title: 'T', examples: ['e'] })
        .nullable(),
    }),
  );
  deepStrictEqual(json.properties, {
    a: { anyOf: [{ type: 'string', title: 'T', examples: ['e'] }, { type: 'null' }] },
  });
});

test('Z07 examples of what comes out of a transform are none of what goes in', () => {
  const schema = z.object({
    a: z
      .string()
      .transform(Number)
      .pipe(z.number())
      .meta({ title: 'T', examples: [1] }),
  });
  deepStrictEqual(input(schema).json.properties, { a: { type: 'string', title: 'T' } });
  deepStrictEqual(output(schema).json.properties, { a: { type: 'number', title: 'T', examples: [1] } });
});

test('an id of meta makes a definition', () => {
  const point = z.object({ x: z.number() }).meta({ id: 'Point' });
  const { json } = input(z.object({ from: point, to: point }));
  deepStrictEqual(json, {
    type: 'object',
    properties: { from: { $ref: '#/$defs/Point' }, to: { $ref: '#/$defs/Point' } },
    required: ['from', 'to'],
    $defs: { Point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
  });
});

test('a custom type is refused unless its author says what it is in JSON', () => {
  throws(() => input({ a: z.instanceof(URL) }), /`a` of the input schema is a custom type.*\.meta\(/);
  const text = z.custom<string>((value) => typeof value === 'string').meta({ type: 'string' });
  deepStrictEqual(input({ a: text }).json.properties, { a: { type: 'string' } });
});

everywhere(
  'texts',
  (z) => ({
    a: z.string().email(),
    b: z.string().min(2).max(5),
    c: z.string().regex(/^a+$/),
    d: z.string().startsWith('a.'),
    e: z.string().regex(/^a$/i),
    f: z.string().regex(/^(?!b)/),
    g: z.string().uuid(),
    h: z.string().url(),
    i: z.string().trim().toLowerCase().max(3),
    j: z.string().length(2),
  }),
  {
    type: 'object',
    properties: {
      a: { type: 'string', format: 'email' },
      b: { type: 'string', minLength: 2, maxLength: 5 },
      c: { type: 'string', pattern: '^a+$' },
      d: { type: 'string', pattern: '^a\\.' },
      e: { type: 'string' },
      f: { type: 'string' },
      g: { type: 'string', format: 'uuid' },
      h: { type: 'string', format: 'uri' },
      i: { type: 'string' },
      j: { type: 'string', minLength: 2, maxLength: 2 },
    },
    required: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'],
  },
  (given) => {
    // zod 4 ends its own pattern with `.*`.
    const text = JSON.stringify(input(given).json).replace('"^a\\\\..*"', '"^a\\\\."');
    return { json: JSON.parse(text), parse: null };
  },
);

everywhere(
  'numbers, choices and lists',
  (z) => ({
    a: z.number().int().min(1).max(9),
    b: z.number().gt(1).lt(9).multipleOf(2),
    c: z.enum(['x', 'y']),
    d: z.nativeEnum({ A: 0, B: 1, 0: 'A', 1: 'B' }),
    e: z.union([z.literal(1), z.literal('a'), z.literal(true)]),
    f: z.array(z.boolean()).min(1).max(3),
    g: z.tuple([z.string(), z.number()]),
    h: z.tuple([z.string()]).rest(z.number()),
    i: z.string().nullable(),
    j: z.null(),
    k: z.literal('only'),
  }),
  {
    type: 'object',
    properties: {
      a: { type: 'integer', minimum: 1, maximum: 9 },
      b: { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 9, multipleOf: 2 },
      c: { type: 'string', enum: ['x', 'y'] },
      d: { type: 'integer', enum: [0, 1] },
      e: { enum: [1, 'a', true] },
      f: { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 3 },
      g: {
        type: 'array',
        prefixItems: [{ type: 'string' }, { type: 'number' }],
        minItems: 2,
        items: false,
        maxItems: 2,
      },
      h: { type: 'array', prefixItems: [{ type: 'string' }], minItems: 1, items: { type: 'number' } },
      i: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      j: { type: 'null' },
      k: { type: 'string', const: 'only' },
    },
    required: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'],
  },
);

everywhere(
  'objects',
  (z) => ({
    a: z.object({ x: z.string() }).strict(),
    b: z.object({}).passthrough(),
    c: z.object({}).catchall(z.number()),
    d: z.record(z.string(), z.number()),
    e: z.object({ x: z.string() }).and(z.object({ y: z.string() })),
    f: z.object({ x: z.string() }).readonly(),
  }),
  {
    type: 'object',
    properties: {
      a: { type: 'object', properties: { x: { type: 'string' } }, required: ['x'], additionalProperties: false },
      b: { type: 'object', properties: {} },
      c: { type: 'object', properties: {}, additionalProperties: { type: 'number' } },
      d: { type: 'object', additionalProperties: { type: 'number' } },
      e: { type: 'object', properties: { x: { type: 'string' }, y: { type: 'string' } }, required: ['x', 'y'] },
      f: { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
    },
    required: ['a', 'b', 'c', 'd', 'e', 'f'],
  },
);

everywhere(
  'S12 a union of objects at the root keeps its branches',
  (z) => z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b'), n: z.number() })]),
  {
    type: 'object',
    anyOf: [
      { type: 'object', properties: { k: { type: 'string', const: 'a' } }, required: ['k'] },
      {
        type: 'object',
        properties: { k: { type: 'string', const: 'b' }, n: { type: 'number' } },
        required: ['k', 'n'],
      },
    ],
  },
);

for (const [release, z] of releases) {
  test(`S12 an input that is no object is refused: ${release}`, () => {
    for (const schema of [
      z.string(),
      z.array(z.string()),
      z.union([z.object({}), z.number()]),
      z.object({}).nullable(),
    ]) {
      throws(() => input(schema), /the input schema must be an object at its root, not /);
    }
    deepStrictEqual(output(z.array(z.string())).json, { type: 'array', items: { type: 'string' } });
  });

  test(`recursive schemas refer to themselves: ${release}`, () => {
    const tree: Zod = z.lazy(() => z.object({ v: z.string(), kids: z.array(tree) }));
    const node = (reference: string) => ({
      type: 'object',
      properties: { v: { type: 'string' }, kids: { type: 'array', items: { $ref: reference } } },
      required: ['v', 'kids'],
    });
    deepStrictEqual(input(tree).json, node('#'));
    const inside = {
      type: 'object',
      properties: { t: { $ref: '#/$defs/Schema' } },
      required: ['t'],
      $defs: { Schema: node('#/$defs/Schema') },
    };
    deepStrictEqual(input(z.object({ t: tree })).json, inside);
    deepStrictEqual(input({ t: tree }).json, inside);
  });

  test(`a lazy schema that never repeats is refused: ${release}`, () => {
    const endless = (): Zod => z.object({ next: z.lazy(endless) });
    throws(() => input(endless()), /does not end/);
  });

  test(`S15 all problems at once, with their places: ${release}`, () => {
    const schema = z.object({
      a: z.object({ b: z.number() }),
      l: z.array(z.string()),
      u: z.union([z.string(), z.number()]),
    });
    throws(
      () => input(schema).parse?.({ a: { b: 'x' }, l: ['a', 1], u: true }),
      (error: Error & { problems: { path: unknown[]; message: string }[] }) => {
        deepStrictEqual(
          error.problems.map(({ path }) => path),
          [['a', 'b'], ['l', 1], ['u']],
        );
        match(error.message, /^a\.b: .*number.*\nl\[1\]: .*string.*\nu: .*string.*, or .*number/i);
        return true;
      },
    );
  });
}

test('getters of zod 4 make recursive objects', () => {
  const category = z.object({
    name: z.string(),
    get below() {
      return z.array(category);
    },
  });
  deepStrictEqual(input(category).json, {
    type: 'object',
    properties: { name: { type: 'string' }, below: { type: 'array', items: { $ref: '#' } } },
    required: ['name', 'below'],
  });
});

test('members may have any name', () => {
  const { json, parse } = input(
    Object.fromEntries([
      ['__proto__', z.string()],
      ['constructor', z.string().optional()],
    ]),
  );
  strictEqual(JSON.stringify(json.properties), '{"__proto__":{"type":"string"},"constructor":{"type":"string"}}');
  const parsed = parse?.(JSON.parse('{"__proto__":"x"}')) as object;
  deepStrictEqual(Object.keys(parsed), ['__proto__']);
  strictEqual(Object.getPrototypeOf(parsed), Object.prototype);
});

test('S09 an empty record is a tool without arguments', () => {
  deepStrictEqual(input({}).json, { type: 'object', properties: {} });
});
