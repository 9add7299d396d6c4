/** valibot, arktype, plain JSON Schema and TypeBox. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { compile, jsonSchema, type SchemaProblems } from '../../dist/schema/index.js';

const input = (given: unknown) => compile(given, 'input', 'tool `t`');
const output = (given: unknown) => compile(given, 'output', 'tool `t`');

test('Z03 valibot: the input side, and the output side for handlers', () => {
  const schema = v.object({
    a: v.optional(v.number(), 5),
    b: v.pipe(v.string(), v.transform(Number)),
    c: v.pipe(
      v.string(),
      v.email(),
      v.check((text) => text !== 'x'),
      v.regex(/@/i),
      v.description('d'),
    ),
    d: v.nullish(v.string()),
  });
  const { json, parse } = input(schema);
  deepStrictEqual(json, {
    type: 'object',
    properties: {
      a: { type: 'number', default: 5 },
      b: { type: 'string' },
      c: { type: 'string', format: 'email', description: 'd' },
      d: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['b', 'c'],
  });
  deepStrictEqual(parse?.({ b: '7', c: 'a@b.cd' }), { a: 5, b: 7, c: 'a@b.cd' });
});

test('Z03 valibot: what JSON does not have', () => {
  throws(() => input(v.object({ a: v.date() })), /^DefinitionError.*tool `t`.*a Date/s);
  throws(() => input(v.object({ a: v.bigint() })), /a bigint/);
  throws(() => input(v.object({ a: v.map(v.string(), v.string()) })), /has no JSON Schema: valibot says: .*"map"/);
  throws(() => output(v.object({ a: v.pipe(v.string(), v.transform(Number)) })), /ends with a transform/);
  deepStrictEqual(
    output(v.object({ a: v.pipe(v.string(), v.transform(Number), v.number()), d: v.date() })).json.properties,
    {
      a: { type: 'number' },
      d: { type: 'string', format: 'date-time' },
    },
  );
});

test('valibot: records with keys to choose from, variants, and unions with undefined', () => {
  const schema = v.object({
    r: v.record(v.picklist(['a', 'b']), v.string()),
    u: v.optional(v.union([v.string(), v.undefined()])),
    k: v.variant('k', [v.object({ k: v.literal('a') }), v.object({ k: v.literal('b') })]),
  });
  const { r, u, k } = input(schema).json.properties as Record<string, Record<string, unknown>>;
  deepStrictEqual(r?.propertyNames, { enum: ['a', 'b'], type: 'string' });
  deepStrictEqual(u, { type: 'string' });
  strictEqual((k?.oneOf as unknown[] | undefined)?.length, 2);
});

test('valibot: recursive schemas keep their definitions, also inside a record', () => {
  interface Tree {
    kids: Tree[];
  }
  const tree: v.GenericSchema<Tree> = v.object({ kids: v.array(v.lazy(() => tree)) });
  const { json } = input({ a: tree, b: v.optional(tree) });
  const { $defs, properties } = json as { $defs: Record<string, unknown>; properties: Record<string, unknown> };
  strictEqual(Object.keys($defs).length, 2);
  for (const reference of JSON.stringify(properties).match(/#\/\$defs\/\w+/g) ?? []) {
    strictEqual(reference.slice('#/$defs/'.length) in $defs, true);
  }
  deepStrictEqual(json.required, ['a']);
});

test('Z03 arktype: the input side, and the output side for handlers', () => {
  const schema = type({ a: 'number = 5', 'b?': 'string', c: 'string.numeric.parse', u: 'string | undefined' });
  const { json, parse } = input(schema);
  deepStrictEqual(json.required, ['c', 'u']);
  deepStrictEqual(json.properties, {
    a: { type: 'number' },
    b: { type: 'string' },
    // Its pattern has look-around.
    c: { type: 'string' },
    u: { type: 'string' },
  });
  deepStrictEqual(parse?.({ c: '7', u: 'x' }), { a: 5, c: 7, u: 'x' });
  deepStrictEqual((output(schema).json.properties as Record<string, unknown>).c, { type: 'number' });
});

test('Z03 arktype: what JSON does not have is no empty schema', () => {
  throws(() => input(type({ a: 'Date' })), /tool `t`.*a Date.*string\.date\.parse/);
  throws(() => input(type({ a: 'bigint' })), /a bigint/);
  throws(() => input(type({ a: 'Map' })), /a Map/);
  throws(() => input(type('string')), /must be an object at its root/);
  deepStrictEqual(output(type({ a: 'Date', b: 'bigint' })).json.properties, {
    a: { type: 'string', format: 'date-time' },
    b: { type: 'integer' },
  });
});

test('an unpublished library describes itself by Standard JSON Schema', () => {
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'mine',
      validate: async (value: unknown) => ({ value: { ...(value as object), seen: true } }),
      jsonSchema: { input: () => ({ type: 'object', properties: { a: { $ref: '#' } } }), output: () => ({}) },
    },
  };
  deepStrictEqual(input(schema).json, { type: 'object', properties: { a: { $ref: '#' } } });
  deepStrictEqual(input({ m: schema }).json, {
    type: 'object',
    properties: { m: { $ref: '#/$defs/Schema' } },
    required: ['m'],
    $defs: { Schema: { type: 'object', properties: { a: { $ref: '#/$defs/Schema' } } } },
  });
});

test('definitions of a library keep what leads to them, whatever their names', () => {
  const made = {
    type: 'object',
    properties: {
      a: { $ref: '#/$defs/x~1y/properties/p' },
      b: { $ref: '#/$defs/__proto__' },
      c: { $ref: '#/properties/a' },
    },
    $defs: JSON.parse('{"x/y":{"properties":{"p":{"type":"string"}}},"__proto__":{"type":"number"}}'),
  };
  const schema = {
    '~standard': { version: 1, vendor: 'mine', validate: () => ({ issues: [] }), jsonSchema: { input: () => made } },
  };
  strictEqual(
    JSON.stringify(input(schema).json),
    JSON.stringify({ ...made, properties: { ...made.properties, a: { $ref: '#/$defs/x_y/properties/p' } } }).replace(
      'x/y',
      'x_y',
    ),
  );
  const { properties, $defs } = input({ m: schema }).json as Record<string, Record<string, Record<string, unknown>>>;
  deepStrictEqual(properties?.m, { $ref: '#/$defs/Schema' });
  deepStrictEqual($defs?.Schema?.properties, {
    a: { $ref: '#/$defs/x_y/properties/p' },
    b: { $ref: '#/$defs/__proto__' },
    c: { $ref: '#/$defs/Schema/properties/a' },
  });
});

test('members of different libraries are composed and parsed each by its own, one promise for all', async () => {
  const { json, parse } = input({
    a: z.string().transform(Number),
    b: v.optional(v.string(), 'x'),
    c: type('string[]'),
    d: z.string().refine(async (text) => text === 'd', 'must be d'),
  });
  deepStrictEqual(json, {
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: { type: 'string', default: 'x' },
      c: { type: 'array', items: { type: 'string' } },
      d: { type: 'string' },
    },
    required: ['a', 'c', 'd'],
  });
  deepStrictEqual(await parse?.({ a: '1', c: ['q'], d: 'd', more: 1 }), { a: 1, b: 'x', c: ['q'], d: 'd' });
  const failure = await Promise.resolve(parse?.({ a: 1, c: [2], d: 'e' })).catch((error: unknown) => error);
  deepStrictEqual(
    (failure as SchemaProblems).problems.map(({ path }) => path),
    [['a'], ['c', 0], ['d']],
  );
  throws(() => input({ a: z.string() }).parse?.([]), /expected object, received array/);
});

test('Z04 plain JSON Schema is published as it is and left to the core', () => {
  const given = { type: 'object', properties: { a: { type: 'string', pattern: '^(?!x)' } }, required: ['a'] };
  const { json, parse } = input(given);
  deepStrictEqual(json, given);
  strictEqual(parse, null);
  deepStrictEqual(input(jsonSchema<{ a: string }>(given)).json, given);
  deepStrictEqual(output({ type: 'array', items: false }), { json: { type: 'array', items: false }, parse: null });
  deepStrictEqual(output(true), { json: {}, parse: null });
  deepStrictEqual(input({ anyOf: [{ required: ['a'] }, { type: 'object' }] }).json, {
    type: 'object',
    anyOf: [{ required: ['a'] }, { type: 'object' }],
  });
  deepStrictEqual(input({ $ref: '#/$defs/a', $defs: { a: { type: 'object' } } }).json.type, 'object');
});

test('Z04 what looks like JSON Schema and is none is refused', () => {
  throws(() => input({ a: { type: 'string' } }), /JSON Schemas of members stand inside of one/);
  throws(() => input({ type: 'object', properties: { a: z.string() } }), /`properties\.a` .* inside a JSON Schema/);
  throws(() => input({ type: 'object', properties: { a: { pattern: /x/ } } }), /`properties\.a\.pattern` .*source/);
  throws(() => input({ type: ['object', 'null'] }), /must be an object at its root/);
  throws(() => input({ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }), /must be an object at its root/);
  const loop: Record<string, unknown> = { type: 'object' };
  loop.not = loop;
  throws(() => input(loop), /does not end/);
});

test('TypeBox: marks by symbols and hidden members are not published', () => {
  const kind = Symbol.for('TypeBox.Kind');
  const text = { [kind]: 'String', '~kind': 'String', type: 'string' };
  const schema = { [kind]: 'Object', type: 'object', properties: { a: text }, required: ['a'] };
  deepStrictEqual(JSON.parse(JSON.stringify(input(schema).json)), {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
  });
  deepStrictEqual(input({ [kind]: 'Any' }).json, { type: 'object' });
});

test('a JSON Schema that zod made is a JSON Schema', () => {
  const made = z.toJSONSchema(z.object({ a: z.string() })) as Record<string, Record<string, unknown>>;
  made.properties = { b: { type: 'string' } };
  const { json, parse } = input(made);
  deepStrictEqual(json.properties, { b: { type: 'string' } });
  strictEqual(parse, null);
});
