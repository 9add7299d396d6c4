import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client, Closed, DefinitionError } from 'omniport';
import { gate, RAW, raw, small, textOf } from './support.js';

test('connect twice at once is one connection; so is connect after a call', async () => {
  await using client = raw();
  const pid = async (): Promise<string> => textOf(await client.callTool('pid'));
  await Promise.all([client.connect(), client.connect()]);
  const first = await pid();
  await client.connect();
  equal(await pid(), first);
});

test('Y25: closed twice is closed once; calls fail then, and connect opens anew', async () => {
  const client = raw();
  const pid = async (): Promise<string> => textOf(await client.callTool('pid'));
  const first = await pid();
  await Promise.all([client.close(), client.close()]);
  await client.close();
  equal(client.state, 'closed');
  await rejects(client.ping(), (error) => error instanceof Closed && error.message.includes('connect()'));
  await client.connect();
  ok((await pid()) !== first);
  await client.close();
});

test('C10: closed while it connects, whoever waits learns of it', async () => {
  const client = raw();
  const connecting = rejects(client.connect(), Closed);
  const call = rejects(client.ping(), Closed);
  await client.close();
  await Promise.all([connecting, call]);
  await client.connect();
  await client.ping();
  await client.close();
});

test('C10: closed with calls on their way, these fail; clients close in any order', async () => {
  const first = new Client(small({ wait: (_, call) => call.cancelled }));
  const second = raw();
  await Promise.all([first.connect(), second.connect()]);
  const failed = rejects(first.callTool('wait'), Closed);
  await first.close();
  await failed;
  await second.ping();
  await second.close();
});

test('never opened, a client closes all the same', async () => {
  const client = raw();
  await client.close();
  await rejects(client.ping(), Closed);
});

test('Y25: a server that died is not used again', async () => {
  const client = raw({ recover: false });
  await rejects(client.callTool('die', {}, { safe: false }));
  await rejects(client.ping(), Closed);
  await client.connect();
  equal(textOf(await client.callTool('good')), 'done');
  await client.close();
});

test('C06: an opening that failed says why, to calls as well, and can be repeated', async () => {
  const place = join(mkdtempSync(join(tmpdir(), 'omniport-')), 'later.mjs');
  const client = new Client([process.execPath, place], { era: 'legacy', limits: { recoverTries: 0 } });
  await rejects(client.connect(), (error: { context: Record<string, string> }) => error.context.exit === '1');
  await rejects(client.ping(), (error: { context: Record<string, string> }) => error.context.exit === '1');
  writeFileSync(place, `import ${JSON.stringify(RAW[1])};`);
  equal(textOf(await client.callTool('good')), 'done');
  await client.close();
  await rejects(new Client(['/no/such/program']).ping(), /\/no\/such\/program/);
});

test('a client of what no server can be is refused at once', () => {
  throws(
    () => new Client(7 as never),
    (error) => error instanceof DefinitionError && /a number: 7/.test(error.message),
  );
  throws(() => new Client(null as never), /not null/);
  throws(() => new Client(RAW, { colour: 'red' } as never), /`colour`/);
  throws(() => new Client(RAW, { limits: { colours: 3 } }), /colours/);
  throws(() => new Client(RAW, { timeout: -1 }), /`timeout`.*milliseconds/);
});

test('M07: servers of configuration files', async () => {
  const [command, script] = RAW as [string, string];
  const config = {
    mcpServers: { raw: { command, args: [script], env: { A: '1' } }, other: { url: 'http://127.0.0.1:9/' } },
  };
  const file = join(mkdtempSync(join(tmpdir(), 'omniport-')), 'mcp.json');
  writeFileSync(file, JSON.stringify(config));
  for (const from of [config, file]) {
    await using client = Client.fromConfig(from, 'raw', { era: 'legacy' });
    equal(textOf(await client.callTool('good')), 'done');
  }
  await using entry = new Client(config.mcpServers.raw, { era: 'legacy' });
  await entry.ping();
  throws(() => Client.fromConfig(config), /raw/);
});

test('two clients of one server in memory, and of one process each', async () => {
  const server = small();
  const clients = Array.from({ length: 5 }, () => new Client(server));
  const answers = await Promise.all(clients.map((client, n) => client.callTool('echo', { n })));
  deepEqual(answers.map(textOf), ['{"n":0}', '{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}']);
  await Promise.all(clients.map((client) => client.close()));
});

test('a call within a callback, and a client that its own callback closes', async () => {
  const closed = gate();
  const client = raw({
    onLog: async () => {
      await client.ping();
      await client.close();
      closed.open();
    },
  });
  await client.callTool('flood', { count: 1 });
  await closed.promise;
  equal(client.state, 'closed');
});
