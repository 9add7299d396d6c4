/**
 * Our Node client against one foreign server: `walk.js CASE.json`, a case of servers.json as `walks.py` prepares it.
 *
 * Prints a line of JSON for each check; after the last one it waits for the end of stdin, so that what the closed connection left
 * behind can be looked for while this process still lives.
 */

import { deepEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Cancelled, Client, OmniportError, Timeout } from 'omniport';
import type { Prompt, Resource, ResourceTemplate, Tool } from 'omniport/types';
import { example } from './arguments.js';
import type { Call, Case, Completion, Kind, Read } from './case.js';
import { Told } from './told.js';

const MILLISECONDS = 20_000;

class Walk {
  private readonly told = new Told();
  private readonly client: Client;
  private tools: Tool[] = [];
  private resources: Resource[] = [];
  private templates: ResourceTemplate[] = [];
  private prompts: Prompt[] = [];

  constructor(private readonly plan: Case) {
    const { answers, env, era } = plan;
    const answer = <T>(kind: string, given: T): T => {
      this.told.asked.push(kind);
      return given;
    };
    this.client = new Client(plan.url ?? plan.command, {
      name: 'omniport-walk',
      timeout: MILLISECONDS,
      onSample: () => answer('sample', answers.sample as never),
      onElicit: () => answer('elicit', answers.elicit as never),
      roots: () => answer('roots', answers.roots.roots),
      onLog: (message) => this.told.log(message),
      onChange: ({ kind, uri }) => this.told.change({ changed: kind, uri }),
      ...(env === undefined ? {} : { env }),
      ...(era === undefined ? {} : { era }),
    });
  }

  async run(): Promise<void> {
    if (await check('connect', () => this.connect())) {
      await check('list', () => this.listAll());
      for (const [name, does] of this.checks()) await check(name, does);
    }
    await check('close', () => this.client.close());
  }

  /** Everything after the lists, which say what there is. */
  private *checks(): Generator<[string, () => Promise<unknown>]> {
    const { plan, client } = this;
    yield ['ping', () => client.ping()];
    if (this.offers('logging')) yield ['log level', () => client.setLogLevel('debug')];
    const watched = plan.subscribe;
    if (watched !== undefined) yield [`subscribe ${watched}`, () => client.subscribe(watched)];
    if (plan.listen !== undefined) yield ['listen', () => client.request('listen', plan.listen)];
    yield* this.callChecks();
    const reads = new Map<string, Read>(this.resources.map(({ uri }) => [uri, { uri }]));
    for (const read of plan.reads) reads.set(read.uri, read);
    for (const read of reads.values()) yield [`resource ${read.uri}`, () => this.read(read)];
    for (const { uriTemplate } of this.templates)
      yield [`template ${uriTemplate}`, () => this.readTemplate(uriTemplate)];
    for (const prompt of this.prompts) yield [`prompt ${prompt.name}`, () => this.get(prompt)];
    for (const asked of plan.completions) {
      yield [`complete ${asked.argument} of ${Object.values(asked.reference)[0]}`, () => this.complete(asked)];
    }
    if (watched !== undefined) yield [`unsubscribe ${watched}`, () => client.unsubscribe(watched)];
    if (plan.at_once !== undefined) yield [`${plan.at_once.times} calls at once`, () => this.callAtOnce()];
    if (plan.cancel !== undefined) yield [`cancel ${plan.cancel.tool}`, () => this.cancel()];
  }

  /** The calls of the case, then the other tools. The one that is there to be given up is not called. */
  private *callChecks(): Generator<[string, () => Promise<unknown>]> {
    const { calls, cancel } = this.plan;
    for (const call of calls) yield [`tool ${call.tool}`, () => this.call(call)];
    const done = new Set([...calls.map((call) => call.tool), cancel?.tool]);
    for (const { name, inputSchema } of this.tools.filter((tool) => !done.has(tool.name))) {
      yield [`tool ${name}`, () => this.call({ tool: name, arguments: example(inputSchema) })];
    }
  }

  private async connect(): Promise<void> {
    const { client, plan } = this;
    await client.connect();
    const { name, version } = client.serverInfo ?? { name: '', version: '' };
    deepEqual([client.protocolVersion, name], [plan.revision, plan.name]);
    ok(version, 'the server has no version');
    deepEqual(version, plan.version ?? version);
    ok((client.instructions ?? '').includes(plan.instructions ?? ''), `instructions: ${client.instructions}`);
  }

  private async listAll(): Promise<void> {
    const { client } = this;
    if (this.offers('tools')) this.tools = await client.listTools();
    if (this.offers('resources')) {
      this.resources = await client.listResources();
      this.templates = await client.listResourceTemplates();
    }
    if (this.offers('prompts')) this.prompts = await client.listPrompts();
    const found: Record<Kind, string[]> = {
      tools: this.tools.map((tool) => tool.name),
      resources: this.resources.map((resource) => resource.uri),
      templates: this.templates.map((template) => template.uriTemplate),
      prompts: this.prompts.map((prompt) => prompt.name),
    };
    for (const [kind, names] of Object.entries(this.plan.lists) as [Kind, string[]][]) {
      const missing = names.filter((name) => !found[kind].includes(name));
      ok(missing.length === 0, `${kind} not listed: ${missing}; listed: ${found[kind]}`);
    }
  }

  /** Calls a tool and compares whatever the case says of its outcome. */
  private async call(call: Call): Promise<void> {
    this.told.clear();
    const steps: number[] = [];
    const options = {
      onProgress: ({ progress }: { progress: number }) => void steps.push(progress),
      ...(call.timeout === undefined ? {} : { timeout: call.timeout * 1000 }),
    };
    const outcome = await outcomeOf(this.client.callTool(call.tool, call.arguments ?? {}, options));
    if ('error' in outcome) {
      if (outcome.error instanceof Timeout && call.timeout !== undefined) return;
      expectCode(outcome.error, call.error);
      return;
    }
    const { result } = outcome;
    const said = result.content.map((block) => ('text' in block ? block.text : '')).join('\n');
    ok(call.timeout === undefined && call.error === undefined, `no error but: ${said}`);
    deepEqual(result.isError ?? false, call.is_error ?? false, said);
    ok(said.includes(call.text ?? ''), `text: ${said}`);
    deepEqual(said.length, call.length ?? said.length);
    if (call.structured !== undefined) deepEqual(result.structuredContent, call.structured);
    const types = result.content.map((block) => block.type);
    deepEqual(types, call.content ?? types);
    deepEqual(steps, call.progress ?? steps);
    deepEqual(this.told.asked, call.asked ?? this.told.asked);
    if (call.logged !== undefined) await this.told.untilLogged(call.logged);
    if (call.changed !== undefined) await this.told.untilChanged(call.changed);
    if (call.lists !== undefined) {
      const names = (await this.client.listTools()).map((tool) => tool.name);
      ok(names.includes(call.lists), `tools: ${names}`);
    }
  }

  private async read(read: Read): Promise<void> {
    const outcome = await outcomeOf(this.client.readResource(read.uri));
    if ('error' in outcome) {
      expectCode(outcome.error, read.error);
      return;
    }
    const [first] = outcome.result.contents;
    ok(first !== undefined && read.error === undefined, `contents: ${JSON.stringify(first)}`);
    if (read.text !== undefined) ok('text' in first && first.text.includes(read.text), JSON.stringify(first));
    if (read.blob !== undefined) deepEqual('blob' in first && first.blob, read.blob);
  }

  private async readTemplate(template: string): Promise<void> {
    const given = this.plan.templates[template] ?? {};
    const uri = template.replace(/\{[+#/]?([^}]+?)\*?\}/g, (_, name: string) => given[name] ?? '1');
    ok((await this.client.readResource(uri)).contents.length > 0, 'no contents');
  }

  private async get(prompt: Prompt): Promise<void> {
    const given = this.plan.prompts[prompt.name] ?? {};
    const required = (prompt.arguments ?? []).filter((argument) => argument.required);
    const least = Object.fromEntries(required.map(({ name }) => [name, 'text']));
    const { messages } = await this.client.getPrompt(prompt.name, given.arguments ?? least);
    ok(messages.length > 0, 'no messages');
    const said = messages.map(({ content }) => ('text' in content ? content.text : '')).join('\n');
    ok(said.includes(given.text ?? ''), `text: ${said}`);
  }

  private async complete({ reference, argument, value, values, arguments: others }: Completion): Promise<void> {
    const options = others === undefined ? {} : { arguments: others };
    const { completion } = await this.client.complete(reference, argument, value, options);
    deepEqual(completion.values, values);
  }

  private async callAtOnce(): Promise<void> {
    const { times, tool, arguments: args, text } = this.plan.at_once as NonNullable<Case['at_once']>;
    const calls = Array.from({ length: times }, () => this.client.callTool(tool, args));
    for (const { content } of await Promise.all(calls)) deepEqual(content[0], { type: 'text', text });
  }

  /** Gives up a call that is under way, as its first progress shows; the connection must be as good as before. */
  private async cancel(): Promise<void> {
    const { tool, arguments: args } = this.plan.cancel as NonNullable<Case['cancel']>;
    const call = this.client.callTool(tool, args ?? {});
    const outcome = outcomeOf(call);
    for await (const _ of call.progress()) break;
    call.cancel();
    const given = await outcome;
    ok('error' in given && given.error instanceof Cancelled, `not cancelled: ${JSON.stringify(given)}`);
    await this.client.ping();
  }

  private offers(capability: string): boolean {
    return capability in (this.client.serverCapabilities ?? {});
  }
}

async function outcomeOf<T>(call: Promise<T>): Promise<{ result: T } | { error: unknown }> {
  try {
    return { result: await call };
  } catch (error) {
    return { error };
  }
}

/** An error is as expected if the case says its code. */
function expectCode(error: unknown, code: number | undefined): void {
  if (code === undefined || !(error instanceof OmniportError)) throw error;
  deepEqual(error.code, code);
}

/** Runs one check and prints how it went. */
async function check(name: string, does: () => Promise<unknown>): Promise<boolean> {
  let problem = '';
  try {
    await does();
  } catch (error) {
    problem = String(error);
  }
  console.log(JSON.stringify({ check: name, ok: problem === '', detail: problem }));
  return problem === '';
}

async function main(): Promise<void> {
  const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Case;
  await new Walk(plan).run();
  for await (const _ of process.stdin);
}

void main();
