/** A server at `/mcp` of Hono; the same `fetch` serves Bun (`Bun.serve(web)`), Deno (`Deno.serve(web.fetch)`) and routes of Next.js. */

import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Server } from 'omniport';
import { z } from 'zod';

const mcp = new Server({ name: 'sums', version: '1.0.0' });
mcp.tool('add', { input: { a: z.number(), b: z.number() } }, ({ a, b }) => a + b);

const web = new Hono();
web.all('/mcp', (context) => mcp.fetch(context.req.raw));
serve({ fetch: web.fetch, port: 3000, hostname: '127.0.0.1' }, () => console.log('http://127.0.0.1:3000/mcp'));
