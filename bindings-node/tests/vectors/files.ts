/** The files, and the runs that they ask for: one for each revision and transport. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject, parse } from './json.js';
import { FOLDER } from './places.js';

export const MODERN = '2026-07-28';
const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const GROUPS: Record<string, string[]> = { all: [...LEGACY, MODERN], legacy: LEGACY, modern: [MODERN] };
const KEYS = ['rule', 'spec', 'cases', 'revisions', 'transports', 'server', 'client', 'vars', 'steps'];

export type Transport = 'stream' | 'http';
export type Step = JsonObject & { on?: string };

/** What the runner's own client says of itself. */
export interface Speaking {
  capabilities: JsonObject;
  handshake: boolean;
  headers: Record<string, string>;
}

/** One vector for one revision over one transport. */
export interface Run {
  id: string;
  rule: string;
  revision: string;
  isModern: boolean;
  transport: Transport;
  server: JsonObject;
  client: Speaking;
  vars: JsonObject;
  steps: Step[];
}

interface Vector {
  rule: string;
  revisions: string[];
  transports?: Transport[];
  server?: JsonObject;
  client?: Partial<Speaking>;
  vars?: Record<string, JsonObject>;
  steps: Step[];
}

/** Why a run cannot be made here, if it cannot. */
export function skipped({ steps, transport }: Run): string | null {
  if (steps.some((step) => 'advance_ms' in step)) return 'needs a clock that the runner moves';
  if (steps.some((step) => isObject(step.http) && 'mount' in step.http)) {
    return 'needs a foreign web server that mounts this one; the tests of app.node have that';
  }
  const clients = new Set(steps.filter(isOfClient).map((step) => step.on ?? 'main'));
  if (transport === 'stream' && clients.size > 1) {
    return 'needs several streams to one server, and a process has one stdin';
  }
  return null;
}

function isOfClient(step: Step): boolean {
  return !['stop', 'advance_ms', 'response', 'leave'].some((verb) => verb in step);
}

/** Every run of every file, in the order of the paths. */
export function runs(): Run[] {
  const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  return paths.filter(isOfServer).sort().flatMap(runsOf);
}

/** Those below `client` are rules of clients, which the engine keeps for every language. */
function isOfServer(path: string): boolean {
  return path.endsWith('.json') && path !== 'standard.json' && !path.startsWith('client/');
}

function runsOf(path: string): Run[] {
  const vector = parse(readFileSync(join(FOLDER, path), 'utf8')) as Vector;
  const unknown = Object.keys(vector).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0) throw new Error(`${path}: unknown members ${unknown}`);
  const revisions = vector.revisions.flatMap((name) => GROUPS[name] ?? [name]);
  const transports = vector.transports ?? ['stream'];
  return revisions.flatMap((revision) =>
    transports.map((transport) => ({
      id: `${path.replace(/\.json$/, '')}-${revision}-${transport}`,
      rule: vector.rule,
      revision,
      isModern: revision === MODERN,
      transport,
      server: vector.server ?? {},
      client: { capabilities: {}, handshake: true, headers: {}, ...vector.client },
      vars: { ...vector.vars?.[revision === MODERN ? 'modern' : 'legacy'], ...vector.vars?.[revision] },
      steps: vector.steps,
    })),
  );
}
