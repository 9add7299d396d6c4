/** The server that `calls.test.ts` calls a million times; run with `--expose-gc`. */
import { Server, ToolError } from 'omniport';
import * as z from 'zod';

const app = new Server({ name: 'leak', version: '1.0.0' });

app.tool('add', { input: z.object({ a: z.int(), b: z.int() }) }, async ({ a, b }) => a + b);

app.tool('fail', async () => {
  throw new ToolError('always');
});

/** What is in use once everything that can be freed is. */
app.tool('memory', async () => {
  for (let round = 0; round < 3; round += 1) {
    // A turn of the loop in between, for what finalizers let go.
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heapUsed, external };
});

await app.run();
