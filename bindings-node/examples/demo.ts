/**
 * Drives a SQLite server with the client: over stdio, then over HTTP in both eras of the protocol.
 *
 * `node demo.ts DATABASE COMMAND...`: the command starts the server, with `--db` and, for HTTP, `--http` added. The exit code is 0 only if
 * every step did what it should.
 */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';

import { Client, OmniportError } from 'omniport';

const BEST_SELLERS = 'SELECT title, author, sold, revenue FROM sales ORDER BY revenue DESC LIMIT 6';

class Unexpected extends Error {}

interface Rows {
  columns: string[];
  rows: (string | number | null)[][];
  note: string;
}

/** What is asked of a database. */
interface Question {
  table: string;
  query: string;
}

const paint = (style: Parameters<typeof styleText>[0], text: string) =>
  process.stdout.isTTY && !process.env.NO_COLOR ? styleText(style, text) : text;

function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Unexpected(otherwise);
}

/** What a person sees: one line for each step, and below it what came back. */
class Report {
  passed = 0;
  failed = 0;

  heading(text: string, detail: string): void {
    console.log(`\n${paint('cyan', text)}  ${paint('gray', detail)}\n`);
  }

  async step(title: string, brief: boolean, work: () => Promise<string[]>): Promise<void> {
    const began = performance.now();
    let mark = paint('green', '✓');
    let lines: string[];
    try {
      lines = await work();
      this.passed += 1;
    } catch (error) {
      if (!(error instanceof OmniportError || error instanceof Unexpected)) throw error;
      this.failed += 1;
      mark = paint('red', '✗');
      lines = [`${error.name}: ${error.message}`];
      brief = false;
    }
    const took = `${(performance.now() - began).toFixed(1)} ms`.padStart(9);
    console.log(`  ${mark} ${title} ${paint('gray', '·'.repeat(58 - title.length))} ${took}`);
    if (!brief) console.log(lines.map((line) => `      ${line}\n`).join(''));
  }
}

/** The text of a block or of the contents of a resource. */
function textOf(block: object | undefined): string {
  expect(block !== undefined && 'text' in block && typeof block.text === 'string', 'no text came');
  return block.text;
}

/** A table of the database and a query that every database of its kind can answer; the sample has a better one. */
async function firstQuestion(client: Client): Promise<Question> {
  const { contents } = await client.readResource('db://tables');
  const names = (JSON.parse(textOf(contents[0])) as { name: string }[]).map(({ name }) => name);
  if (names.includes('books') && names.includes('sales')) return { table: 'books', query: BEST_SELLERS };
  const [table] = names;
  expect(table !== undefined, 'the database has no tables');
  return { table, query: `SELECT * FROM ${quoted(table)} LIMIT 6` };
}

/** An identifier of SQL, whatever characters it has. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

async function walk(client: Client, { table, query }: Question, report: Report, brief: boolean): Promise<void> {
  await report.step('the tools', brief, async () => {
    const tools = await client.listTools();
    const names = tools.map((tool) => tool.name).sort();
    expect(names.join() === 'list_tables,query_database', "these are not the server's tools");
    return tools.map((tool) => `${tool.name.padEnd(16)}${paint('gray', tool.description?.split('\n')[0] ?? '')}`);
  });
  await report.step('a query', brief, async () => {
    const result = await client.callTool('query_database', { sql: query }, { raiseOnError: true });
    const found = result.structuredContent as Rows | undefined;
    expect(found !== undefined && found.columns.length > 0, 'a query without columns');
    return [paint('gray', query), '', ...aligned(found), ...(found.note === '' ? [] : [found.note])];
  });
  await report.step(`the schema of ${table}`, brief, async () => {
    const { contents } = await client.readResource(`db://tables/${encodeURIComponent(table)}/schema`);
    const text = textOf(contents[0]);
    expect(text.toUpperCase().includes('CREATE'), 'no schema came');
    return text.split('\n');
  });
  await report.step('a prompt', brief, async () => {
    const { messages } = await client.getPrompt('code_review', { code: 'def f(x): return x + x' });
    const text = textOf(messages[0]?.content);
    expect(text.includes('python'), 'the default language is missing');
    return text.split('\n');
  });
  await report.step('writes are refused', brief, async () => {
    const lines: string[] = [];
    const attempts = [
      `DELETE FROM ${quoted(table)}`,
      `WITH doomed AS (SELECT 1) DELETE FROM ${quoted(table)}`,
      "ATTACH 'elsewhere.db' AS elsewhere",
    ];
    for (const sql of attempts) {
      const result = await client.callTool('query_database', { sql });
      expect(result.isError === true, `${sql} was not refused`);
      lines.push(`${sql.padEnd(56)} ${paint('yellow', textOf(result.content[0]))}`);
    }
    return lines;
  });
  await report.step('a wrong argument is explained', brief, async () => {
    const result = await client.callTool('query_database', { sql: 7 });
    expect(result.isError === true, 'a number was taken for SQL');
    return textOf(result.content[0])
      .split('\n')
      .map((line) => paint('yellow', line));
  });
}

/** A table for the terminal; numbers to the right. */
function aligned({ columns, rows }: Rows): string[] {
  const texts = rows.map((row) => row.map((cell) => cut(String(cell ?? ''))));
  const widths = columns.map((name, at) => Math.max(name.length, ...texts.map((row) => row[at]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        return rows.every((row) => typeof row[at] !== 'string') ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [line(columns), widths.map((width) => '─'.repeat(width)).join('  '), ...texts.map(line)];
}

function cut(text: string, most = 40): string {
  const line = text.split(/\s+/).join(' ');
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

/** Starts the server on a free port, for as long as `use` takes its URL. */
async function overHttp(command: string[], use: (url: string) => Promise<void>): Promise<void> {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, '--http', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    for await (const line of createInterface(child.stderr)) {
      if (line.startsWith('serving ')) return await use(line.slice('serving '.length));
    }
    throw new Unexpected('the server ended before it served');
  } finally {
    child.kill();
  }
}

const [database, ...server] = process.argv.slice(2);
if (database === undefined || server.length === 0) {
  console.error('usage: demo DATABASE COMMAND...');
  process.exit(2);
}
const command = [...server, '--db', database];
const report = new Report();
let question: Question;
const began = performance.now();
{
  await using client = new Client(command);
  await client.connect();
  const took = (performance.now() - began).toFixed(0);
  report.heading('Node, stdio', `MCP ${client.protocolVersion}, the server started and answered in ${took} ms`);
  question = await firstQuestion(client);
  await walk(client, question, report, false);
}
await overHttp(command, async (url) => {
  for (const era of ['legacy', 'modern'] as const) {
    await using client = new Client(url, { era });
    await client.connect();
    report.heading(`Node, HTTP, ${era}`, `MCP ${client.protocolVersion}, ${url}`);
    await walk(client, question, report, true);
  }
});
const outcome = `${report.passed} steps worked${report.failed > 0 ? `, ${report.failed} did not` : ''}`;
console.log(`\n${paint(report.failed > 0 ? 'red' : 'green', outcome)}`);
process.exitCode = report.failed > 0 ? 1 : 0;
