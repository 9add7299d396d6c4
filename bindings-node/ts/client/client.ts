/**
 * A client: one connection to one server.
 *
 * @module
 */

import { readFileSync } from 'node:fs';
import { guard } from '../errors';
import type { Implementation, ServerCapabilities } from '../types';
import { ByHand } from './byhand';
import { type ChangeFilter, Changes } from './changes';
import { Connection, type State } from './connection';
import { Life } from './life';
import { Methods } from './methods';
import { type ClientOptions, reachOf, settingsOf } from './options';
import { type ClientTarget, InFile, targetOf } from './target';

/**
 * A client of a server.
 *
 * The first call connects, unless `connect` did; it may be shared, and is opened again by `connect` after it was closed. An open client
 * does not keep the process: that goes on while a call, a step of an iteration or a question of the server is under way, or after
 * `ref()`. At the end of the process server processes are ended. One that is forgotten open is closed, with a warning.
 *
 * @example
 * ```ts
 * await using client = new Client('https://host/mcp');
 * const { structuredContent } = await client.callTool('add', { a: 1, b: 2 });
 * ```
 */
export class Client extends Methods {
  /** The requests whose rounds of input the caller drives. */
  readonly byHand: ByHand;

  /**
   * @param target a URL, a command with its arguments, an entry of an `mcpServers` file, or a `Server` of this process
   * @throws DefinitionError, or the error of its kind, for a target or an option that cannot be
   */
  constructor(target: ClientTarget | InFile, options: ClientOptions = {}) {
    const settings = settingsOf(options);
    const place = targetOf(target, reachOf(options));
    super(new Life(() => new Connection(place, settings.native, settings.callbacks, settings.bigint)));
    this.byHand = new ByHand(this.life);
  }

  /**
   * A client of the server `name` of an `mcpServers` file, or of what such a file holds. `${NAME}`, `${NAME:-default}` and `${env:NAME}`
   * stand for variables of the environment there, as in a single entry.
   *
   * @param config the path of the file, or its content as an object
   * @param name needed where the file names several servers
   */
  static fromConfig(config: string | URL | object, name?: string, options?: ClientOptions): Client {
    const isPath = typeof config === 'string' || config instanceof URL;
    return new Client(new InFile(isPath ? readFileSync(config, 'utf8') : JSON.stringify(config), name), options);
  }

  /** Opens the connection. Rejects with what kept it from being made, with every fact. */
  async connect(): Promise<this> {
    await this.life.connect();
    return this;
  }

  /**
   * Closes the connection; what still waits fails with `Closed`. Resolves when nothing is left: the server process has exited, the
   * session is deleted. Twice is once.
   */
  close(): Promise<void> {
    return this.life.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Keeps the process as long as the client is open, for one that only listens. */
  ref(): this {
    this.life.keepProcess(true);
    return this;
  }

  /** Takes `ref` back. */
  unref(): this {
    this.life.keepProcess(false);
    return this;
  }

  /** The changes of lists and of resources, to iterate over; see {@link Changes}. */
  listen(options: ChangeFilter = {}): Changes {
    return new Changes(this.life, options);
  }

  /** Tells the server that the roots are different now. */
  rootsChanged(): void {
    const connection = this.life.live();
    guard(() => connection.native.rootsChanged());
  }

  /** Name and version of the server, as it says itself; undefined before it was connected to. */
  get serverInfo(): Implementation | undefined {
    return this.life.said.server;
  }

  /** What the server can do. */
  get serverCapabilities(): ServerCapabilities | undefined {
    return this.life.said.capabilities;
  }

  /** The revision that is spoken; given as `known` to the next client of this server, it saves asking. */
  get protocolVersion(): string | undefined {
    return this.life.said.protocol_version;
  }

  /** What the server says about its use. */
  get instructions(): string | undefined {
    return this.life.said.instructions ?? undefined;
  }

  /** How the connection is. */
  get state(): State {
    return this.life.connection?.state ?? 'closed';
  }

  /** Why it is recovering or failed. */
  get cause(): string | null {
    return this.life.connection?.cause ?? null;
  }
}
