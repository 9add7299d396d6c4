/** Bun and Deno, with their own web servers and with `node:http`. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADD, legacySum, modern, textOf } from './app.js';

const PROGRAM = fileURLToPath(new URL('./programs/serve.js', import.meta.url));
const BINARIES = fileURLToPath(new URL('../../../node_modules/.bin/', import.meta.url));

const RUNTIMES: [name: string, command: string[], how: string][] = [
  ['Bun.serve', ['bun', 'run'], 'bun'],
  ['Bun with node:http', ['bun', 'run'], 'node'],
  ['Deno.serve', ['deno', 'run', '--allow-all', '--no-lock'], 'deno'],
  ['Deno with node:http', ['deno', 'run', '--allow-all', '--no-lock'], 'node'],
];

/** Starts the program; gives the lines that it says. */
function start(command: string[], how: string): [ChildProcess, AsyncIterator<string>] {
  const [program = '', ...args] = command;
  const child = spawn(BINARIES + program, [...args, PROGRAM, how], { stdio: ['ignore', 'pipe', 'inherit'] });
  return [child, createInterface(child.stdout)[Symbol.asyncIterator]()];
}

for (const [name, command, how] of RUNTIMES) {
  const skip = existsSync(BINARIES + command[0]) ? false : `no ${command[0]} is installed`;
  test(`${name}: both eras, streams, limits, hosts, and clients that leave`, { skip }, async () => {
    const [child, lines] = start(command, how);
    try {
      const url = `${(await lines.next()).value}/mcp`;
      const sum = await fetch(url, ADD());
      assert.ok(Number(sum.headers.get('content-length')) > 0);
      assert.equal(await textOf(sum), '3');
      assert.equal(await legacySum(url), '3');
      assert.match(
        await (await fetch(url, modern('steps', {}, { progressToken: 1 }))).text(),
        /"progress":1[\s\S]*"progress":3[\s\S]*done/,
      );
      assert.equal((await textOf(await fetch(url, modern('big')))).length, 1 << 20);
      assert.equal((await fetch(url, { ...ADD(), body: ' '.repeat(5 << 20) })).status, 413);
      const evil = httpRequest(url, { method: 'POST', headers: { ...ADD().headers, host: 'evil.test' } });
      evil.end(ADD().body);
      const [refused] = (await once(evil, 'response')) as [import('node:http').IncomingMessage];
      assert.equal(refused.statusCode, 403);
      refused.resume();
      const leaving = new AbortController();
      const asking = fetch(url, { ...modern('wait'), signal: leaving.signal });
      assert.equal((await lines.next()).value, 'started');
      leaving.abort();
      await assert.rejects(asking);
      assert.equal((await lines.next()).value, 'cancelled');
    } finally {
      child.kill();
    }
  });
}
