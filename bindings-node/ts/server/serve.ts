/**
 * A server at work: stdio, HTTP, signals, the order of the shutdown.
 *
 * @module
 */

import { isMainThread } from 'node:worker_threads';

import { alive } from '../alive';
import { guard } from '../errors';
import { checkOptions, defined, snake } from './options';
import type { Pump } from './pump';
import { outliveRejections } from './rejections';
import type { Listening, ListenOptions } from './types';

const LISTEN_OPTIONS =
  'port host path ssePath messagePath allowedHosts allowedOrigins allowAnyHost cors jsonOnly threads grace'.split(' ');

/** Serves stdin and stdout until the client goes or a signal comes, then drains and returns. */
export async function run(pump: Pump, grace: number | undefined): Promise<void> {
  const release = hold(pump);
  const idle = !pump.started;
  const restore = onStopSignals(() => pump.close(grace));
  try {
    await pump.start();
    guard(() => pump.engine.serveStdio());
  } catch (error) {
    if (idle) await end(pump);
    restore();
    release();
    throw error;
  }
  try {
    await pump.ended;
  } finally {
    restore();
    release();
  }
}

/** Serves HTTP until it is closed. */
export async function listen(pump: Pump, options: ListenOptions): Promise<Listening> {
  checkOptions('listen', options, LISTEN_OPTIONS);
  const { grace, host = '127.0.0.1', port = 8000, path = '/mcp', ...rest } = options;
  const release = hold(pump);
  const named = Object.entries(rest).map(([name, value]) => [snake(name), value]);
  const idle = !pump.started;
  let address: string;
  try {
    await pump.start();
    address = guard(() =>
      pump.engine.serveHttp(JSON.stringify(defined({ host, port, path, ...Object.fromEntries(named) }))),
    );
  } catch (error) {
    if (idle) await end(pump);
    release();
    throw error;
  }
  const closed = pump.ended.finally(release);
  closed.catch(() => {}); // also of those who do not look
  const close = (after = grace): Promise<void> => {
    pump.close(after);
    return closed;
  };
  const bound = Number(address.slice(address.lastIndexOf(':') + 1));
  return {
    url: `http://${reachable(address)}${path}`,
    address,
    port: bound,
    closed,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** A server that could not be served leaves its lifespan again. */
async function end(pump: Pump): Promise<void> {
  pump.close(0);
  await pump.ended.catch(() => {}); // the reason why it is not served says more
}

/** The process goes on while a transport is served, and the pump is not collected. */
function hold(pump: Pump): () => void {
  const release = alive.hold(pump);
  const outlived = outliveRejections();
  return () => {
    release();
    outlived();
  };
}

/** An address that one can connect to: a server that listens on all addresses is at the loopback one, too. */
function reachable(address: string): string {
  return address.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:');
}

/** Ctrl-C and SIGTERM call `stop`; a second one acts as if nobody had caught it. No effect in a worker, which gets no signals. */
function onStopSignals(stop: () => void): () => void {
  if (!isMainThread) return () => {};
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const restore = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  const onSignal = (): void => {
    restore();
    stop();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return restore;
}
