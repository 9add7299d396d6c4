/** A client and a server of this package, in one process. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { Client, Server } from 'omniport';

test('a client of a Server in memory', async () => {
  const app = new Server({ name: 'demo', version: '1.0' });
  app.tool(
    'add',
    { input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } },
    (args) => {
      const { a, b } = args as { a: number; b: number };
      return a + b;
    },
  );
  app.resource('text://{name}', ({ name }) => `text of ${name}`);
  app.prompt('greet', {}, () => 'Greet.');
  await using client = new Client(app);
  equal((await client.callTool('add', { a: 1, b: 2 })).content.length, 1);
  deepEqual(
    (await client.listTools()).map((tool) => tool.name),
    ['add'],
  );
  deepEqual(
    (await client.listResourceTemplates()).map((template) => template.uriTemplate),
    ['text://{name}'],
  );
  deepEqual(
    (await client.listPrompts()).map((prompt) => prompt.name),
    ['greet'],
  );
  const { contents } = await client.readResource('text://me');
  equal((contents[0] as { text: string }).text, 'text of me');
  equal((await client.getPrompt('greet')).messages.length, 1);
  await rejects(client.readResource('other://me'), /Resource not found: other:\/\/me/);
  deepEqual([client.serverInfo?.name, client.serverInfo?.version], ['demo', '1.0']);
});

test('a client over HTTP of a server in the same thread', async () => {
  const app = new Server({ name: 'demo', version: '1.0' });
  app.tool('hello', {}, () => 'hello');
  const http = await app.listen({ port: 0 });
  await using client = new Client(http.url);
  deepEqual((await client.callTool('hello')).content, [{ type: 'text', text: 'hello' }]);
  await client.close();
  await http.close();
});
