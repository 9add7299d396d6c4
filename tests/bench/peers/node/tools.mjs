// What the Node servers of the bench share.
import * as z from 'zod';

export const BIG = 'The quick brown fox says "hello", then jumps over the lazy dog.\n'.repeat(15_625);

export const MEMBERS = {
  add: { a: z.int(), b: z.int() },
  echo: { text: z.string() },
  search: { query: z.string(), limit: z.int().default(10), exact: z.boolean().default(false) },
};

export const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** The names and descriptions of the thousand more; none without MANY in the environment. */
export function many() {
  if (process.env.MANY === undefined) return [];
  return Array.from({ length: 1000 }, (_, number) => [
    `tool_${String(number).padStart(4, '0')}`,
    `Searches collection ${number}.`,
  ]);
}

/** Registers the tools on an `McpServer` of either generation. `schema` makes what it wants of a record of members. */
export function register(server, schema) {
  const add = { description: 'Adds two numbers.', inputSchema: schema(MEMBERS.add) };
  server.registerTool('add', add, async ({ a, b }) => text(String(a + b)));
  const echo = { description: 'Gives the text back.', inputSchema: schema(MEMBERS.echo) };
  server.registerTool('echo', echo, async (given) => text(given.text));
  server.registerTool('big', { description: 'A text of 1 MB.' }, async () => text(BIG));
  for (const [name, description] of many()) {
    server.registerTool(name, { description, inputSchema: schema(MEMBERS.search) }, async () => text('found'));
  }
}
