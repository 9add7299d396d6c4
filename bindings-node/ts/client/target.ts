/**
 * Where a server is: an address, a command, an entry of a file, a server of this process.
 *
 * @module
 */

import { fileURLToPath } from 'node:url';
import { DefinitionError, guard } from '../errors';
import { type NativeClient, native } from '../native';
import { engineOf, type Hosted } from '../server/internal';
import { textOf } from './log';

/** An entry of the `mcpServers` of a configuration file, as hosts have them. */
export interface ServerEntry {
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  type?: string;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  [member: string]: unknown;
}

/** What a client can be of: a URL, a command with its arguments, an entry of an `mcpServers` file, or a server of this process. */
export type ClientTarget = string | URL | readonly string[] | ServerEntry | Hosted;

/** How a server is reached, whatever it is. */
export interface Reach {
  env?: Readonly<Record<string, string>> | undefined;
  cwd?: string | URL | undefined;
  /** The native layer's own words. */
  http?: Record<string, unknown> | undefined;
}

/** How a connection is made. */
export interface Target {
  /** For people, without arguments and query: those may be secrets (Y28). */
  readonly name: string;
  /** Whether it is, or may be, a process that we start. */
  readonly isProcess: boolean;
  /** Returns the token whose answer says with whom. */
  connect(client: NativeClient): number;
}

/** A server that an `mcpServers` file names. */
export class InFile {
  constructor(
    readonly text: string,
    readonly server: string | undefined,
  ) {}
}

/**
 * The target for what a client was given.
 *
 * @throws DefinitionError for what is none; the native layer's own error for one that cannot be
 */
export function targetOf(place: ClientTarget | InFile, reach: Reach): Target {
  if (isHosted(place)) return new Local(place);
  const [where, name, isProcess] = describe(place);
  const given: Record<string, unknown> = where;
  if (reach.env !== undefined) given.env = reach.env;
  if (reach.cwd !== undefined) given.cwd = pathOf(reach.cwd);
  if (reach.http !== undefined) given.http = reach.http;
  const text = JSON.stringify(given);
  guard(() => native.checkTarget(text));
  return { name, isProcess, connect: (client) => client.connectTarget(text) };
}

/** A path as text; a `file:` URL names one, too. */
export function pathOf(path: string | URL): string {
  return path instanceof URL ? fileURLToPath(path) : path;
}

function describe(place: unknown): [where: Record<string, unknown>, name: string, isProcess: boolean] {
  if (typeof place === 'string' || place instanceof URL) return [{ url: String(place) }, shown(String(place)), false];
  if (place instanceof InFile) {
    const { text, server } = place;
    const file = server === undefined ? { file: text } : { file: text, name: server };
    return [file, server ?? 'the only server of its file', true];
  }
  if (Array.isArray(place)) {
    const command = place.map((part: unknown) => (part instanceof URL ? pathOf(part) : String(part)));
    return [{ command }, command[0] ?? 'an empty command', true];
  }
  if (typeof place === 'object' && place !== null) {
    const { command, url } = place as ServerEntry;
    return [{ entry: place }, shown(String(command ?? url)), command !== undefined];
  }
  throw new DefinitionError(
    `a client needs a URL, a command, an entry of an mcpServers file or a Server, not ${place === null ? 'null' : `a ${typeof place}: ${textOf(place)}`}`,
  );
}

function shown(url: string): string {
  return url.split('?', 1)[0] as string;
}

function isHosted(place: unknown): place is Hosted {
  return typeof place === 'object' && place !== null && engineOf in place;
}

/** A server of this process. */
class Local implements Target {
  readonly name: string;
  readonly isProcess = false;

  constructor(readonly server: Hosted) {
    this.name = `the server \`${server.name}\` of this process`;
  }

  connect(client: NativeClient): number {
    return client.connectEngine(this.server[engineOf]());
  }
}
