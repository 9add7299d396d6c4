/** One client on the server's pipes. */

import assert from 'node:assert/strict';
import { encode, isObject, type JsonObject, parse } from './json.js';
import { Gone, News } from './news.js';
import type { ServerProcess } from './servers.js';
import type { Speaker } from './speaker.js';

/** Lines to a server process and from it. */
export class Pipe {
  private readonly news = new News();
  private rest = Buffer.alloc(0);
  private messages: unknown[] = [];
  private barriers = 0;
  private isInsideLine = false;
  private isOpen = true;
  private hasEnded = false;
  private junk: unknown;

  constructor(
    private readonly server: ServerProcess,
    private readonly speaker: Speaker,
  ) {
    server.stdout.on('data', (data: Buffer) => this.read(data));
    server.stdout.on('close', () => {
      this.hasEnded = true;
      this.news.tell();
    });
  }

  write(data: Buffer): void {
    if (data.length > 0) this.isInsideLine = data.at(-1) !== 0x0a;
    this.server.stdin.write(data);
  }

  post(message: JsonObject): void {
    this.write(Buffer.from(`${encode(message)}\n`));
  }

  /** No more input. */
  end(): void {
    this.isOpen = false;
    this.server.stdin.end();
  }

  take(): unknown[] {
    if (this.junk !== undefined) throw this.junk;
    const taken = this.messages;
    this.messages = [];
    return taken;
  }

  /** Returns when so many messages are there, the stream has ended, or patience has. */
  async wait(count: number): Promise<void> {
    await this.news.until(() => this.messages.length >= count || this.hasEnded || this.junk !== undefined);
  }

  /**
   * Returns when everything that was written has had its effect, and what it brought is here.
   *
   * The server answers requests of a stream in order as far as it answers them itself. So when the answer to one more request is
   * here, it has read what was before; handlers come to rest; and the answer to another comes behind theirs.
   */
  async sync(): Promise<void> {
    if (!this.isOpen) {
      await this.wait(Number.POSITIVE_INFINITY);
      assert(this.hasEnded, 'the server did not end with its input');
      assert(this.rest.length === 0, `the output ended inside a line: ${this.rest}`);
    } else if (this.isInsideLine) {
      await this.server.settle(); // nothing can be asked here; what a half line may bring is found at its end
    } else {
      try {
        await this.barrier();
        await this.server.settle();
        await this.barrier();
      } catch (error) {
        if (!(error instanceof Gone)) throw error;
        await this.wait(Number.POSITIVE_INFINITY);
        assert(this.hasEnded, 'the server ended without ending its output');
      }
    }
  }

  private async barrier(): Promise<void> {
    const name = `barrier-${++this.barriers}`;
    this.post(this.speaker.barrier(name));
    const isAnswer = (message: unknown) => isObject(message) && message.id === name && !('method' in message);
    const place = () => this.messages.findIndex(isAnswer);
    await this.news.until(() => place() >= 0 || this.hasEnded || this.junk !== undefined);
    if (place() < 0) {
      if (this.hasEnded) throw new Gone('the server has ended');
      throw this.junk ?? new Error('the server does not answer any more');
    }
    this.messages.splice(place(), 1);
  }

  private read(data: Buffer): void {
    this.rest = Buffer.concat([this.rest, data]);
    for (let end = this.rest.indexOf(0x0a); end >= 0; end = this.rest.indexOf(0x0a)) {
      try {
        this.messages.push(parse(this.rest.toString('utf8', 0, end)));
      } catch (error) {
        this.junk = error;
      }
      this.rest = this.rest.subarray(end + 1);
    }
    this.news.tell();
  }
}
