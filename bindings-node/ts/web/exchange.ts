/**
 * One request of a foreign web server on its way through the engine: the head goes in, the answer comes back through a sink.
 *
 * @module
 */

import { fromFault, OmniportError } from '../errors';
import type { Engine } from '../native';
import type { Principal } from '../server/context';
import type { Within } from './request-context';

/** Takes the answer to one request. */
export interface HttpSink {
  /** Comes first. */
  head(status: number, headers: [name: string, value: string][]): void;
  body(bytes: Uint8Array): void;
  /** Comes last; nothing follows. */
  end(): void;
}

/** What an adapter needs of the pump. */
export interface WebPump {
  readonly engine: Engine;
  /** Who takes the answers, by the tokens of `handleHttp`. */
  readonly sinks: Map<number, HttpSink>;
  /** Where the handlers of a request run, by the same tokens (H15). */
  readonly contexts: Map<number, Within>;
  touch(): void;
}

/** Gives the pump of a server, and starts it where nobody has. */
export type FindPump = () => WebPump | Promise<WebPump>;

/** The head of a request as `handleHttp` takes it. */
export interface Head {
  method: string;
  path: string;
  query: string;
  headers: [name: string, value: string][];
  principal?: Principal;
  root_path?: string;
  /** The address that the foreign server is bound to, where it says. */
  server?: string;
}

/** What to answer to a head that no HTTP has: another server would have refused it before. */
export class BadHead extends Error {}

/** A request that the engine works on. */
export class Exchange {
  private constructor(
    private readonly pump: WebPump,
    private readonly token: number,
  ) {}

  /**
   * Hands a request to the engine.
   *
   * @throws BadHead when the engine cannot read the head
   */
  static open(pump: WebPump, head: Head, body: Uint8Array, sink: HttpSink, within: Within | null): Exchange {
    let token: number;
    try {
      token = pump.engine.handleHttp(JSON.stringify(head), body);
    } catch (thrown) {
      const error = fromFault(thrown);
      throw error instanceof OmniportError && error.kind === 'invalid_request' ? new BadHead(error.message) : error;
    }
    pump.sinks.set(token, sink);
    if (within !== null) pump.contexts.set(token, within);
    pump.touch();
    return new Exchange(pump, token);
  }

  /** So many bytes of an event stream left: how the engine knows that a reader is slow. */
  sent(bytes: number): void {
    this.pump.engine.sentHttp(this.token, bytes);
  }

  /** The answer is complete. */
  done(): void {
    this.pump.sinks.delete(this.token);
    this.pump.contexts.delete(this.token);
  }

  /** The client went away: its request is cancelled. */
  drop(): void {
    this.done();
    this.pump.engine.dropHttp(this.token);
  }
}

/** Whether the parts of an answer are to leave as they come; every other answer is one piece. */
export function isEventStream(headers: [name: string, value: string][]): boolean {
  return headers.some(([name, value]) => name === 'content-type' && value.startsWith('text/event-stream'));
}

/** A path without the slashes at its end, to compare mount points by. */
export function trimmed(path: string): string {
  let end = path.length;
  while (end > 0 && path.charCodeAt(end - 1) === 0x2f) end--;
  return path.slice(0, end);
}
