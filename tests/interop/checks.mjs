// The steps of the TypeScript clients; the two generations of the SDK differ in how they connect, subscribe and register handlers only.
import { refused, same, step, textOf } from './steps.mjs';

const TOOLS = ['chat', 'count', 'fail', 'order', 'think', 'touch', 'weather', 'where'];
const WELCOME = 'note://welcome';

export const answers = {
  elicit: (params) => {
    same(Object.keys(params.requestedSchema.properties).sort(), ['extra_cheese', 'size']);
    return { action: 'accept', content: { size: 'large' } };
  },
  sample: (params) => {
    const { content } = params.messages[0];
    const text = `I thought about ${(Array.isArray(content) ? content[0] : content).text}`;
    return { role: 'assistant', content: { type: 'text', text }, model: 'm' };
  },
  roots: () => ({ roots: [{ uri: 'file:///home' }] }),
};

/**
 * `connect` connects `client`; `version` is the revision it must settle on; `subscribe` asks for updates of a URI and gives a function that
 * ends that; `withOptions` gives what follows the parameters of `callTool`;
 * `notFoundCode` is what the client says of an unknown resource; `logs` and `updates` are mailboxes that the client's handlers fill.
 */
export async function check({ client, connect, version, modern, subscribe, withOptions, notFoundCode, logs, updates }) {
  await step('connect', async () => {
    await connect();
    const { name, version: own } = client.getServerVersion();
    same([name, own, client.getInstructions()], ['interop', '1.2.3', 'Ask for the weather.']);
    same(version(), modern ? '2026-07-28' : '2025-11-25');
  });
  await step('ping', () => (modern ? client.discover() : client.ping()));
  await step('list', async () => {
    const { tools } = await client.listTools();
    same(tools.map((tool) => tool.name).sort(), TOOLS);
    same(tools.find((tool) => tool.name === 'weather').inputSchema.required, ['city']);
    same((await client.listResources()).resources.map((found) => found.uri).sort(), ['note://picture', WELCOME]);
    same(
      (await client.listResourceTemplates()).resourceTemplates.map((found) => found.uriTemplate),
      ['note://{name}/text'],
    );
    same(
      (await client.listPrompts()).prompts.map((found) => found.name),
      ['greet'],
    );
  });
  const call = (name, args = {}, ...options) => client.callTool({ name, arguments: args }, ...options);
  await step('structured', async () => {
    const result = await call('weather', { city: 'Oslo' });
    same(result.structuredContent, { city: 'Oslo', celsius: 21.5 });
    same(result.content[0].type, 'text');
  });
  await step('tool error', async () => {
    const result = await call('fail');
    same([result.isError, textOf(result)], [true, 'The oven is cold']);
  });
  await step('bad arguments', async () => {
    const result = await call('weather', { city: 5 });
    same([result.isError, textOf(result).includes('city')], [true, true]);
  });
  await step('progress', async () => {
    const seen = [];
    const options = { onprogress: ({ progress, total, message }) => seen.push([progress, total, message]) };
    await call('count', { to: 3 }, ...withOptions(options));
    same(seen, [
      [1, 3, 'at 1'],
      [2, 3, 'at 2'],
      [3, 3, 'at 3'],
    ]);
  });
  await step('logging', async () => {
    const meta = modern ? { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } } : {};
    if (!modern) await client.setLoggingLevel('info');
    await client.callTool({ name: 'chat', arguments: {}, ...meta });
    await logs.arrived();
    same(logs.items, [['info', { state: 'working' }, 'chatter']]);
  });
  await step('elicitation', async () => same(textOf(await call('order')), 'accept large'));
  await step('sampling', async () => same(textOf(await call('think', { about: 'cats' })), 'I thought about cats'));
  await step('roots', async () => same(textOf(await call('where')), 'file:///home'));
  const read = async (uri) => (await client.readResource({ uri })).contents[0];
  await step('read', async () => {
    const { text, mimeType } = await read(WELCOME);
    same([text, mimeType], ['Welcome', 'text/plain']);
    same((await read('note://second/text')).text, 'Call Ada');
    const picture = await read('note://picture');
    same([[...Buffer.from(picture.blob, 'base64')], picture.mimeType], [[...Array(256).keys()], 'image/x-bytes']);
  });
  await step('not found', async () => {
    const { code, data } = await refused(read('note://nothing'));
    same([code, data.uri], [notFoundCode, 'note://nothing']);
  });
  await step('subscribe', async () => {
    const end = await subscribe(WELCOME);
    await call('touch', { uri: WELCOME });
    await updates.arrived();
    same(updates.items, [WELCOME]);
    await end();
  });
  await step('prompt', async () => {
    const { messages } = await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } });
    same(messages, [{ role: 'user', content: { type: 'text', text: 'Greet Ada in a warm way' } }]);
  });
  await step('complete', async () => {
    const complete = async (ref, argument) => (await client.complete({ ref, argument })).completion.values;
    same(await complete({ type: 'ref/prompt', name: 'greet' }, { name: 'mood', value: 'wa' }), ['warm', 'wary']);
    same(await complete({ type: 'ref/resource', uri: 'note://{name}/text' }, { name: 'name', value: 's' }), ['second']);
  });
  await client.close();
}
