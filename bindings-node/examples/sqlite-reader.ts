/**
 * Runs one statement that reads, in a process of its own: SQLite cannot be interrupted from JavaScript, and a thread that is in it cannot be
 * ended either.
 *
 * That nothing can be written is SQLite's own doing and not a list of keywords: the file is opened read-only, and a statement is run only if
 * its compiled form gives columns. `WITH x AS (...) DELETE ...` is refused, a column called `created_at` is not.
 */

import { spawn } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

import { ToolError } from 'omniport';

const MAX_ROWS = 100;
const MAX_SECONDS = 5;
const MAX_BYTES = 1_000_000; // of one value

/** What a query gives. */
export interface Rows {
  columns: string[];
  rows: (string | number | bigint | null)[][];
  more_rows: boolean;
  note: string;
}

interface Question {
  database: string;
  sql: string;
  values: (string | number)[];
}
type Outcome = { rows: Rows } | { refused: string };
type Value = string | number | bigint | null | Uint8Array;

const PROGRAM = fileURLToPath(import.meta.url);

/** At most a hundred rows; throws `ToolError` when SQLite refuses the statement or it takes too long. */
export async function query(database: string, sql: string, values: (string | number)[] = []): Promise<Rows> {
  // The limit of the shell holds, too, when nobody is left who would end the process.
  const limited = `ulimit -t ${MAX_SECONDS}; exec "$0" "$@"`;
  const reader = spawn('/bin/sh', ['-c', limited, process.execPath, '--disable-warning=ExperimentalWarning', PROGRAM], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced', // takes BigInt
    timeout: MAX_SECONDS * 1000,
    killSignal: 'SIGKILL',
  });
  const outcome = await new Promise<Outcome>((resolve, reject) => {
    reader.once('message', resolve);
    reader.once('error', reject);
    reader.once('exit', () => resolve({ refused: `it took longer than ${MAX_SECONDS} s` }));
    reader.send({ database, sql, values } satisfies Question);
  });
  if ('refused' in outcome) throw new ToolError(`SQLite refused the statement: ${outcome.refused}`);
  return outcome.rows;
}

function read({ database, sql, values }: Question): Outcome {
  const connection = new DatabaseSync(database, { readOnly: true });
  try {
    const statement = connection.prepare(sql);
    // What SQLite compiled is the first statement only; it would leave out the rest without a word.
    if (sql.slice(statement.sourceSQL.length).trim() !== '') return { refused: 'only one statement is run' };
    const columns = statement.columns().map((column) => column.name);
    if (columns.length === 0) return { refused: 'only reading is allowed' };
    statement.setReadBigInts(true);
    // As lists, and not as objects, in which two columns of one name are one.
    statement.setReturnArrays(true);
    const rows: Value[][] = [];
    for (const row of statement.iterate(...values)) {
      const cells = row as unknown as Value[];
      // Looked at when it is there: the SQLite inside Node counts no memory, so its own limits (`PRAGMA hard_heap_limit`) do nothing.
      if (cells.some(isLarge)) return { refused: `a value has more than ${MAX_BYTES} bytes` };
      if (rows.push(cells) > MAX_ROWS) break;
    }
    const more = rows.length > MAX_ROWS;
    return {
      rows: {
        columns,
        rows: rows.slice(0, MAX_ROWS).map((row) => row.map(shown)),
        more_rows: more,
        note: more ? `only the first ${MAX_ROWS} rows are shown; narrow the query for the rest` : '',
      },
    };
  } catch (error) {
    const reason = (error as Error).message;
    return { refused: reason.includes('readonly') ? 'only reading is allowed' : reason };
  } finally {
    connection.close();
  }
}

function isLarge(value: Value): boolean {
  return value instanceof Uint8Array
    ? value.byteLength > MAX_BYTES
    : typeof value === 'string' && value.length > MAX_BYTES;
}

function shown(value: Value): string | number | bigint | null {
  if (value instanceof Uint8Array) return `<${value.byteLength} bytes>`;
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

if (process.argv[1] === PROGRAM) {
  process.once('message', (question: Question) => process.send?.(read(question), () => process.disconnect()));
}
