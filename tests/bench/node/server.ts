/** The bench's tools on this project, as a user writes them: `server.js stdio` or `server.js http PORT`. */
import { Server } from 'omniport';
import * as z from 'zod';
import { BIG, many, serve } from './serving.js';

const app = new Server({ name: 'bench', version: '1.0.0' });

app.tool(
  'add',
  { description: 'Adds two numbers.', input: z.object({ a: z.int(), b: z.int() }) },
  async ({ a, b }) => a + b,
);
app.tool(
  'echo',
  { description: 'Gives the text back.', input: z.object({ text: z.string() }) },
  async ({ text }) => text,
);
app.tool('big', { description: 'A text of 1 MB.' }, async () => BIG);

for (const [name, description] of many()) {
  const input = z.object({ query: z.string(), limit: z.int().default(10), exact: z.boolean().default(false) });
  app.tool(name, { description, input }, async () => 'found');
}

await serve(app);
