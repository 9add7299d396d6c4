// The client of the official SDK's first generation under load: `client_1.mjs URL IN_FLIGHT WARM SECONDS`.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { run } from './callers.mjs';

const [, , url, inFlight, warm, seconds] = process.argv;
const client = new Client({ name: 'bench', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

async function add(a, b) {
  const result = await client.callTool({ name: 'add', arguments: { a, b } });
  return Number(result.content[0].text);
}

await run(add, Number(inFlight), Number(warm), Number(seconds));
await client.close();
