/**
 * What clients tell this JavaScript thread: one native inbox for all of them, read when it wakes us.
 *
 * Answers go to whoever waits at once, and callbacks run after them in slices, so that no flood keeps an answer, a timer or another
 * client waiting (Y09).
 *
 * @module
 */

import { type Inbox, native, type Told } from '../native';
import type { Connection } from './connection';
import { Fifo } from './fifo';
import { logThrown } from './log';

/** How long callbacks run before the loop has its turn, in milliseconds. */
const SLICE = 2;
/** How long those of calls run before their answers are seen, which should come after them (X03), in milliseconds. */
const SETTLE = 50;

/** A callback that is due. It never throws. */
export type Job = () => void;

const connections = new Map<number, WeakRef<Connection>>();
const urgent = new Fifo<Job>();
const patient = new Fifo<Job>();
let inbox: Inbox | undefined;
let next: NodeJS.Immediate | undefined;
let isHanding = false;

/** The native inbox of this thread, made with its first client. */
export function nativeInbox(): Inbox {
  inbox ??= new native.Inbox(wake);
  return inbox;
}

/** What is told to the client of that number goes to the connection, as long as somebody else knows it. */
export function enrol(number: number, connection: Connection): void {
  connections.set(number, new WeakRef(connection));
}

/** Nothing is told to the client of that number any more. */
export function strike(number: number): void {
  connections.delete(number);
}

/** The connections that there are. */
export function* enrolled(): Iterable<Connection> {
  for (const reference of connections.values()) {
    const connection = reference.deref();
    if (connection !== undefined) yield connection;
  }
}

/** Runs a callback soon. One of a call, or one that a call may wait for, comes before logs, changes and lines of stderr. */
export function due(job: Job, isUrgent: boolean): void {
  (isUrgent ? urgent : patient).push(job);
  if (!isHanding) resume();
}

/** Takes what was told, and runs the callbacks of calls if there is no backlog; the native layer calls this. */
function wake(): void {
  isHanding = true;
  try {
    take();
    if (next === undefined) run(urgent, performance.now() + SETTLE);
  } catch (error) {
    logThrown('what a server told could not be handled', error);
  } finally {
    isHanding = false;
    resume();
  }
}

/** Hands on what was told, all but the callbacks that follow from it. */
export function take(): void {
  const text = inbox?.take();
  if (!text) return;
  for (const [number, part, token, payload, integers] of JSON.parse(text) as Told[]) {
    try {
      connections.get(number)?.deref()?.told(part, token, payload, integers);
    } catch (error) {
      // Of one thing that was told; those behind it must not be lost.
      logThrown('what a server told could not be handled', error);
    }
  }
}

/** Runs callbacks until they are through or it is that late. */
function run(jobs: Fifo<Job>, until: number): void {
  let job = jobs.shift();
  while (job !== undefined) {
    job();
    if (performance.now() > until) return;
    job = jobs.shift();
  }
}

function resume(): void {
  if (next === undefined && urgent.size + patient.size > 0) next = setImmediate(slice);
}

function slice(): void {
  const until = performance.now() + SLICE;
  isHanding = true;
  run(urgent, until);
  if (urgent.size === 0) run(patient, until);
  isHanding = false;
  next = undefined;
  resume();
}
