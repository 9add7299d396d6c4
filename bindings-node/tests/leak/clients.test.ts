/** Ten thousand clients, opened and closed, leave no memory behind: the program beside this one counts it in a process of its own. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

test('ten thousand clients leave no memory behind', async (t) => {
  const program = fileURLToPath(new URL('clients.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program]);
  t.diagnostic(stdout.trim());
  assert.match(stdout, /^10000 clients in each window: /);
});
