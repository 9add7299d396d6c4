// The bench's tools on the official server package at its quickest: `server_2_best.mjs stdio` or `server_2_best.mjs http PORT`.
// The low-level server, whose schemas are made once; JSON answers; the body read and parsed here, which spares the handler copies of the
// request; no look at Host and Origin.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { BIG, MEMBERS, many, text } from './tools.mjs';

const [, , transport, port] = process.argv;
const add = z.object(MEMBERS.add);
const echo = z.object(MEMBERS.echo);
const search = z.toJSONSchema(z.object(MEMBERS.search), { io: 'input' });
const tools = [
  { name: 'add', description: 'Adds two numbers.', inputSchema: z.toJSONSchema(add) },
  { name: 'echo', description: 'Gives the text back.', inputSchema: z.toJSONSchema(echo) },
  { name: 'big', description: 'A text of 1 MB.', inputSchema: { type: 'object' } },
  ...many().map(([name, description]) => ({ name, description, inputSchema: search })),
];
const handlers = {
  add: (given) => {
    const { a, b } = add.parse(given);
    return text(String(a + b));
  },
  echo: (given) => text(echo.parse(given).text),
  big: () => text(BIG),
};

function build() {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({ tools }));
  server.setRequestHandler('tools/call', async ({ params }) => handlers[params.name](params.arguments));
  return server;
}

if (transport === 'stdio') {
  serveStdio(build);
} else {
  const handle = toNodeHandler(createMcpHandler(build, { responseMode: 'json' }));
  createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => void handle(request, response, JSON.parse(body)));
  }).listen(Number(port), '127.0.0.1');
}
