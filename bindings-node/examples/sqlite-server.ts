/**
 * A read-only SQLite server: any database, asked with SQL, over stdio or (with --http PORT) over HTTP.
 *
 * `node sqlite-server.ts --db data.db`; needs a Node that has node:sqlite (22.16 or newer).
 */

import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { InvalidParams, Server } from 'omniport';
import { z } from 'zod';

import { query } from './sqlite-reader.js';

const { values: options } = parseArgs({ options: { db: { type: 'string' }, http: { type: 'string' } } });
const database = options.db;
if (database === undefined || !statSync(database, { throwIfNoEntry: false })?.isFile()) {
  console.error(
    database === undefined ? 'usage: sqlite-server --db FILE [--http PORT]' : `there is no file ${database}`,
  );
  process.exit(2);
}

const app = new Server({
  name: 'sqlite',
  instructions: 'Look at list_tables or db://tables/{table}/schema before you write a query.',
});

const Rows = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
  more_rows: z.boolean(),
  note: z.string(),
});
const Tables = z.array(z.object({ name: z.string(), kind: z.string(), columns: z.string() }));

app.tool(
  'query_database',
  {
    description:
      'Run one SQL statement that reads; at most 100 rows come back, and `more_rows` says whether there were more.',
    input: z.object({ sql: z.string() }),
    output: Rows,
  },
  async ({ sql }) => {
    const found = await query(database, sql);
    // An integer beyond 2^53 is shown as text: a model reads it right, and no reader rounds it.
    const plain = (cell: string | number | bigint | null) => (typeof cell === 'bigint' ? cell.toString() : cell);
    return { ...found, rows: found.rows.map((row) => row.map(plain)) };
  },
);

async function tables(): Promise<z.infer<typeof Tables>> {
  const { rows } = await query(
    database as string,
    "SELECT t.name, t.type, group_concat(c.name, ', ') FROM sqlite_master AS t, pragma_table_info(t.name) AS c" +
      " WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~' GROUP BY t.name ORDER BY t.name",
  );
  return rows.map(([name, kind, columns]) => ({ name: String(name), kind: String(kind), columns: String(columns) }));
}

app.tool('list_tables', { description: 'The tables and views, with their columns.', output: Tables }, tables);

app.resource('db://tables', { name: 'tables', mimeType: 'application/json' }, tables);

app.resource(
  'db://tables/{table}/schema',
  { name: 'schema', description: 'The statement that made a table or view.', mimeType: 'text/x-sql' },
  async ({ table }) => {
    const { rows } = await query(database, 'SELECT sql FROM sqlite_master WHERE name = ? AND sql IS NOT NULL', [table]);
    const sql = rows[0]?.[0];
    if (typeof sql === 'string') return sql;
    const known = (await tables()).map(({ name }) => name).join(', ');
    throw new InvalidParams(`no table '${table}'; there are ${known}`);
  },
);

app.prompt(
  'code_review',
  {
    description: 'Ask for a review of some code.',
    input: z.object({ code: z.string(), language: z.string().default('python') }),
  },
  ({ code, language }) =>
    `Review this ${language} code. Name bugs first, then what is hard to read.\n\n\`\`\`${language}\n${code}\n\`\`\``,
);

if (options.http === undefined) {
  await app.run();
} else {
  const { url, closed } = await app.listen({ port: Number(options.http) });
  console.error(`serving ${url}`);
  await closed;
}
