/** This project's client under load: `client.js URL IN_FLIGHT WARM SECONDS`. One JSON object says what was measured. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'omniport';

type Run = (
  add: (a: number, b: number) => Promise<number>,
  inFlight: number,
  warm: number,
  seconds: number,
) => Promise<void>;

// The very same callers as those of the peers, which are no part of what is compiled.
const callers = join(process.env.OMNIPORT_ROOT ?? '.', 'tests/bench/peers/node/callers.mjs');
const { run } = (await import(pathToFileURL(callers).href)) as { run: Run };

const [, , url = '', inFlight, warm, seconds] = process.argv;
await using client = new Client(url);

async function add(a: number, b: number): Promise<number> {
  const result = await client.callTool('add', { a, b });
  const [first] = result.content;
  return Number(first?.type === 'text' ? first.text : Number.NaN);
}

await run(add, Number(inFlight), Number(warm), Number(seconds));
