/** How processes and threads that use clients end: C03, C10. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { RAW } from './support.js';

const START = `
import { Client } from 'omniport';
const RAW = ${JSON.stringify(RAW)};
const textOf = (result) => result.content[0].text;
`;

/** Runs a program to its end; what it wrote, once nothing is left of the processes whose numbers it wrote. */
async function run(source: string): Promise<{ out: string[]; err: string }> {
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', START + source], {
    cwd: import.meta.dirname ?? '.',
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  equal(code, 0, err);
  const words = out.split(/\s+/).filter(Boolean);
  for (const word of words) if (/^\d+$/.test(word)) ok(!isAlive(Number(word)), `process ${word} is left`);
  return { out: words, err };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('an open client does not keep the process, and leaves no server process', async () => {
  const { out, err } = await run(`
    for (let n = 0; n < 2; n++) console.log(textOf(await new Client(RAW, { era: 'legacy' }).callTool('pid')));
  `);
  equal(out.length, 2);
  equal(err, '');
});

test('C03: a server that neither minds the end of its input nor a polite signal is ended at process.exit', async () => {
  const { out } = await run(`
    const client = new Client(RAW, { era: 'legacy', limits: { childExit: 50 } });
    console.log(textOf(await client.callTool('stay')));
    process.exit(0);
  `);
  equal(out.length, 1);
});

test('the process goes on while a call is under way, though nobody refers to it', async () => {
  const { out } = await run(`
    (async () => {
      const client = new Client(RAW, { era: 'legacy' });
      const forget = setInterval(gc, 1);
      forget.unref();
      console.log('begun', textOf(await client.callTool('good')), textOf(await client.callTool('good')));
      clearInterval(forget);
      await client.close();
    })();
  `);
  deepEqual(out, ['begun', 'done', 'done']);
});

test('a client that is forgotten open is closed, with one warning', async () => {
  const { out, err } = await run(`
    const use = async () => textOf(await new Client([...RAW, '--secret=1'], { era: 'legacy' }).callTool('pid'));
    const pid = await use();
    console.log(pid);
    const warned = new Promise((resolve) => process.once('warning', resolve));
    let isWarned = false;
    warned.then(() => { isWarned = true; });
    const isAlive = () => { try { return process.kill(Number(pid), 0); } catch { return false; } };
    while (!isWarned || isAlive()) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  `);
  equal(out.length, 1);
  match(err, /a client of .* was never closed/);
  ok(!err.includes('secret'), 'Y28');
});

test('a rejection that nobody handles is told once', async () => {
  const { out } = await run(`
    process.on('unhandledRejection', () => console.log('unhandled'));
    const client = new Client(RAW, { era: 'legacy' });
    const call = client.callTool('give', { result: 'none' });
    for await (const _ of call.progress());
    await client.close();
    await new Promise(setImmediate);
  `);
  deepEqual(out, ['unhandled']);
});

const WORKER = `
const { parentPort } = require('node:worker_threads');
(async () => {
  const { Client } = await import('omniport');
  const client = new Client(${JSON.stringify(RAW)}, { era: 'legacy' });
  parentPort.postMessage((await client.callTool('pid')).content[0].text);
  client.callTool('never').catch(() => {});
})();
`;

test('each worker has clients of its own; one that is terminated with open clients harms nobody', async () => {
  const workers = Array.from({ length: 3 }, () => new Worker(WORKER, { eval: true }));
  const pids = await Promise.all(workers.map(async (worker) => Number((await once(worker, 'message'))[0])));
  equal(new Set(pids).size, 3);
  await Promise.all(workers.map((worker) => worker.terminate()));
  while (pids.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 5));
});
