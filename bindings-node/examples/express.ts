/** A server below `/mcp` of an Express application, behind a body parser and a check of who is calling. */

import express from 'express';
import { Server } from 'omniport';
import { z } from 'zod';

const mcp = new Server({ name: 'orders', version: '1.0.0' });
mcp.tool('total', { input: { prices: z.array(z.number()) } }, ({ prices }, cx) => {
  const sum = prices.reduce((all, price) => all + price, 0);
  return `${cx.principal?.subject ?? 'Somebody'} pays ${sum}`;
});

const web = express();
web.use(express.json());
web.use(
  '/mcp',
  mcp.nodeHandler({
    principal: (request) => {
      const name = request.headers['x-user'];
      return typeof name === 'string' ? { subject: name } : null;
    },
  }),
);
web.listen(3000, '127.0.0.1', () => console.log('http://127.0.0.1:3000/mcp'));
