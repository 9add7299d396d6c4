/**
 * Tools with structured results, a resource template, a prompt, completions. `node notes.ts` serves stdio, `node notes.ts 8000` HTTP.
 */

import { NotFound, Server, ToolError } from 'omniport';
import { z } from 'zod';

const Note = z.object({ id: z.string(), title: z.string(), body: z.string(), tags: z.array(z.string()) });

const notes = new Map<string, z.infer<typeof Note>>();
let last = 0;

const app = new Server({ name: 'notes', version: '1.0.0', instructions: 'Search before you add.' });

app.tool(
  'add',
  {
    description: 'Add a note.',
    input: { title: z.string().min(1), body: z.string(), tags: z.array(z.string()).default([]) },
    output: Note,
  },
  (given) => {
    last += 1;
    const note = { id: String(last), ...given };
    notes.set(note.id, note);
    return note;
  },
);

app.tool(
  'search',
  {
    description: 'Find notes by their text.',
    input: { text: z.string(), limit: z.int().positive().max(50).default(10) },
    output: { found: z.array(Note) },
    annotations: { readOnlyHint: true },
  },
  ({ text, limit }) => {
    const found = [...notes.values()].filter((note) => `${note.title}\n${note.body}`.includes(text));
    return { found: found.slice(0, limit) };
  },
);

app.tool(
  'delete',
  { description: 'Delete a note, if the user agrees.', input: { id: z.string() } },
  async ({ id }, cx) => {
    const note = notes.get(id);
    if (note === undefined) throw new ToolError(`there is no note ${id}`); // a text that the model reads
    const sure = await cx.elicit(`Delete "${note.title}"?`);
    if (sure.action !== 'accept') return 'It was kept.';
    notes.delete(id);
    return 'It is gone.';
  },
);

app.resource('notes://{id}', { name: 'note', description: 'One note.' }, ({ id }, cx) => {
  const note = notes.get(id);
  if (note === undefined) throw new NotFound(cx.uri);
  return note;
});
app.complete('notes://{id}', 'id', (typed) => [...notes.keys()].filter((id) => id.startsWith(typed)));

app.prompt(
  'summary',
  { description: 'Sum notes up.', input: { tag: z.string(), style: z.string().default('short') } },
  ({ tag, style }) => `Give a ${style} summary of my notes about ${tag}.`,
);
app.complete('summary', 'tag', (typed) => {
  const tags = new Set([...notes.values()].flatMap((note) => note.tags));
  return [...tags].filter((tag) => tag.startsWith(typed));
});

const port = process.argv[2];
if (port === undefined) {
  await app.run();
} else {
  const { url, closed } = await app.listen({ port: Number(port) });
  console.error(`serving ${url}`);
  await closed;
}
