/** This project's client under load: `client.js URL IN_FLIGHT WARM SECONDS`. One JSON object says what was measured. */
import { Client } from 'omniport';
import { run } from './callers.js';

const [, , url = '', inFlight, warm, seconds] = process.argv;
await using client = new Client(url);

async function add(a: number, b: number): Promise<number> {
  const result = await client.callTool('add', { a, b });
  const [first] = result.content;
  return Number(first?.type === 'text' ? first.text : Number.NaN);
}

await run(add, Number(inFlight), Number(warm), Number(seconds));
