/** What the tests of the client have in common: servers to be clients of. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Client, type ClientOptions, type ClientTarget } from 'omniport';

type Json = Record<string, unknown>;

/** A call of a tool, as its handler has it. */
export interface Running {
  /** Asks the client; the answer as `{ result }` or `{ error }`. */
  ask(question: Json): Promise<Json>;
  progress(progress: number, total?: number): void;
  /** Resolves when the client takes the call back. */
  cancelled: Promise<string>;
}

export type Handler = (args: Json, call: Running) => unknown;

interface State {
  running: Running;
  answers: Map<number, (answer: Json) => void>;
  cancel: (reason: string) => void;
}

const ENGINE = Symbol.for('omniport.engine') as never;

// biome-ignore lint/suspicious/noExplicitAny: the boundary is typed in the package, and not exported
export const native: any = createRequire(import.meta.url)('../../dist/native.js').native;

/** The smallest server of this process, on the native layer itself. */
export class Small {
  readonly name = 'small';
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly engine: any;
  readonly #handlers = new Map<number, Handler>();
  readonly #calls = new Map<number, State>();

  constructor(tools: Record<string, Handler>, options: Json = {}) {
    const own = JSON.stringify({ name: 'small', version: '1', ...options });
    this.engine = new native.Engine(own, false, () => this.#pump());
    for (const [name, handler] of Object.entries(tools)) this.add(name, handler);
  }

  add(name: string, handler: Handler): void {
    const definition = JSON.stringify({ name, inputSchema: { type: 'object' } });
    this.#handlers.set(this.engine.addTool(definition, '{}'), handler);
    this.engine.flush();
  }

  [ENGINE](): unknown {
    return this.engine;
  }

  #pump(): void {
    const text = this.engine.takeBatch();
    for (const [kind, token, slot, payload] of text ? JSON.parse(text) : []) {
      if (kind === native.CALL) void this.#call(token, slot, payload);
      else if (kind === native.ANSWER) this.#calls.get(token)?.answers.get(slot)?.(payload);
      else if (kind === native.CANCEL) this.#calls.get(token)?.cancel(payload);
    }
  }

  async #call(token: number, slot: number, args: Json): Promise<void> {
    const answers = new Map<number, (answer: Json) => void>();
    let cancel = (_: string): void => {};
    const cancelled = new Promise<string>((resolve) => {
      cancel = resolve;
    });
    const running: Running = {
      cancelled,
      progress: (progress, total) => {
        this.engine.notice(token, JSON.stringify({ progress, total }));
        this.engine.flush();
      },
      ask: (question) => {
        const [number, known] = this.engine.ask(token, JSON.stringify(question));
        const answer = new Promise<Json>((resolve) => answers.set(number, resolve));
        this.engine.flush();
        return known === null ? answer : Promise.resolve(JSON.parse(known));
      },
    };
    this.#calls.set(token, { running, answers, cancel });
    try {
      const result = await this.#handlers.get(slot)?.(args, running);
      this.engine.settle(`${token} ${JSON.stringify({ content: [{ type: 'text', text: String(result) }] })}`);
    } catch (error) {
      this.engine.fail(token, 'tool', null, (error as Error).message, null);
      this.engine.flush();
    } finally {
      this.#calls.delete(token);
    }
  }
}

/** A small server as a target. */
export function small(tools: Record<string, Handler> = {}, options: Json = {}): ClientTarget & Small {
  return new Small({ echo: (args) => JSON.stringify(args), ...tools }, options) as never;
}

/** The command of the raw server. */
export const RAW = [process.execPath, fileURLToPath(new URL('./servers/raw.js', import.meta.url))];

/** A client of the raw server that says nothing of the server's era first, so that it is soon there. */
export function raw(options: ClientOptions = {}): Client {
  return new Client(RAW, { era: 'legacy', ...options });
}

/** The text of a result. */
export function textOf(result: { content: unknown[] }): string {
  return (result.content[0] as { text: string }).text;
}

/** A promise and what resolves it. */
export function gate<T = void>(): { promise: Promise<T>; open: (value: T) => void } {
  let open: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
