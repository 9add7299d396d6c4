/** The server's side: a process that serves one run, and hears from the runner on a line of its own. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Wanted } from './servers.js';
import { build } from './standard.js';

/** Turns of the loop in which every handler that waits for nothing from outside gets to its end. */
const TURNS = 8;
/** Longer than any run, in milliseconds: what still runs after a stop stays so until the runner leaves. */
const GRACE = 600_000;

function say(text: string): void {
  process.send?.(text);
}

async function serve({ transport, server }: Wanted): Promise<void> {
  const { app, http } = build(server);
  process.on('message', async (what: string) => {
    if (what === 'stop') {
      app.stop(GRACE);
      say('stopped');
    } else {
      for (let turn = 0; turn < TURNS; turn++) await nextTurn();
      say('settled');
    }
  });
  if (transport === 'stream') {
    await app.run();
  } else {
    // One thread serves all connections, so that requests are taken in the order in which they were sent.
    const listening = await app.listen({ port: 0, threads: 1, ...http });
    say(String(listening.port));
    await listening.closed;
  }
}

process.on('disconnect', () => process.exit(0)); // the runner is gone
process.once('message', (wanted: Wanted) => {
  serve(wanted).then(
    () => process.exit(0),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
