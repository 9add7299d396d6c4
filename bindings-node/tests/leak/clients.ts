/**
 * clients.js [COUNT]: opens and closes that many clients (10,000) of a server of this process, twice: the second time memory stays flat. Wants
 * --expose-gc.
 */
import { Client, Server } from 'omniport';

const COUNT = Number(process.argv[2] ?? 10_000);
const AT_ONCE = 50;
/** More than the noise of an allocator; a kilobyte left by each client would be ten megabytes. */
const MOST_GROWTH = 8 << 20;

const app = new Server({ name: 'leak', version: '1' });
app.tool('echo', {}, () => 'echo');

async function use(): Promise<void> {
  await using client = new Client(app, { onLog: () => {}, onChange: () => {} });
  await client.callTool('echo');
}

async function round(count: number): Promise<number> {
  for (let done = 0; done < count; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, use));
  for (let turn = 0; turn < 3; turn += 1) {
    // A turn of the loop in between, for what finalizers let go.
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage.rss();
}

const before = await round(COUNT);
const after = await round(COUNT);
console.log(`${COUNT} clients: ${(before / 2 ** 20).toFixed(1)} MiB before, ${(after / 2 ** 20).toFixed(1)} MiB after`);
process.exitCode = after - before > MOST_GROWTH ? 1 : 0;
