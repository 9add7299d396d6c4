// The bench's tools on the official SDK's first generation, as its documentation says: `sdk_1.mjs stdio` or `sdk_1.mjs http PORT`.
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { register } from './tools.mjs';

const [, , transport, port] = process.argv;

function build() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  register(server, (members) => members);
  return server;
}

if (transport === 'stdio') {
  await build().connect(new StdioServerTransport());
} else {
  // Loaded only here, so that a server on stdio starts as fast as it can.
  const { createMcpExpressApp } = await import('@modelcontextprotocol/sdk/server/express.js');
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const { isInitializeRequest } = await import('@modelcontextprotocol/sdk/types.js');
  const sessions = new Map();
  const app = createMcpExpressApp();
  app.post('/mcp', async (request, response) => {
    let session = sessions.get(request.headers['mcp-session-id']);
    if (session === undefined) {
      if (!isInitializeRequest(request.body)) {
        response.status(404).end();
        return;
      }
      session = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, session),
      });
      await build().connect(session);
    }
    await session.handleRequest(request, response, request.body);
  });
  app.listen(Number(port), '127.0.0.1');
}
