/**
 * Options as people write them, as the engine takes them: names in camelCase, times in milliseconds.
 *
 * @module
 */

import { Buffer } from 'node:buffer';

import { DefinitionError } from '../errors';

/** How many calls may be made in a time. */
export interface Rate {
  calls: number;
  /** In milliseconds. */
  per: number;
  /** Whose calls are counted together: those of one principal, or all. */
  by?: 'principal' | 'all';
}

/** How long a client may keep an answer, and for whom. */
export interface Cache {
  /** In milliseconds. */
  ttlMs: number;
  scope?: 'public' | 'private';
}

/** Names that people know from elsewhere, and what is meant here. */
const MEANT: Record<string, string> = {
  inputSchema: 'input',
  paramsSchema: 'input',
  parameters: 'input',
  schema: 'input',
  argsSchema: 'input',
  arguments: 'input',
  outputSchema: 'output',
  _meta: 'meta',
  mime: 'mimeType',
};

/** Refuses options that are none, which JavaScript would let pass without a word. */
export function checkOptions(subject: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new DefinitionError(`${subject}: the options are an object, not ${given === null ? 'null' : typeof given}`);
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const meant = MEANT[name];
    const hint =
      meant !== undefined && known.includes(meant) ? `did you mean \`${meant}\`?` : `there are ${known.join(', ')}`;
    const handler = name === 'handler' || name === 'execute' ? 'the handler is the last argument' : hint;
    throw new DefinitionError(`${subject}: there is no option \`${name}\`; ${handler}`);
  }
}

/** The members that are set. */
export function defined(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Milliseconds as the engine's seconds. */
export function seconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

export function rateOf(rate: Rate | undefined): object | undefined {
  return rate === undefined ? undefined : { ...rate, per: rate.per / 1000 };
}

export function cacheOf(cache: Cache | undefined): object | undefined {
  return cache === undefined ? undefined : { ttl_ms: cache.ttlMs, scope: cache.scope ?? 'private' };
}

/** `allowedHosts` to `allowed_hosts`. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Secrets as base64 text. */
export function keysOf(keys: readonly Uint8Array[] | undefined): string[] | undefined {
  return keys?.map((key) => Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('base64'));
}
