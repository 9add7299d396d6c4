/** The smallest client: starts hello.ts, or connects to the URL given, and adds two numbers. */

import { fileURLToPath } from 'node:url';

import { Client } from 'omniport';

const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const hello = [process.execPath, fileURLToPath(new URL(`./hello${extension}`, import.meta.url))];

const client = new Client(process.argv[2] ?? hello);
try {
  const tools = await client.listTools();
  console.log('tools:', tools.map((tool) => tool.name).join(', '));
  const { structuredContent } = await client.callTool('add', { a: 1, b: 2 });
  console.log('add says', structuredContent);
} finally {
  await client.close();
}
