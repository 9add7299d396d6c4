/**
 * Runs one statement that reads, on a thread of its own, so that one that never ends can be ended.
 *
 * That nothing can be written is SQLite's own doing and not a list of keywords: the file is opened read-only, and a statement is run only if
 * its compiled form gives columns. `WITH x AS (...) DELETE ...` is refused, a column called `created_at` is not.
 */

import { DatabaseSync } from 'node:sqlite';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

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

type Outcome = { rows: Rows } | { refused: string };
type Value = string | number | bigint | null | Uint8Array;

/** At most a hundred rows; throws `ToolError` when SQLite refuses the statement or it takes too long. */
export async function query(database: string, sql: string, values: (string | number)[] = []): Promise<Rows> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { database, sql, values } });
  const late = setTimeout(() => void worker.terminate(), MAX_SECONDS * 1000);
  try {
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => resolve({ refused: `it took longer than ${MAX_SECONDS} s` }));
    });
    if ('refused' in outcome) throw new ToolError(`SQLite refused the statement: ${outcome.refused}`);
    return outcome.rows;
  } finally {
    clearTimeout(late);
    void worker.terminate();
  }
}

function read(): Outcome {
  const { database, sql, values } = workerData as { database: string; sql: string; values: (string | number)[] };
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

if (!isMainThread && workerData !== null && 'sql' in workerData) parentPort?.postMessage(read());
