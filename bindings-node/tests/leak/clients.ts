/**
 * clients.js [COUNT]: opens and closes clients of a server of this process, windows of COUNT (10,000) each, and fails if memory grows from
 * window to window. Wants --expose-gc.
 */
import { Client, Server } from 'omniport';

const COUNT = Number(process.argv[2] ?? 10_000);
/** Until pools and pages have their size. */
const WARM = 2;
const WINDOWS = 5;
const AT_ONCE = 50;
/** The least that could be kept of a client takes more. */
const BYTES_PER_CLIENT = 100;

const app = new Server({ name: 'leak', version: '1' });
app.tool('echo', {}, () => 'echo');

async function use(): Promise<void> {
  await using client = new Client(app, { onLog: () => {}, onChange: () => {} });
  await client.callTool('echo');
}

async function window(): Promise<number> {
  for (let done = 0; done < COUNT; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, use));
  for (let turn = 0; turn < 3; turn += 1) {
    // A turn of the loop in between, for what finalizers let go.
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage.rss();
}

for (let warm = 1; warm < WARM; warm += 1) await window();
const sizes = [await window()];
while (sizes.length <= WINDOWS) sizes.push(await window());
const growths = sizes.slice(1).map((size, at) => size - (sizes[at] ?? 0));
// A leak shows in every window; a heap or a pool that finds its size only once does in one of them.
const growth = growths.sort((a, b) => a - b)[growths.length >> 1] ?? 0;
console.log(`${COUNT} clients in each window: ${sizes.map((size) => (size / 1e6).toFixed(1)).join(', ')} MB`);
process.exitCode = growth > COUNT * BYTES_PER_CLIENT ? 1 : 0;
