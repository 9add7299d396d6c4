// The notes server on the official TypeScript SDK, 2.x: `typescript_2.mjs stdio`, or `typescript_2.mjs http | sessions PORT`; `sessions` is
// the transport of 2025-11-25 and older, `http` serves 2026-07-28 and older clients without sessions.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import {
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { BYTES, fail, forever, greeting, MOODS, NOTES, ORDER, picture, startingWith, text, weather } from './notes.mjs';

const [, , how, port] = process.argv;
// Over `http` each request has a server of its own: what one of them changes is kept and told here.
let hasGrown = false;
let handler;

function notes() {
  const server = new McpServer(
    { name: 'notes', version: '1.2.3' },
    { instructions: 'Ask for the weather.', capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  const grow = () => {
    const inputSchema = z.object({ text: z.string() });
    server.registerTool('grown', { inputSchema }, ({ text: words }) => text(words.toUpperCase()));
  };
  server.registerTool(
    'weather',
    {
      inputSchema: z.object({ city: z.string() }),
      outputSchema: z.object({ city: z.string(), celsius: z.number() }),
    },
    ({ city }) => weather(city),
  );
  server.registerTool('shout', { inputSchema: z.object({ text: z.string() }) }, ({ text: words }) =>
    text(words.toUpperCase()),
  );
  server.registerTool('big', { inputSchema: z.object({ length: z.number() }) }, ({ length }) =>
    text('x'.repeat(length)),
  );
  server.registerTool('picture', {}, picture);
  server.registerTool('fail', {}, fail);
  server.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, cx) => {
    for (let progress = 1; progress <= to; progress++) await step(cx, progress, to);
    return text(String(to));
  });
  server.registerTool('chat', {}, async (cx) => {
    await cx.mcpReq.log('info', 'working');
    return text('done');
  });
  // Questions are results in 2026-07-28; for older clients the SDK makes requests of them.
  server.registerTool('think', { inputSchema: z.object({ about: z.string() }) }, ({ about }, cx) => {
    const said = cx.mcpReq.inputResponses?.thought;
    if (said) return text(said.content.text);
    const messages = [{ role: 'user', content: { type: 'text', text: about } }];
    return inputRequired({ inputRequests: { thought: inputRequired.createMessage({ messages, maxTokens: 10 }) } });
  });
  server.registerTool('order', {}, (cx) => {
    const said = acceptedContent(cx.mcpReq.inputResponses, 'size');
    if (said) return text(said.size);
    const question = { message: 'Which pizza?', requestedSchema: ORDER };
    return inputRequired({ inputRequests: { size: inputRequired.elicit(question) } });
  });
  server.registerTool('where', {}, (cx) => {
    const said = cx.mcpReq.inputResponses?.roots;
    if (said) return text(said.roots.map(({ uri }) => uri).join());
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
  server.registerTool('touch', { inputSchema: z.object({ uri: z.string() }) }, async ({ uri }) => {
    if (handler) handler.notify.resourceUpdated(uri);
    else await server.server.sendResourceUpdated({ uri });
    return text('touched');
  });
  server.registerTool('grow', {}, () => {
    hasGrown = true;
    if (handler) handler.notify.toolsChanged();
    else grow(); // tells the client, too
    return text('grown');
  });
  server.registerTool('slow', {}, async (cx) => {
    await step(cx, 1);
    return forever(cx.mcpReq.signal);
  });
  if (hasGrown && handler) grow();
  server.registerResource('welcome', 'note://welcome', { mimeType: 'text/plain' }, ({ href: uri }) => ({
    contents: [{ uri, text: 'Welcome' }],
  }));
  server.registerResource('picture', 'note://picture', { mimeType: 'image/x-bytes' }, ({ href: uri }) => ({
    contents: [{ uri, blob: BYTES }],
  }));
  const template = new ResourceTemplate('note://{name}/text', {
    list: undefined,
    complete: { name: startingWith(Object.keys(NOTES)) },
  });
  server.registerResource('note', template, {}, ({ href: uri }, { name }) => ({
    contents: [{ uri, text: NOTES[name] }],
  }));
  const mood = completable(z.string(), startingWith(MOODS));
  server.registerPrompt('greet', { argsSchema: z.object({ name: z.string(), mood }) }, greeting);
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  return server;
}

async function step(cx, progress, total) {
  const progressToken = cx.mcpReq._meta?.progressToken;
  await cx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total } });
}

function sessions() {
  const transports = new Map();
  return async (request, response) => {
    let transport = transports.get(request.headers['mcp-session-id']);
    if (!transport) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => transports.set(id, transport),
      });
      await notes().connect(transport);
    }
    await transport.handleRequest(request, response);
  };
}

if (how === 'stdio') serveStdio(notes);
else {
  if (how === 'http') handler = createMcpHandler(notes);
  createServer(handler ? toNodeHandler(handler) : sessions()).listen(Number(port), '127.0.0.1');
}
