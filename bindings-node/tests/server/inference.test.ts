/** Types of handlers: this file has to compile, and each `@ts-expect-error` marks what must not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Server, ToolResult, text } from 'omniport';
import { z } from 'zod';

/** Whether two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

test('handlers are typed by their schemas', () => {
  const app = new Server({
    name: 'types',
    lifespan: async function* () {
      yield { pool: 1 };
    },
  });

  app.tool('schema', { input: z.object({ a: z.number(), b: z.string().default('') }) }, ({ a, b }, cx) => {
    same<typeof a, number>(true);
    same<typeof b, string>(true);
    same<typeof cx.lifespan, { pool: number }>(true);
    return a;
  });
  app.tool('record', { input: { a: z.string().optional() } }, ({ a }) => same<typeof a, string | undefined>(true));
  app.tool('none', (args) => same<typeof args, Record<string, unknown>>(true));

  const output = z.object({ n: z.number() });
  app.tool('output', { output }, () => ({ n: 1 }));
  app.tool('later', { output }, async () => ({ n: 1 }));
  app.tool('whole', { output }, () => new ToolResult({ structuredContent: { n: 1 } }));
  app.tool('block', { output }, () => text('x'));
  // @ts-expect-error the output schema wants a number
  app.tool('wrong', { output }, () => ({ n: 'x' }));
  // @ts-expect-error there is no such argument
  app.tool('wrong', { input: { a: z.string() } }, ({ b }) => b);

  app.resource('db://{table}/{id}{?limit,all}', (variables) => {
    same<typeof variables.table, string>(true);
    same<typeof variables.limit, string | undefined>(true);
    same<keyof typeof variables, 'table' | 'id' | 'limit' | 'all'>(true);
    return '';
  });
  app.resource('file://{/path*}{#part:3}', {}, ({ path, part }) => {
    same<typeof path, string[]>(true);
    same<typeof part, string>(true);
    return '';
  });
  // @ts-expect-error there is no such variable
  app.resource('db://{table}', ({ tabel }) => tabel);

  app.prompt('schema', { input: { n: z.number() } }, ({ n }) => `${n.toFixed()}`);
  app.prompt('list', { input: [{ name: 'a', required: true }, { name: 'b' }] }, ({ a, b }) => {
    same<typeof a, string>(true);
    same<typeof b, string | undefined>(true);
    return a;
  });

  app.tool('ask', async (_, cx) => {
    const form = await cx.elicit('?', { n: z.number() });
    if (form.action === 'accept') same<typeof form.content, { n: number }>(true);
    const pick = await cx.elicit('?', ['a', 'b']);
    if (pick.action === 'accept') same<typeof pick.content, 'a' | 'b'>(true);
    const step = await cx.step('s', async () => 1);
    same<typeof step, number>(true);
  });
  assert.equal(app.name, 'types');
});

test('cx.lifespan is what the lifespan gives, in each of its forms', () => {
  new Server({ name: 'x', lifespan: () => 1 }).tool('a', (_, cx) => same<typeof cx.lifespan, number>(true));
  new Server({ name: 'x', lifespan: async () => ({ db: 1 }) }).tool('a', (_, cx) =>
    same<typeof cx.lifespan, { db: number }>(true),
  );
  const held = async () => ({ db: 'x', async [Symbol.asyncDispose]() {} });
  new Server({ name: 'x', lifespan: held }).tool('a', (_, cx) => same<typeof cx.lifespan.db, string>(true));
  new Server({ name: 'x' }).tool('a', (_, cx) => same<typeof cx.lifespan, unknown>(true));
});
