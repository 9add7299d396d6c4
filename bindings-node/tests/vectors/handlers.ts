/** The handlers of the standard server, by the names of what they serve. */

import {
  type Context,
  embedded,
  image,
  MissingCapability,
  NotFound,
  OmniportError,
  type Server,
  type Suggestions,
  ToolError,
  ToolResult,
  text,
} from 'omniport';
import { encode, type JsonObject } from './json.js';

type Tool = (args: Record<string, unknown>, cx: Context) => unknown;
type Prompt = (args: Record<string, string | undefined>, cx: Context) => string | Promise<string>;
type Completion = (value: string, others: Record<string, string>) => Suggestions;

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
/** Returns its arguments as JSON text. */
const repeat: Tool = (args) => encode(args);

export class Handlers {
  private runs = 0;

  /** `journal`: what the vectors look at afterwards. */
  constructor(
    private readonly app: Server,
    private readonly journal: string[],
  ) {}

  tool(name: string): Tool {
    return found(this.tools, name);
  }

  resource(name: string): (variables: Record<string, string>, cx: Context) => unknown {
    return found(this.resources, name);
  }

  prompt(name: string): Prompt {
    return found(this.prompts, name);
  }

  completion(argument: string): Completion {
    return found(this.completions, argument);
  }

  private readonly tools: Record<string, Tool> = {
    // Answers at once
    add: ({ a, b }) => (a as number) + (b as number),
    echo: (args) => args.text,
    fail: () => {
      throw new ToolError('deliberate');
    },
    crash: () => {
      throw new Error('secret');
    },
    refuse: () => {
      throw new OmniportError('refused', { code: 1234, data: { x: 1 } });
    },
    structured: async () => ({ name: 'x', tags: ['a'] }),
    bad_structured: async () => ({ name: 1 }),
    no_structured: async () => new ToolResult({ content: 'only text' }),
    error_structured: async () =>
      new ToolResult({ content: 'went wrong', structuredContent: { code: 1 }, isError: true }),
    null_result: async () => null,
    list_result: async () => [1, 2],
    contents: () => [
      text('text'),
      image(Uint8Array.of(0, 1, 2), 'image/png'),
      embedded({ uri: 'test://static', mimeType: 'text/plain', text: 'static text' }),
    ],
    own_meta: () => new ToolResult({ content: [], meta: { 'com.example/x': 1 } }),
    pretty: () => 'a\nb',
    whoami: (_, cx) => ({
      request_id: cx.requestId,
      protocol_version: cx.protocolVersion,
      client: cx.client,
      session_id: cx.sessionId,
      headers: cx.headers,
      principal: cx.principal,
    }),
    journal: () => this.journal.splice(0).join('; '),

    // Say what reached them
    headers_tool: repeat,
    strict: repeat,
    nullable: repeat,
    union: repeat,
    draft07: repeat,
    pattern: repeat,
    limited: repeat,
    private_note: repeat,

    // Tell while they run
    progress: (_, cx) => {
      for (const done of [1, 2, 2, 1, 3]) cx.progress(done, 3, 'counting');
      return 'done';
    },
    late: (_, cx) => {
      setImmediate(() => {
        cx.progress(9);
        cx.log('emergency', 'late');
      });
      return 'done';
    },
    log: (_, cx) => {
      cx.log('debug', { n: 1 }, 'standard');
      cx.log('error', 'two', 'standard');
      return 'done';
    },
    poll: async (_, cx) => {
      await cx.progress(1);
      cx.closeStream();
      await cx.progress(2);
      return 'done';
    },

    // Change the server
    add_tool: () => {
      this.app.tool('added', {}, () => 'added');
      return 'added';
    },
    remove_tool: () => {
      this.app.removeTool('added');
      return 'removed';
    },
    add_resource: () => {
      this.app.resource('test://added', { name: 'added' }, this.resource('static'));
      return 'added';
    },
    add_prompt: () => {
      this.app.prompt('added', {}, this.prompt('plain'));
      return 'added';
    },
    touch: ({ uri = 'test://static' }) => {
      this.app.resourceUpdated(uri as string);
      return 'touched';
    },

    // Wait
    slow: (_, cx) => this.wait('slow', cx),
    timed: (_, cx) => this.wait('timed', cx),
    narrow: (_, cx) => this.wait('narrow', cx),
    ask_name: (_, cx) => this.askName('ask_name', cx),
    timed_ask: (_, cx) => this.askName('timed_ask', cx),
    ask_two: (_, cx) =>
      this.greet('ask_two', cx, () => [
        cx.elicit('First name?', FORM, { key: 'first' }),
        cx.elicit('Last name?', FORM, { key: 'last' }),
      ]),
    ask_twice: (_, cx) =>
      this.noted('ask_twice', cx, async () => {
        const first = await cx.elicit('First name?', FORM, { key: 'first' });
        return greeting([first, await cx.elicit('Last name?', FORM, { key: 'last' })]);
      }),
    ask_url: (_, cx) =>
      this.greet('ask_url', cx, () => [cx.elicitUrl('Please log in.', 'https://example.com/login', { key: 'login' })]),
    sample: (_, cx) => this.greet('sample', cx, () => [cx.sample('Say something.', { maxTokens: 10, key: 'sample' })]),
    sample_tools: (_, cx) => {
      const tools = [{ name: 't', inputSchema: { type: 'object' as const } }];
      return this.greet('sample_tools', cx, () => [
        cx.sample('Say something.', { maxTokens: 10, tools, key: 'sample' }),
      ]);
    },
    roots: (_, cx) => this.greet('roots', cx, () => [cx.listRoots({ key: 'roots' })]),
    step: async (_, cx) => {
      const runs = await cx.step('count', () => ++this.runs);
      return `${await this.askName('step', cx)} Runs: ${runs}.`;
    },
  };

  private readonly resources: Record<string, (variables: Record<string, string>, cx: Context) => unknown> = {
    static: () => 'static text',
    blob: () => Uint8Array.of(0, 1, 2),
    gone: () => {
      throw new NotFound('it is gone');
    },
    crash: () => {
      throw new Error('secret');
    },
    ask: (_, cx) => this.askName('ask_name', cx),
    item: ({ id }) => id,
    tree: ({ path }) => path,
  };

  private readonly prompts: Record<string, Prompt> = {
    greet: ({ name, style = 'plain' }) => `Greet ${name} in a ${style} way.`,
    plain: () => 'Hello.',
    ask_prompt: (_, cx) => this.askName('ask_name', cx),
  };

  private readonly completions: Record<string, Completion> = {
    style: (value, { name }) => {
      const styles = ['formal', 'friendly', 'funny'].filter((style) => style.startsWith(value));
      return name === undefined ? styles : [...styles, `like ${name}`];
    },
    id: () => Array.from({ length: 250 }, (_, number) => String(number)),
    path: () => ({ values: ['a/b'], total: 7, hasMore: true }),
  };

  private wait(name: string, cx: Context): Promise<string> {
    return this.noted(
      name,
      cx,
      () => new Promise((_, end) => cx.signal.addEventListener('abort', () => end(cx.signal.reason))),
    );
  }

  private askName(name: string, cx: Context): Promise<string> {
    return this.greet(name, cx, () => [cx.elicit('Your name?', FORM, { key: 'name' })]);
  }

  /** Asks the questions together. */
  private greet(name: string, cx: Context, ask: () => Promise<unknown>[]): Promise<string> {
    return this.noted(name, cx, async () => greeting(await Promise.all(ask())));
  }

  /**
   * A handler that waits says in the journal that it was cancelled; an error of a question that it does not catch is the tool's, but a
   * missing capability is the protocol's.
   */
  private async noted(name: string, cx: Context, handle: () => Promise<string>): Promise<string> {
    try {
      return await handle();
    } catch (error) {
      if (cx.cancelled) this.journal.push(`${name} cancelled`);
      else if (error instanceof OmniportError && !(error instanceof MissingCapability))
        throw new ToolError(error.message);
      throw error;
    }
  }
}

function found<T>(handlers: Record<string, T>, name: string): T {
  const handler = handlers[name];
  if (handler === undefined) throw new Error(`there is no handler ${name}`);
  return handler;
}

function greeting(answers: unknown[]): string {
  return `Hello, ${answers.map(summary).join(' ')}!`;
}

function summary(answer: unknown): string {
  if (Array.isArray(answer)) return answer.map((root: { uri: string }) => root.uri).join(' ');
  const { action, content } = answer as { action?: string; content?: JsonObject };
  return (content?.name ?? content?.text ?? action) as string;
}
