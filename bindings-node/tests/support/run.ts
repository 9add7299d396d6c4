/** Programs that are run to their end. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs a program; kills it, and all that it started, after a minute. A script that starts another program (npm, a runtime that npm
 * links to) does not take it along when it is killed, and what goes on holds the output open: the test would wait for ever.
 */
export async function run(folder: string, program: string, ...args: string[]): Promise<Ran> {
  const child = spawn(program, args, { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const late = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), 60_000);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  try {
    const [status, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { status, stdout, stderr };
  } finally {
    clearTimeout(late);
  }
}
