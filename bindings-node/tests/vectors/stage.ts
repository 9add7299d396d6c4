/** The values that were caught, and what all transports have in common. */

import assert from 'node:assert/strict';
import type { Run, Step } from './files.js';
import { encode, type JsonObject } from './json.js';
import { Ledger } from './ledger.js';
import * as pattern from './pattern.js';
import type { ServerProcess } from './servers.js';
import { Speaker } from './speaker.js';

const VERBS = [
  'in',
  'bytes',
  'request',
  'notify',
  'reply',
  'out',
  'none',
  'close',
  'stop',
  'http',
  'response',
  'leave',
];
/** These wait for what comes; before any other, the step before has to have had its effect. */
const WAITING = ['out', 'response'];

export abstract class Stage {
  protected readonly speaker: Speaker;
  protected readonly bindings: pattern.Bindings;
  protected readonly ledgers = new Map<string, Ledger>();
  /** Whether something was sent whose effects may still be on their way. */
  protected isDirty = false;

  constructor(
    protected readonly run: Run,
    protected readonly server: ServerProcess,
  ) {
    this.speaker = new Speaker(run);
    this.bindings = { version: run.revision, meta: this.speaker.meta(), ...run.vars };
  }

  async step(given: Step): Promise<void> {
    const step = pattern.fill(given, this.bindings) as Step;
    const [verb, ...more] = VERBS.filter((one) => one in step);
    assert(verb !== undefined && more.length === 0, 'a step has one verb');
    if (this.isDirty && !WAITING.includes(verb)) await this.sync();
    await this.act(verb, step, step.on ?? 'main');
  }

  /** A vector says all that comes: what is left at its end is a surprise. */
  async finish(): Promise<void> {
    await this.sync();
    for (const on of this.ledgers.keys()) {
      const left = this.take(on);
      assert(left.length === 0, `at the end, messages that no step named: ${encode(left).slice(0, 3000)}`);
    }
  }

  protected async act(verb: string, step: Step, on: string): Promise<void> {
    if (verb === 'out' || verb === 'none') {
      await this.ensure(on);
      await this.checkOut(on, (step.out ?? []) as unknown[], step.unordered === true);
      return;
    }
    this.isDirty = true;
    if (verb === 'stop') {
      await this.server.stop();
    } else if (verb === 'close') {
      await this.ensure(on);
      this.end(on);
    } else if (verb === 'request') {
      await this.ensure(on);
      await this.send(on, this.speaker.request(step.request as JsonObject));
    } else if (verb === 'notify' || verb === 'reply') {
      await this.ensure(on);
      await this.send(on, { ...(step[verb] as JsonObject), jsonrpc: '2.0' });
    } else {
      throw new Error(`\`${verb}\` is not for this transport`);
    }
  }

  /** Opens a client, with its handshake where the revision has one. */
  protected async ensure(on: string): Promise<void> {
    if (this.ledgers.has(on)) return;
    this.ledgers.set(on, new Ledger(this.run.revision));
    await this.open(on);
    if (this.run.isModern || !this.run.client.handshake) return;
    await this.send(on, this.speaker.initialize());
    await this.wait(on, 1);
    const expected = [{ id: 'handshake', result: { protocolVersion: this.run.revision } }];
    pattern.check(expected, this.take(on), this.bindings);
    await this.send(on, { jsonrpc: '2.0', method: 'notifications/initialized' });
    await this.afterHandshake(on);
  }

  private async checkOut(on: string, patterns: unknown[], isUnordered: boolean): Promise<void> {
    await this.wait(on, patterns.length);
    const came = this.take(on);
    const text = encode(came).slice(0, 3000);
    assert(came.length === patterns.length, `expected ${patterns.length} messages, came: ${text}`);
    try {
      pattern.check(isUnordered ? { $contains: patterns } : patterns, came, this.bindings);
    } catch (error) {
      throw new Error(`${(error as Error).message}\ncame: ${text}`);
    }
  }

  private take(on: string): unknown[] {
    const messages = this.arrived(on);
    for (const message of messages) this.ledger(on).check(message);
    return messages;
  }

  private async send(on: string, message: JsonObject): Promise<void> {
    this.ledger(on).sent(message);
    await this.post(on, message);
  }

  protected ledger(on: string): Ledger {
    const ledger = this.ledgers.get(on);
    assert(ledger !== undefined);
    return ledger;
  }

  /** Everything that was sent has had its effect, and what it brought is here. */
  protected async sync(): Promise<void> {
    this.isDirty = false;
  }

  /** A client may open more. */
  protected async afterHandshake(_: string): Promise<void> {}

  /** Before the first step. */
  abstract begin(): Promise<void>;
  protected abstract open(on: string): Promise<void>;
  /** Sends a message as the client's transport does. */
  protected abstract post(on: string, message: JsonObject): Promise<void>;
  /** The client goes. */
  protected abstract end(on: string): void;
  /** Until so many messages are there, or nothing more can come. */
  protected abstract wait(on: string, count: number): Promise<void>;
  /** Takes the messages that are there. */
  protected abstract arrived(on: string): unknown[];
  abstract close(): void;
}
