/** One client, on stdin and stdout. */

import type { Step } from './files.js';
import { encode, type JsonObject } from './json.js';
import { Pipe } from './pipe.js';
import { Stage } from './stage.js';

export class OverPipes extends Stage {
  private pipe!: Pipe;

  async begin(): Promise<void> {
    this.pipe = new Pipe(this.server, this.speaker);
  }

  protected override async act(verb: string, step: Step, on: string): Promise<void> {
    if (verb !== 'in' && verb !== 'bytes') {
      await super.act(verb, step, on);
      return;
    }
    await this.ensure(on);
    this.isDirty = true;
    const given = step[verb];
    const text = typeof given === 'string' ? given : encode(given);
    const data = Buffer.from(verb === 'bytes' ? text : `${text}\n`, verb === 'bytes' ? 'hex' : 'utf8');
    for (const line of data.toString('utf8').split('\n')) this.ledger(on).sentText(line);
    this.pipe.write(data);
  }

  protected override async sync(): Promise<void> {
    await super.sync();
    await this.pipe.sync();
  }

  /** The pipes are there from the start. */
  protected async open(): Promise<void> {}

  protected async post(_: string, message: JsonObject): Promise<void> {
    this.pipe.post(message);
  }

  protected end(): void {
    this.pipe.end();
  }

  protected wait(_: string, count: number): Promise<void> {
    return this.pipe.wait(count);
  }

  protected arrived(): unknown[] {
    return this.pipe.take();
  }

  close(): void {}
}
