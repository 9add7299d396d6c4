/**
 * The life of a client: opened by its first use, closed by its user, and opened anew after that (Y25).
 *
 * @module
 */

import { Closed } from '../errors';
import type { Connection, Said } from './connection';

/** Holds the one connection of a client. */
export class Life {
  readonly #make: () => Connection;
  #connection: Connection | undefined;
  #opening: Promise<void> | undefined;
  #isClosed = false;
  #keeps = false;

  constructor(make: () => Connection) {
    this.#make = make;
  }

  /** The connection, the last one when it is over. */
  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Opens the connection if there is none; whoever comes meanwhile waits for the same. */
  async connect(): Promise<void> {
    this.#isClosed = false;
    if (this.#opening === undefined || this.#connection?.isOver !== false) this.#open();
    await this.#opening;
  }

  /** The connection that requests are sent on, opened if it never was. One that was lost for good is not: its user must know. */
  live(): Connection {
    if (this.#isClosed) throw new Closed('the client was closed: connect() opens it again');
    if (this.#connection === undefined || this.#connection.isClosing) return this.#open();
    return this.#connection;
  }

  /** Closes the connection; what still waits fails. Twice is once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.close();
  }

  /** Whether the process goes on as long as the client is open. */
  keepProcess(keep: boolean): void {
    this.#keeps = keep;
    this.#connection?.keepProcess(keep);
  }

  /** What the server said when the connection was made. */
  get said(): Said {
    return this.#connection?.said ?? {};
  }

  #open(): Connection {
    const connection = this.#make();
    this.#connection = connection;
    this.#opening = connection.open();
    // Whoever waits hears of it: connect() by this promise, calls by their own answers.
    this.#opening.catch(() => {});
    if (this.#keeps) connection.keepProcess(true);
    return connection;
  }
}
