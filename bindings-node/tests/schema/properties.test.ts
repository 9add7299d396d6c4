/** For schemas that JSON Schema can say in full: what the published schema accepts is what the parser accepts. */
import { ok, strictEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { z } from 'zod';
import { z as z3 } from 'zod-3';
import { compile } from '../../dist/schema/index.js';

type Zod = typeof z;
type Schema = z.ZodType;

/** A schema by its recipe, for both generations of zod, and values that are near to what it takes. */
interface Recipe {
  make: (z: Zod) => Schema;
  near: fc.Arbitrary<unknown>;
}

const json = fc.jsonValue({ maxDepth: 2 });
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
const name = fc.constantFrom('a', 'b', 'c', 'd');

const leaf: fc.Arbitrary<Recipe> = fc.oneof(
  fc.tuple(fc.nat(3), fc.nat(3)).map(([least, more]) => ({
    make: (z: Zod) =>
      z
        .string()
        .min(least)
        .max(least + more),
    near: word,
  })),
  fc.tuple(fc.integer({ min: -5, max: 5 }), fc.nat(5)).map(([least, more]) => ({
    make: (z: Zod) =>
      z
        .number()
        .int()
        .min(least)
        .max(least + more),
    near: fc.oneof(fc.integer({ min: -12, max: 12 }), fc.constant(0.5)),
  })),
  fc
    .integer({ min: -5, max: 5 })
    .map((least) => ({ make: (z: Zod) => z.number().gt(least), near: fc.integer({ min: -8, max: 8 }) })),
  fc.constant({ make: (z: Zod) => z.boolean(), near: fc.boolean() }),
  fc.constant({ make: (z: Zod) => z.null(), near: fc.constant(null) }),
  fc.constant({ make: (z: Zod) => z.string().regex(/^a+b?$/), near: word }),
  fc.constant({ make: (z: Zod) => z.enum(['a', 'bb']), near: word }),
  fc
    .oneof(word, fc.integer(), fc.boolean())
    .map((value) => ({ make: (z: Zod) => z.literal(value), near: fc.constant(value) })),
);

const recipes = fc.letrec<{
  any: Recipe;
  union: Recipe;
  list: Recipe;
  tuple: Recipe;
  object: Recipe;
  record: Recipe;
  null: Recipe;
}>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    tie('union'),
    tie('list'),
    tie('tuple'),
    tie('object'),
    tie('record'),
    tie('null'),
  ),
  null: tie('any').map(({ make, near }) => ({ make: (z) => make(z).nullable(), near: fc.option(near) })),
  union: fc.tuple(tie('any'), tie('any')).map(([left, right]) => ({
    make: (z) => z.union([left.make(z), right.make(z)]),
    near: fc.oneof(left.near, right.near),
  })),
  list: fc.tuple(tie('any'), fc.nat(2)).map(([item, least]) => ({
    make: (z) => z.array(item.make(z)).min(least),
    near: fc.array(item.near, { maxLength: 3 }),
  })),
  tuple: fc.tuple(tie('any'), tie('any'), fc.boolean()).map(([first, second, open]) => ({
    make: (z) =>
      open ? z.tuple([first.make(z), second.make(z)]).rest(first.make(z)) : z.tuple([first.make(z), second.make(z)]),
    near: fc.oneof(
      fc.tuple(first.near),
      fc.tuple(first.near, second.near),
      fc.tuple(first.near, second.near, first.near),
    ),
  })),
  record: tie('any').map(({ make, near }) => ({
    make: (z) => z.record(z.string(), make(z)),
    near: fc.dictionary(name, near),
  })),
  object: fc
    .tuple(
      fc.dictionary(name, fc.tuple(tie('any'), fc.boolean()), { minKeys: 1, noNullPrototype: true }),
      fc.constantFrom('strip', 'strict', 'catchall'),
    )
    .map(([members, mode]) => ({
      make: (z) => {
        const shape = Object.entries(members).map(([name, [{ make }, optional]]) => [
          name,
          optional ? make(z).optional() : make(z),
        ]);
        const object = z.object(Object.fromEntries(shape));
        return mode === 'strip' ? object : mode === 'strict' ? object.strict() : object.catchall(z.number());
      },
      near: fc
        .tuple(
          fc.record(Object.fromEntries(Object.entries(members).map(([name, [{ near }]]) => [name, near])), {
            requiredKeys: [],
          }),
          fc.option(fc.dictionary(name, fc.nat(3), { maxKeys: 1, noNullPrototype: true })),
        )
        .map(([known, extra]) => ({ ...extra, ...known })),
    })),
}));

const ajv = new Ajv2020({ strict: false });

function agree(given: unknown, value: unknown): void {
  const { json, parse } = compile(given, 'output', 'schema');
  const published = ajv.validate(json, value);
  let parsed = true;
  try {
    parse?.(value);
  } catch (error) {
    parsed = false;
    strictEqual((error as Error).name, 'SchemaProblems');
    ok((error as Error).message.length > 0);
  }
  strictEqual(parsed, published, `${JSON.stringify(json)} and ${JSON.stringify(value)}`);
}

for (const [release, zod] of [
  ['zod 4', z],
  ['zod 3', z3 as unknown as Zod],
] as const) {
  test(`what the published schema accepts is what the parser accepts: ${release}`, () => {
    const pair = recipes.any.chain(({ make, near }) =>
      fc.tuple(fc.constant(make), fc.oneof({ weight: 4, arbitrary: near }, json)),
    );
    fc.assert(
      fc.property(pair, ([make, value]) => {
        agree(make(zod), JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 400 },
    );
  });
}

test('both generations of zod publish the same', () => {
  fc.assert(
    fc.property(recipes.any, ({ make }) => {
      const [newer, older] = [z, z3 as unknown as Zod].map((zod) =>
        JSON.stringify(compile(make(zod), 'output', 'schema').json),
      );
      strictEqual(newer, older);
    }),
    { numRuns: 200 },
  );
});
