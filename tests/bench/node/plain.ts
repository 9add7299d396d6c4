/** The same tools with plain JSON Schemas and no schema library: `plain.js stdio` or `plain.js http PORT`. */
import { jsonSchema, Server } from 'omniport';
import { BIG, many, serve } from './serving.js';

const integer = { type: 'integer' };
const add = jsonSchema<{ a: number; b: number }>({
  type: 'object',
  properties: { a: integer, b: integer },
  required: ['a', 'b'],
});
const echo = jsonSchema<{ text: string }>({
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
});
const search = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    limit: { type: 'integer', default: 10 },
    exact: { type: 'boolean', default: false },
  },
  required: ['query'],
};

const app = new Server({ name: 'bench', version: '1.0.0' });

app.tool('add', { description: 'Adds two numbers.', input: add }, async ({ a, b }) => a + b);
app.tool('echo', { description: 'Gives the text back.', input: echo }, async ({ text }) => text);
app.tool('big', { description: 'A text of 1 MB.' }, async () => BIG);

for (const [name, description] of many()) {
  app.tool(name, { description, input: search }, async () => 'found');
}

await serve(app);
