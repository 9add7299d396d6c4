/**
 * The vectors of `tests/vectors` through this package: streams over the pipes of a process, HTTP over sockets.
 *
 * Set `VECTOR` to a part of an id to run only those.
 */

import { deepEqual } from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { after, describe, test } from 'node:test';
import { runs, skipped } from './files.js';
import { perform } from './run.js';
import { Servers } from './servers.js';

const RUNS = runs();
const servers = new Servers();

describe('vectors', { concurrency: availableParallelism() }, () => {
  after(() => servers.close());
  for (const run of RUNS.filter(({ id }) => id.includes(process.env.VECTOR ?? ''))) {
    const reason = skipped(run);
    test(run.id, { skip: reason ?? false }, () => perform(run, servers));
  }
});

test('nothing else is skipped', () => {
  const reasons: Record<string, number> = {};
  for (const reason of RUNS.map(skipped)) {
    if (reason !== null) reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  deepEqual(reasons, {
    'needs a clock that the runner moves': 53,
    'needs a foreign web server that mounts this one; the tests of app.node have that': 1,
    'needs several streams to one server, and a process has one stdin': 39,
  });
});
