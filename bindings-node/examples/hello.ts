/** The smallest server. `node hello.ts` serves stdio; register that command with any MCP host. */

import { Server } from 'omniport';
import { z } from 'zod';

const app = new Server({ name: 'hello' });

const numbers = z.object({ a: z.int(), b: z.int() });
app.tool('add', { description: 'Add two numbers.', input: numbers, output: z.int() }, ({ a, b }) => a + b);

await app.run(); // await app.listen({ port: 8000 }) serves http://127.0.0.1:8000/mcp
