/**
 * A server: what it offers, and how it is served.
 *
 * @module
 */

import { DefinitionError, guard } from '../errors';
import { limitsOf } from '../limits';
import type { Engine } from '../native';
import type { SchemaLike } from '../schema';
import type { FetchHandler, FetchHandlerOptions } from '../web/fetch';
import type { NodeHandler, NodeHandlerOptions } from '../web/node';
import { type Context, trackContexts } from './context';
import * as definitions from './definitions';
import { install, observer } from './hooks';
import { stringify } from './integers';
import { engineOf, type Hosted, pumpOf } from './internal';
import { enter } from './lifespan';
import { cacheOf, checkOptions, defined, keysOf, rateOf, seconds } from './options';
import type { Pump } from './pump';
import { Registry } from './registry';
import type {
  Arguments,
  AuditRecord,
  Awaitable,
  Listening,
  ListenOptions,
  PromptArgument,
  PromptArguments,
  PromptOptions,
  ResourceOptions,
  Result,
  ServerEvent,
  ServerOptions,
  Suggestions,
  ToolOptions,
} from './types';
import type { Variables } from './variables';

const OPTIONS =
  'name version title description instructions websiteUrl icons lifespan auth visible audit onEvent limits pageSize maskErrors cache rate concurrency timeout subscribe legacySessions stateKeys bigint trackContext'.split(
    ' ',
  );

/**
 * An MCP server.
 *
 * @example
 * const app = new Server({ name: 'demo' });
 * app.tool('add', { input: { a: z.number(), b: z.number() } }, ({ a, b }) => a + b);
 * await app.run();
 *
 * @typeParam L what its lifespan gives
 */
export class Server<L = unknown> implements AsyncDisposable, Hosted {
  readonly name: string;
  readonly #registry: Registry;
  #fetch: FetchHandler | undefined;
  #node: NodeHandler | undefined;

  /** @throws DefinitionError for an option that there is not, or a value that is none */
  constructor(options: ServerOptions<L>) {
    checkOptions('Server', options, OPTIONS);
    if (typeof options.name !== 'string') throw new DefinitionError('a server needs a name');
    if (options.trackContext) trackContexts();
    this.name = options.name;
    this.#registry = new Registry({
      options: native(options as ServerOptions),
      bigint: options.bigint ?? false,
      enter: () => enter(options.lifespan, this as unknown as Server),
      onEvent: observer(options.onEvent, (event: ServerEvent) => event),
      onAudit: observer(options.audit, audited),
    });
    install(this.#registry, options as ServerOptions);
    guard(() => this.#registry.pump); // wrong options are told here, not at the first tool
  }

  // Tools

  /**
   * Registers a tool, also while the server runs; a name that exists is replaced.
   *
   * The handler gets the parsed arguments and the {@link Context}. What it returns: a string is text for the model, an object structured
   * data (anything is, with an `output` schema), nothing an empty result; content blocks, {@link ToolResult} and the protocol's own result
   * object say themselves what they are. What it throws is a tool error that the model can read.
   *
   * @throws DefinitionError that names the tool
   */
  tool(name: string, handler: (args: Record<string, unknown>, cx: Context<L>) => unknown): void;
  tool<const I extends SchemaLike | undefined = undefined, const O extends SchemaLike | undefined = undefined>(
    name: string,
    options: ToolOptions<I, O>,
    handler: (args: Arguments<I>, cx: Context<L>) => Awaitable<Result<O>>,
  ): void;
  tool(name: string, options: unknown, handler?: unknown): void {
    const short = typeof options === 'function' && handler === undefined;
    this.#registry.add(definitions.tool(name, short ? {} : (options as ToolOptions), short ? options : handler));
  }

  /** Whether there was such a tool; connected clients are told. */
  removeTool(name: string): boolean {
    return this.#registry.remove('tool', name);
  }

  // Resources

  /**
   * Registers a resource, or a template if the URI has variables: `'file:///{+path}'`, also while the server runs.
   *
   * The content is a text, bytes, other data (as JSON), `{ uri, mimeType?, text | blob }` or a list of them; or a handler that gives it,
   * which gets the variables and the {@link Context}. Throw `NotFound` for a URI that names nothing.
   *
   * @throws DefinitionError that names the resource
   */
  resource<const T extends string>(
    uri: T,
    options: ResourceOptions,
    content: ((variables: Variables<T>, cx: Context<L>) => unknown) | string | Uint8Array | object,
  ): void;
  resource<const T extends string>(
    uri: T,
    content: ((variables: Variables<T>, cx: Context<L>) => unknown) | string | Uint8Array,
  ): void;
  resource(uri: string, options: unknown, content?: unknown): void {
    const short = content === undefined && (typeof options !== 'object' || options instanceof Uint8Array);
    const variables = typeof uri === 'string' && uri.includes('{') ? this.#variables(uri) : [];
    const [given, body] = short ? [{}, options] : [options as ResourceOptions, content];
    this.#registry.add(definitions.resource(uri, variables, given, body));
  }

  /** Takes a resource or template away; whether there was one. */
  removeResource(uri: string): boolean {
    return this.#registry.remove(this.#registry.has('template', uri) ? 'template' : 'resource', uri);
  }

  /** Tells the subscribers of `uri` that it has changed. */
  resourceUpdated(uri: string): void {
    const { pump } = this.#registry;
    pump.engine.resourceUpdated(uri);
    pump.touch();
  }

  #variables(template: string): string[] {
    return guard(() => this.#registry.pump.engine.templateVariables(template));
  }

  // Prompts and completions

  /**
   * Registers a prompt, also while the server runs. The handler returns a text, a message (`{ role, content }`), a list of them, or the
   * protocol's own result object.
   *
   * @throws DefinitionError that names the prompt
   */
  prompt(name: string, handler: (args: Record<string, string>, cx: Context<L>) => unknown): void;
  prompt<const I extends SchemaLike | readonly PromptArgument[] | undefined = undefined>(
    name: string,
    options: PromptOptions<I>,
    handler: (args: PromptArguments<I>, cx: Context<L>) => unknown,
  ): void;
  prompt(name: string, options: unknown, handler?: unknown): void {
    const short = typeof options === 'function' && handler === undefined;
    this.#registry.add(definitions.prompt(name, short ? {} : (options as PromptOptions), short ? options : handler));
  }

  /** Whether there was such a prompt. */
  removePrompt(name: string): boolean {
    return this.#registry.remove('prompt', name);
  }

  /**
   * Registers suggestions for an argument of a prompt (its name) or a variable of a template (its URI). The handler gets the text typed so
   * far and the other arguments.
   */
  complete(
    reference: string,
    argument: string,
    handler: (value: string, others: Record<string, string>, cx: Context<L>) => Awaitable<Suggestions>,
  ): void {
    const kind = reference.includes('{') || reference.includes('://') ? 'template' : 'prompt';
    const subject = `completion of \`${reference}\`, \`${argument}\``;
    this.#registry.addCompletion(kind, reference, argument, definitions.completion(subject, handler));
  }

  // Serving

  /**
   * Serves stdin and stdout. Resolves when the client has gone, or when SIGINT or SIGTERM came and running calls have had `grace`
   * milliseconds to end; a second signal ends the process at once. Whatever else writes to stdout (`console.log`) goes to stderr.
   *
   * While a server is served, here, by `listen` or by a web server of the program, a rejection that nobody handles is
   * logged and does not end the process, unless the program listens for `unhandledRejection` itself.
   */
  async run(options: { grace?: number } = {}): Promise<void> {
    checkOptions('run', options, ['grace']);
    const { run } = require('./serve') as typeof import('./serve');
    await run(this.#registry.pump, options.grace);
  }

  /**
   * Serves HTTP, at `http://127.0.0.1:8000/mcp` when nothing else is said.
   *
   * @throws IoError that names host and port when it cannot listen there
   */
  async listen(options: ListenOptions = {}): Promise<Listening> {
    const { listen } = require('./serve') as typeof import('./serve');
    return listen(this.#registry.pump, options);
  }

  /**
   * Answers a web-standard `Request`, for Hono, Bun, Deno, Next.js and others: `Bun.serve({ fetch: app.fetch })`. It is bound. A request
   * whose body was read already comes with it: `app.fetch(request, { body })`. Event streams are read as their reader pulls, and a
   * request whose signal aborts is cancelled.
   */
  get fetch(): FetchHandler {
    this.#fetch ??= this.fetchHandler();
    return this.#fetch;
  }

  /** As {@link fetch}, for one path, with callers that the web framework knows, or for a server bound to a known address. */
  fetchHandler(options: FetchHandlerOptions = {}): FetchHandler {
    checkOptions('fetchHandler', options, ['path', 'principal', 'boundTo']);
    const { fetchHandler } = require('../web/fetch') as typeof import('../web/fetch');
    return fetchHandler(() => this[pumpOf](), options);
  }

  /**
   * Answers requests of `node:http` and `node:http2`, Express and Fastify: `createServer(app.node)`, `express().use('/mcp', app.node)`. It
   * is bound. It takes the body from the stream, or from `request.body` where a body parser left it there.
   */
  get node(): NodeHandler {
    this.#node ??= this.nodeHandler();
    return this.#node;
  }

  /** As {@link node}, for one path, with callers that the web framework knows, or for a server bound to a known address. */
  nodeHandler(options: NodeHandlerOptions = {}): NodeHandler {
    checkOptions('nodeHandler', options, ['path', 'principal', 'boundTo']);
    const { nodeHandler } = require('../web/node') as typeof import('../web/node');
    return nodeHandler(() => this[pumpOf](), options);
  }

  /** Stops serving: no new calls, running ones may take `grace` milliseconds more. Resolves when everything is over. */
  async stop(grace?: number): Promise<void> {
    const pump = this.#registry.existing;
    if (pump === undefined) return;
    pump.close(grace);
    await pump.ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** The pump at work, for other parts of the package. */
  [pumpOf](): Pump {
    const { pump } = this.#registry;
    void pump.start();
    return pump;
  }

  /** The engine at work, for clients of the same process. */
  [engineOf](): Engine {
    return this[pumpOf]().engine;
  }
}

function audited({ arguments_sha256, ...rest }: AuditRecord & { arguments_sha256: string }): AuditRecord {
  return { ...rest, argumentsSha256: arguments_sha256 };
}

/** The options as the engine takes them. */
function native(options: ServerOptions): string {
  const { cache = {}, limits } = options;
  const caches = Object.entries(cache).map(([name, value]) => [name, cacheOf(value)]);
  const given = defined({
    name: options.name,
    version: options.version ?? '0',
    title: options.title,
    description: options.description,
    instructions: options.instructions,
    website_url: options.websiteUrl,
    icons: options.icons,
    limits: limits && limitsOf(limits),
    page_size: options.pageSize,
    mask_errors: options.maskErrors,
    auth: options.auth && true,
    visibility: options.visible && true,
    audit: options.audit && true,
    state_keys: keysOf(options.stateKeys),
    cache: caches.length > 0 ? Object.fromEntries(caches) : undefined,
    rate: rateOf(options.rate),
    concurrency: options.concurrency,
    timeout: seconds(options.timeout),
    subscribe: options.subscribe,
    legacy_sessions: options.legacySessions,
  });
  return stringify(given, 'options');
}
