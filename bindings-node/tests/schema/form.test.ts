/** Forms for a user: flat schemas, typed answers, the words of the Python package. */
import { deepStrictEqual, rejects, strictEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { z } from 'zod';
import { z as z3 } from 'zod-3';
import { formOf } from '../../dist/schema/index.js';

type Zod = typeof z;

const value = (member: unknown) => ({ type: 'object', properties: { value: member }, required: ['value'] });

test('nothing is a bare yes or no', () => {
  const { schema, answer } = formOf(undefined);
  deepStrictEqual(schema, { type: 'object', properties: {} });
  strictEqual(answer({}), undefined);
});

test('a list is a choice', () => {
  const { schema, answer } = formOf(['red', 'green']);
  deepStrictEqual(schema, value({ type: 'string', enum: ['red', 'green'] }));
  strictEqual(answer({ value: 'red' }), 'red');
  for (const choices of [[], [1]]) {
    throws(() => formOf(choices), {
      name: 'DefinitionError',
      message: /^the choices of a form are texts, at least one, not \[/,
    });
  }
});

test('a scalar is a form with one member', () => {
  const { schema, answer } = formOf(z.number().int().describe('How many?'));
  deepStrictEqual(schema, value({ type: 'integer', description: 'How many?' }));
  strictEqual(answer({ value: 3 }), 3);
  throws(() => answer({ value: 'x' }), {
    name: 'InvalidParams',
    message: /^The answer to the form is not valid: .*number/,
  });
  deepStrictEqual(formOf(v.picklist(['a', 'b'])).schema, value({ enum: ['a', 'b'], type: 'string' }));
});

test('an object has flat members, of zod 4, zod 3 or a record', () => {
  const members = (z: Zod) => ({
    name: z.string().min(1),
    age: z.number().int().optional(),
    colour: z.enum(['red', 'green']).default('red'),
    note: z.string().nullable(),
    tags: z.array(z.enum(['a', 'b'])).max(2),
  });
  const expected = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1 },
      age: { type: 'integer' },
      colour: { type: 'string', enum: ['red', 'green'], default: 'red' },
      note: { type: 'string' },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 2 },
    },
    required: ['name', 'note', 'tags'],
  };
  const old = z3 as unknown as Zod;
  for (const given of [z.object(members(z)), old.object(members(old)), members(z)]) {
    const { schema, answer } = formOf(given);
    deepStrictEqual(schema, expected);
    deepStrictEqual(answer({ name: 'n', note: null, tags: ['a'] }), {
      name: 'n',
      colour: 'red',
      note: null,
      tags: ['a'],
    });
  }
});

test('answers may need a promise', async () => {
  const { answer } = formOf({ name: z.string().refine(async (name) => name !== 'taken', 'is taken') });
  deepStrictEqual(await answer({ name: 'free' }), { name: 'free' });
  await rejects(answer({ name: 'taken' }) as Promise<unknown>, {
    name: 'InvalidParams',
    message: 'The answer to the form is not valid: name: is taken',
  });
});

test('a JSON Schema is sent as it is', () => {
  const given = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const { schema, answer } = formOf(given);
  deepStrictEqual(schema, given);
  deepStrictEqual(answer({ a: 1 }), { a: 1 });
  const titled = { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } };
  deepStrictEqual(formOf({ type: 'object', properties: { titled } }).schema.properties, { titled });
  throws(() => formOf({ type: 'string' }), /^DefinitionError: the schema of a form has the type "object"$/);
});

test('nested members are refused, where their author sees it', () => {
  const nested = /the member `a` of the form is no text, number, boolean or choice; a form has flat members only/;
  throws(() => formOf(z.object({ a: z.object({ b: z.string() }) })), nested);
  throws(() => formOf({ a: z.array(z.string()) }), nested);
  throws(() => formOf({ a: z.union([z.string(), z.number()]) }), nested);
  throws(() => formOf({ type: 'object', properties: { a: { type: 'object' } } }), nested);
  throws(() => formOf(z.record(z.string(), z.string())), /the member `value` of the form/);
});
