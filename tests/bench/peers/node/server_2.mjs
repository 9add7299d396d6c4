// The bench's tools on the official server package, as its documentation says: `server_2.mjs stdio` or `server_2.mjs http PORT`.
import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { register } from './tools.mjs';

const [, , transport, port] = process.argv;

function build() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  register(server, (members) => z.object(members));
  return server;
}

if (transport === 'stdio') {
  serveStdio(build);
} else {
  const handle = toNodeHandler(createMcpHandler(build));
  const validateHost = localhostHostValidation();
  const validateOrigin = localhostOriginValidation();
  createServer((request, response) => {
    if (!validateHost(request, response) || !validateOrigin(request, response)) return;
    void handle(request, response);
  }).listen(Number(port), '127.0.0.1');
}
