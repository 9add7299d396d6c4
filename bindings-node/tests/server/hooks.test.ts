/** Who is calling, what they may see, what has happened. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type AuditRecord, type Principal, Server } from 'omniport';

import { deferred } from '../support/deferred.js';
import { Talk } from '../support/talk.js';

test('only an explicit subject lets a caller in (X12)', async () => {
  const answers: Record<string, unknown> = {
    alice: { subject: 'alice', scopes: ['read'] },
    nothing: undefined,
    null: null,
    false: false,
    empty: { subject: '' },
    other: { authenticated: true },
    number: { subject: 7 },
  };
  const app = new Server({
    name: 'hooks',
    auth: async (headers) => {
      if (headers.authorization === 'throws') throw new Error('no database');
      return answers[headers.authorization ?? ''] as Principal;
    },
  });
  app.tool('who', (_, cx) => cx.principal);
  await using talk = await Talk.with(app);
  const call = (authorization: string) => talk.call('who', {}, { headers: { authorization } });
  const { result } = await call('alice');
  assert.equal(result.structuredContent.subject, 'alice');
  assert.deepEqual(result.structuredContent.scopes, ['read']);
  for (const name of Object.keys(answers).slice(1)) assert.ok((await call(name)).status >= 400, name);
  assert.ok((await call('throws')).status >= 400);
});

test('what is not visible is not there', async () => {
  const app = new Server({
    name: 'hooks',
    visible: (cx, kind, names) => names.filter((name) => kind !== 'tools' || name !== 'secret' || cx.headers['x-key']),
  });
  app.tool('open', () => 'o');
  app.tool('secret', () => 's');
  await using talk = await Talk.with(app);
  const names = async (headers: Record<string, string>) =>
    (await talk.request('tools/list', {}, { headers })).result.tools.map(({ name }: { name: string }) => name);
  assert.deepEqual(await names({}), ['open']);
  assert.deepEqual(await names({ 'x-key': '1' }), ['open', 'secret']);
  assert.equal((await talk.call('secret')).result, undefined);
});

test('one audit record for each call, without arguments; an observer that fails changes nothing', async () => {
  const records: AuditRecord[] = [];
  const twice = deferred<void>();
  const app = new Server({
    name: 'hooks',
    audit: async (record) => {
      if (records.push(record) === 2) twice.resolve();
      throw new Error('the disk is full');
    },
  });
  app.tool('a', () => 'x');
  app.tool('b', () => {
    throw new Error('y');
  });
  const { error } = console;
  console.error = () => {};
  try {
    await using talk = await Talk.with(app);
    await talk.call('a', { password: 'secret' });
    await talk.call('b');
    await twice.promise;
  } finally {
    console.error = error;
  }
  const [a, b] = records;
  assert.equal(a?.name, 'a');
  assert.match(a?.argumentsSha256 ?? '', /^[0-9a-f]{64}$/);
  assert.equal(JSON.stringify(a).includes('secret'), false);
  assert.notEqual(a?.outcome, b?.outcome);
});
