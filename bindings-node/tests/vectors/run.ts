/** One vector, one revision, one transport: the steps in order, with a clear word about the first that fails. */

import assert from 'node:assert/strict';
import type { Run, Step } from './files.js';
import { encode } from './json.js';
import { OverHttp } from './over-http.js';
import { OverPipes } from './over-pipes.js';
import type { ServerProcess, Servers } from './servers.js';
import type { Stage } from './stage.js';

const SECRET = 'marker-of-an-argument';

/** Throws when the server does not do what the vector says. */
export async function perform(run: Run, servers: Servers): Promise<void> {
  const server = servers.server({ transport: run.transport, server: run.server });
  try {
    const stage = run.transport === 'stream' ? new OverPipes(run, server) : new OverHttp(run, server);
    await stage.begin();
    try {
      for (const [index, step] of run.steps.entries()) await performStep(run, stage, server, index, step);
      await stage.finish();
    } finally {
      stage.close();
    }
    assert(!server.log().includes(SECRET), 'an argument was logged');
  } finally {
    server.close();
  }
}

async function performStep(run: Run, stage: Stage, server: ServerProcess, index: number, step: Step): Promise<void> {
  try {
    await stage.step(step);
  } catch (error) {
    const where = `step ${index + 1}: ${encode(step).slice(0, 2000)}`;
    const told = `${(error as Error).message}\n${server.log().slice(-4000)}`;
    throw new Error(`${run.rule}\n${where}\n${told}`, { cause: error });
  }
}
