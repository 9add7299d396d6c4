// The notes server on the official TypeScript SDK, 1.x: `typescript_1.mjs stdio`, or `typescript_1.mjs http | stateless | sse PORT`.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { BYTES, fail, forever, greeting, MOODS, NOTES, ORDER, picture, startingWith, text, weather } from './notes.mjs';

function notes() {
  const server = new McpServer(
    { name: 'notes', version: '1.2.3' },
    { instructions: 'Ask for the weather.', capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  const shout = ({ text: words }) => text(words.toUpperCase());
  server.registerTool(
    'weather',
    { inputSchema: { city: z.string() }, outputSchema: { city: z.string(), celsius: z.number() } },
    ({ city }) => weather(city),
  );
  server.registerTool('shout', { inputSchema: { text: z.string() } }, shout);
  server.registerTool('big', { inputSchema: { length: z.number() } }, ({ length }) => text('x'.repeat(length)));
  server.registerTool('picture', {}, picture);
  server.registerTool('fail', {}, fail);
  server.registerTool('count', { inputSchema: { to: z.number() } }, async ({ to }, extra) => {
    for (let progress = 1; progress <= to; progress++) await step(extra, progress, to);
    return text(String(to));
  });
  server.registerTool('chat', {}, async (extra) => {
    await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'working' } });
    return text('done');
  });
  server.registerTool('think', { inputSchema: { about: z.string() } }, async ({ about }, extra) => {
    const messages = [{ role: 'user', content: { type: 'text', text: about } }];
    const question = { method: 'sampling/createMessage', params: { messages, maxTokens: 10 } };
    return text((await extra.sendRequest(question, CreateMessageResultSchema)).content.text);
  });
  server.registerTool('order', {}, async (extra) => {
    const question = { method: 'elicitation/create', params: { message: 'Which pizza?', requestedSchema: ORDER } };
    return text((await extra.sendRequest(question, ElicitResultSchema)).content.size);
  });
  server.registerTool('where', {}, async (extra) => {
    const { roots } = await extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema);
    return text(roots.map(({ uri }) => uri).join());
  });
  server.registerTool('touch', { inputSchema: { uri: z.string() } }, async ({ uri }) => {
    await server.server.sendResourceUpdated({ uri });
    return text('touched');
  });
  server.registerTool('grow', {}, () => {
    server.registerTool('grown', { inputSchema: { text: z.string() } }, shout); // tells the client, too
    return text('grown');
  });
  server.registerTool('slow', {}, async (extra) => {
    await step(extra, 1);
    return forever(extra.signal);
  });
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
  server.registerPrompt('greet', { argsSchema: { name: z.string(), mood } }, greeting);
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  return server;
}

async function step(extra, progress, total) {
  const progressToken = extra._meta?.progressToken;
  await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total } });
}

const sessions = new Map();
const routes = {
  async http(request, response) {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await notes().connect(transport);
    }
    await transport.handleRequest(request, response);
  },
  async stateless(request, response) {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await notes().connect(transport);
    await transport.handleRequest(request, response);
  },
  async sse(request, response) {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    if (pathname !== '/sse') return sessions.get(searchParams.get('sessionId')).handlePostMessage(request, response);
    if (request.method !== 'GET') return response.writeHead(405).end();
    const transport = new SSEServerTransport('/messages', response);
    sessions.set(transport.sessionId, transport);
    await notes().connect(transport);
  },
};

const [, , how, port] = process.argv;
if (how === 'stdio') await notes().connect(new StdioServerTransport());
else createServer(routes[how]).listen(Number(port), '127.0.0.1');
