/** The runner's side of the server processes. */

import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Transport } from './files.js';
import type { JsonObject } from './json.js';
import { Gone, News } from './news.js';

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));
/** Processes that have loaded the package and wait for their run: starting takes longer than most runs. */
const SPARE = 2;

/** What the runner tells the process, once. */
export interface Wanted {
  transport: Transport;
  server: JsonObject;
}

/** Starts servers, each in a process of its own, so that nothing is left over from the run before. */
export class Servers {
  private readonly spare: ServerProcess[] = [];
  private started = 0;

  server(wanted: Wanted): ServerProcess {
    while (this.spare.length <= SPARE) this.spare.push(new ServerProcess(this.started++));
    const server = this.spare.shift() as ServerProcess;
    server.serve(wanted);
    return server;
  }

  close(): void {
    for (const server of this.spare.splice(0)) server.close();
  }
}

/** One server. */
export class ServerProcess {
  private readonly process: ChildProcess;
  private readonly logPath: string;
  private readonly answers: string[] = [];
  private readonly news = new News();
  private isOver = false;

  constructor(number: number) {
    this.logPath = join(tmpdir(), `omniport-vectors-${process.pid}-${number}.log`);
    // A file, because what was written to it is there when the writer goes on.
    const log = openSync(this.logPath, 'w');
    this.process = fork(CHILD, { stdio: ['pipe', 'pipe', log, 'ipc'] });
    closeSync(log);
    this.process.on('message', (answer: string) => {
      this.answers.push(answer);
      this.news.tell();
    });
    this.process.on('disconnect', () => {
      this.isOver = true;
      this.news.tell();
    });
    this.stdin.on('error', () => {}); // of a server that has ended; that is found out otherwise
  }

  get stdin(): Writable {
    return this.process.stdin as Writable;
  }

  get stdout(): Readable {
    return this.process.stdout as Readable;
  }

  serve(wanted: Wanted): void {
    this.process.send(wanted);
  }

  /** The port it listens on. */
  async port(): Promise<number> {
    return Number(await this.answer());
  }

  /** Returns when its handlers have come to rest. Gone when it has ended, which is rest too. */
  settle(): Promise<string> {
    return this.tell('settle');
  }

  /** It takes nothing new and ends its streams; what runs may go on. */
  stop(): Promise<string> {
    return this.tell('stop');
  }

  /** What it wrote to stderr so far. */
  log(): string {
    return readFileSync(this.logPath, 'utf8');
  }

  close(): void {
    this.process.kill('SIGKILL');
    this.stdout.destroy();
    rmSync(this.logPath);
  }

  private tell(what: string): Promise<string> {
    if (!this.isOver) this.process.send(what, () => {});
    return this.answer();
  }

  private async answer(): Promise<string> {
    await this.news.until(() => this.answers.length > 0 || this.isOver);
    const answer = this.answers.shift();
    if (answer === undefined) throw new Gone(`the server has ended: ${this.log()}`);
    return answer;
  }
}
