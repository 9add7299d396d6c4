/** A million calls leave nothing behind: the memory of the server's process is what it was after the first ones. */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Until the compiler has settled, and pools and pages have their size. */
const WARM = 200_000;
const WINDOW = 200_000;
const WINDOWS = 4;
const BATCH = 500;
/** The least thing that could be kept of a call, a number and its place, takes as much. */
const BYTES_PER_CALL = 16;

interface Answer {
  id: number;
  result?: { content: { text: string }[]; isError?: boolean };
}

interface Memory {
  rss: number;
  heapUsed: number;
  external: number;
}

/** A client that costs next to nothing: lines out, lines in, each answer checked. */
class Lines {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  #id = 0;

  constructor() {
    const program = fileURLToPath(new URL('server.js', import.meta.url));
    this.#child = spawn(process.execPath, ['--expose-gc', program]);
    this.#child.stderr.pipe(process.stderr);
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async #answer(): Promise<Answer> {
    const { value, done } = await this.#answers.next();
    assert.ok(!done, 'the server ended');
    return JSON.parse(value) as Answer;
  }

  async initialize(): Promise<void> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'leak', version: '1' } };
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`);
    await this.#answer();
    this.#child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  #call(name: string, given: string): string {
    this.#id += 1;
    return `{"jsonrpc":"2.0","id":${this.#id},"method":"tools/call","params":{"name":"${name}","arguments":${given}}}\n`;
  }

  /** So many calls, in batches; every tenth one fails in its handler. */
  async calls(count: number): Promise<void> {
    const first = this.#id;
    for (let made = 0; made < count; made += BATCH) {
      let text = '';
      for (let at = 0; at < BATCH; at += 1) {
        text += at % 10 === 9 ? this.#call('fail', '{}') : this.#call('add', `{"a":${this.#id},"b":1}`);
      }
      this.#child.stdin.write(text);
      for (let at = 0; at < BATCH; at += 1) {
        const { id, result } = await this.#answer();
        if (result?.isError) assert.equal((id - first) % 10, 0);
        else assert.equal(result?.content[0]?.text, String(id));
      }
    }
  }

  async memory(): Promise<Memory> {
    this.#child.stdin.write(this.#call('memory', '{}'));
    const { result } = await this.#answer();
    return JSON.parse(result?.content[0]?.text ?? '') as Memory;
  }

  async end(): Promise<void> {
    this.#child.stdin.end();
    await once(this.#child, 'exit');
  }
}

/** A leak shows in every window; a heap or a pool that finds its size only once does in one of them. */
function median(growths: number[]): number {
  return growths.sort((a, b) => a - b)[growths.length >> 1] ?? 0;
}

test('a million calls leave no memory behind', async (t) => {
  const lines = new Lines();
  await lines.initialize();
  await lines.calls(WARM);
  const seen = [await lines.memory()];
  for (let window = 0; window < WINDOWS; window += 1) {
    await lines.calls(WINDOW);
    seen.push(await lines.memory());
  }
  await lines.end();
  for (const part of ['heapUsed', 'external', 'rss'] as const) {
    const sizes = seen.map((memory) => memory[part]);
    t.diagnostic(`${part}: ${sizes.map((size) => (size / 1e6).toFixed(1)).join(', ')} MB`);
    const growth = median(sizes.slice(1).map((size, at) => size - (sizes[at] ?? 0)));
    assert.ok(growth < WINDOW * BYTES_PER_CALL, `${part} grows by ${growth} bytes with ${WINDOW} calls`);
  }
});
