/** What TypeScript knows of a schema. The compiler is what tests this file; running it only shows that the values are real (Z06). */
import { strictEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod-3';
import { compile, type Input, jsonSchema, type Output, type SchemaLike } from '../../dist/schema/index.js';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only when the two types are the same. */
function same<A, B>(..._: Equal<A, B> extends true ? [] : [never]): void {}

/** How `app.tool` sees it. */
function tool<const S extends SchemaLike>(schema: S, handler: (args: Output<S>) => unknown): void {
  strictEqual(typeof handler, 'function');
  compile(schema, 'input', 'tool `t`');
}

test('schemas of libraries', () => {
  const schema = z.object({ a: z.number().default(5), b: z.string().transform(Number), c: z.string().optional() });
  same<Input<typeof schema>, { a?: number | undefined; b: string; c?: string | undefined }>();
  same<Output<typeof schema>, { a: number; b: number; c?: string | undefined }>();
  const old = z3.object({ a: z3.number().default(5), b: z3.string().transform(Number) });
  same<Input<typeof old>, { a?: number | undefined; b: string }>();
  same<Output<typeof old>, { a: number; b: number }>();
  const small = mini.object({ a: mini.number() });
  same<Output<typeof small>, { a: number }>();
  const bot = v.object({ a: v.optional(v.number(), 5) });
  same<Input<typeof bot>, { a?: number | undefined }>();
  same<Output<typeof bot>, { a: number }>();
  const ark = type({ a: 'number', 'b?': 'string' });
  same<Output<typeof ark>, { a: number; b?: string }>();
  tool(schema, ({ a, b }) => a + b);
  tool(old, ({ a, b }) => a + b);
  tool(small, ({ a }) => a);
  tool(bot, ({ a }) => a);
  tool(ark, ({ a, b }) => a + (b ?? '').length);
});

test('records', () => {
  const members = { a: z.number().default(5), b: v.optional(v.string()), c: z3.string().transform(Number) };
  same<Input<typeof members>, { c: string; a?: number | undefined; b?: string | undefined }>();
  same<Output<typeof members>, { a: number; c: number; b?: string | undefined }>();
  tool({ a: z.number(), b: z.string().optional() }, ({ a, b }) => a + (b ?? '').length);
  tool({ type: z.string() }, ({ type }) => type.length);
  // @ts-expect-error a number has no length
  tool({ a: z.number() }, ({ a }) => a.length);
  // biome-ignore lint/complexity/noBannedTypes: no members at all
  same<Output<{}>, {}>();
});

test('plain JSON Schema', () => {
  const typed = jsonSchema<{ a: number }>({ type: 'object', properties: { a: { type: 'number' } } });
  same<Input<typeof typed>, { a: number }>();
  same<Output<typeof typed>, { a: number }>();
  const wide = { type: 'object', properties: { a: { type: 'number' } } };
  same<Output<typeof wide>, Record<string, unknown>>();
  tool(
    {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { enum: ['x', 'y'] }, c: { type: 'array' } },
      required: ['a'],
    },
    ({ a, b, c }) => {
      same<typeof a, number>();
      same<typeof b, 'x' | 'y' | undefined>();
      same<typeof c, unknown[] | undefined>();
    },
  );
  same<Output<{ static: { a: Date }; type: 'object'; properties: object }>, { a: Date }>();
  tool(typed, ({ a }) => a + 1);
});

test('a wrapper with a plain type parameter (Z06)', () => {
  function logged<const S extends SchemaLike>(schema: S, handler: (args: Output<S>) => unknown): void {
    tool(schema, (args) => handler(args));
  }
  logged(z.object({ a: z.number().optional().default(1).describe('x') }), ({ a }) => a.toFixed());
});
