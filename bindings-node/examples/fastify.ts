/** A server at `/mcp` of Fastify: the answer goes past Fastify's own reply, the parsed body comes along. */

import fastify from 'fastify';
import { Server } from 'omniport';
import { z } from 'zod';

const mcp = new Server({ name: 'sums', version: '1.0.0' });
mcp.tool('add', { input: { a: z.number(), b: z.number() } }, ({ a, b }) => a + b);

const web = fastify();
web.all('/mcp', (request, reply) => {
  reply.hijack();
  mcp.node(Object.assign(request.raw, { body: request.body }), reply.raw);
});
await web.listen({ port: 3000, host: '127.0.0.1' });
console.log('http://127.0.0.1:3000/mcp');
