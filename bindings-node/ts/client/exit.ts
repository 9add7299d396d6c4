/**
 * The end of the process: no server process stays behind, whatever it makes of the end of its input (C03).
 *
 * @module
 */

import { enrolled, take } from './inbox';

/** How long server processes have to exit, in milliseconds: three times what the native layer gives them, and a little. */
const PATIENCE = 7000;
const POLL = 5;

let isHooked = false;

/** From now on, what is open at the end of the process is closed. */
export function atExit(): void {
  if (isHooked) return;
  isHooked = true;
  process.on('exit', closeAll);
}

/** Nothing asynchronous happens any more, so that this looks until the processes are gone. */
function closeAll(): void {
  const leaving = [...enrolled()];
  const ends = new Set<object>();
  for (const connection of leaving) {
    const isGone = (): boolean => ends.delete(connection);
    // Of a server elsewhere nothing is waited for: it may be in this very thread.
    if (connection.target.isProcess) ends.add(connection);
    connection.closeNow(isGone);
  }
  const still = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; ends.size > 0 && waited < PATIENCE; waited += POLL) {
    Atomics.wait(still, 0, 0, POLL);
    take();
  }
}
