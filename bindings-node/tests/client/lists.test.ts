import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, Client } from 'omniport';
import { RAW, raw, small, textOf } from './support.js';

test('T06: a listing is all pages when it is awaited; what has no name is left out', async () => {
  await using client = raw();
  const tools = await client.listTools();
  deepEqual(
    tools.map((tool) => tool.name),
    ['good', 'odd', 'last'],
  );
  deepEqual(tools[0], { name: 'good', inputSchema: { type: 'object' }, extra: 1 });
  const listing = client.listTools({ fresh: true });
  const [first, second] = await Promise.all([listing, listing.finally(() => {})]);
  equal(first, second);
});

test('T06: iterated over, a listing is asked for page by page, and no further than one goes', async () => {
  await using client = raw();
  for await (const tool of client.listTools()) {
    equal(tool.name, 'good');
    break;
  }
  deepEqual(JSON.parse(textOf(await client.callTool('asked'))), ['']);
  const names: string[] = [];
  for await (const tool of client.listTools()) names.push(tool.name);
  deepEqual(names, ['good', 'odd', 'last']);
  const page = await client.listToolsPage('b');
  deepEqual([page.tools.map((tool) => tool.name), page.nextCursor], [['odd'], 'c']);
});

test('a listing that nobody awaits asks for nothing, and one that fails says why', async () => {
  const client = new Client(RAW, { era: 'legacy' });
  client.listTools();
  equal(client.state, 'closed');
  await using open = client;
  await rejects(open.listResources().then(), { name: /./ });
  await rejects(async () => {
    for await (const _ of open.listPrompts()) ok(false);
  });
  equal(await open.listResources().catch(() => 'caught'), 'caught');
});

for (const era of ['legacy', 'modern'] as const) {
  test(`changes of a ${era} server can be iterated over until the client is closed`, async () => {
    const server = small();
    const client = new Client(server, { era });
    equal((await client.listTools()).length, 1);
    const changes = client.listen({ resources: false, prompts: false });
    const step = changes.next();
    await client.ping().catch(() => {});
    await client.listTools();
    server.add('extra', () => 'new');
    const { value } = await step;
    equal(value?.kind, 'tools');
    deepEqual(await changes.return(), { value: undefined, done: true });
    deepEqual(await changes.next(), { value: undefined, done: true });
    const rest = client.listen();
    const waiting = rest.next();
    await client.listTools({ fresh: true });
    await client.close();
    deepEqual(await waiting, { value: undefined, done: true });
  });
}

test('R09: changes that nobody took yet are one', async () => {
  await using client = raw();
  const changes = client.listen();
  const first = changes.next();
  await client.callTool('changed', { count: 1000 });
  equal((await first).value?.kind, 'tools');
  await client.callTool('changed', { count: 1000 });
  await client.ping();
  const kinds: string[] = [];
  const last = changes.next().then(({ value }) => value && kinds.push(value.kind));
  await last;
  const next = changes.next();
  await changes.return();
  await next;
  ok(kinds.length <= 2, `at most one waits: ${kinds}`);
});

test('an iteration throws when the connection is lost for good', async () => {
  await using client = raw({ recover: false });
  const seen: Change[] = [];
  const iteration = (async () => {
    for await (const change of client.listen()) seen.push(change);
  })();
  const lost = rejects(iteration, { kind: 'closed' });
  await rejects(client.callTool('die', {}, { safe: false }));
  await lost;
});

test('changes reach the callback', async () => {
  const server = small();
  let tell: (change: Change) => void = () => {};
  const change = new Promise<Change>((resolve) => {
    tell = resolve;
  });
  await using client = new Client(server, { onChange: tell }).ref();
  await client.listTools();
  server.add('extra', () => 'new');
  equal((await change).kind, 'tools');
});
