/** The server that other clients are driven against: `server.js stdio`, or `server.js http PORT`. */

import { setTimeout as sleep } from 'node:timers/promises';
import { Server, ToolError } from 'omniport';
import { z } from 'zod';

const PICTURE = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const NOTES: Record<string, string> = { first: 'Buy milk', second: 'Call Ada' };

const app = new Server({
  name: 'interop',
  version: '1.2.3',
  title: 'Interop',
  instructions: 'Ask for the weather.',
  subscribe: true,
});

app.tool(
  'weather',
  {
    description: 'Tells the weather.',
    input: { city: z.string() },
    output: { city: z.string(), celsius: z.number() },
  },
  ({ city }) => ({ city, celsius: 21.5 }),
);

app.tool('fail', { description: 'Always fails.' }, () => {
  throw new ToolError('The oven is cold');
});

app.tool('count', { description: 'Counts, and says how far it is.', input: { to: z.int() } }, async ({ to }, cx) => {
  for (let number = 1; number <= to; number++) {
    cx.progress(number, to, `at ${number}`);
    // The TypeScript clients forget who wants progress when the answer comes in the same read, so a number takes its time.
    await sleep(50);
  }
  return to;
});

app.tool('chat', { description: 'Logs while it works.' }, (_, cx) => {
  cx.info({ state: 'working' }, 'chatter');
  return 'done';
});

app.tool('order', { description: 'Asks the user what to order.' }, async (_, cx) => {
  const pizza = { size: z.string(), extra_cheese: z.boolean().default(false) };
  const answer = await cx.elicit('Which pizza?', pizza);
  return `${answer.action} ${answer.action === 'accept' ? answer.content.size : '-'}`;
});

app.tool(
  'think',
  { description: "Asks the client's model.", input: { about: z.string() } },
  async ({ about }, cx) => (await cx.sample(about, { maxTokens: 10 })).text,
);

app.tool('where', { description: "Asks for the client's roots." }, async (_, cx) =>
  (await cx.listRoots()).map((root) => root.uri).join(','),
);

app.tool('touch', { description: 'Says that a resource has changed.', input: { uri: z.string() } }, ({ uri }) => {
  app.resourceUpdated(uri);
  return 'touched';
});

app.resource('note://welcome', { description: 'A note that is always there.', mimeType: 'text/plain' }, 'Welcome');

app.resource('note://picture', { description: 'All bytes there are.', mimeType: 'image/x-bytes' }, PICTURE);

app.resource('note://{name}/text', { description: 'A note by its name.' }, ({ name }) => NOTES[name]);

app.prompt(
  'greet',
  { description: 'A greeting.', input: { name: z.string(), mood: z.string().default('warm') } },
  ({ name, mood }) => `Greet ${name} in a ${mood} way`,
);

app.complete('greet', 'mood', (value) => ['warm', 'wary', 'cold'].filter((mood) => mood.startsWith(value)));

app.complete('note://{name}/text', 'name', (value) => Object.keys(NOTES).filter((name) => name.startsWith(value)));

const [transport, port] = process.argv.slice(2);
if (transport === 'stdio') void app.run();
else void app.listen({ port: Number(port) });
