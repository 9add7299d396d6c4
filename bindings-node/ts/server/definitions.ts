/**
 * What was registered as the protocol's definitions of tools, resources and prompts, with the handlers that run them.
 *
 * @module
 */

import { DefinitionError, InvalidParams } from '../errors';
import type { CompiledSchema } from '../schema';
import type { Context } from './context';
import { stringify } from './integers';
import { cacheOf, checkOptions, defined, rateOf, seconds } from './options';
import type { Handler } from './pump';
import { completion as completionText, contents, isData, messages, toolEncoder } from './results';
import { compile } from './schemas';
import type { PromptArgument, PromptOptions, ResourceOptions, ToolOptions } from './types';

/** One thing to register. */
export interface Definition {
  kind: 'tool' | 'resource' | 'template' | 'prompt';
  /** What `Engine.remove` knows it by: the name, or the URI of a resource or template. */
  name: string;
  definition: string;
  options: string;
  handler: Handler;
}

/** A handler of a user's, whatever it takes. */
export type AnyHandler = (given: unknown, cx: Context) => unknown;

const TOOL_OPTIONS = 'title description input output annotations icons meta timeout rate concurrency once strict'.split(
  ' ',
);
const RESOURCE_OPTIONS = 'name title description mimeType size annotations icons meta cache unsafeVariables'.split(' ');
const PROMPT_OPTIONS = 'title description input icons meta'.split(' ');
const NO_ARGUMENTS = { type: 'object', properties: {} };

/** A tool; its arguments and results are described by schemas. */
export function tool(name: string, options: ToolOptions, handler: unknown): Definition {
  const subject = named('tool', name);
  checkOptions(subject, options, TOOL_OPTIONS);
  checkHandler(subject, handler, `app.tool('${name}', { .. }, (args, cx) => ..)`);
  const { title, description, annotations, icons, meta, timeout, rate, concurrency, once, strict } = options;
  const input = options.input === undefined ? undefined : compile(options.input, 'input', subject);
  const output = options.output === undefined ? undefined : compile(options.output, 'output', subject);
  const inputSchema = input?.json ?? NO_ARGUMENTS;
  const closed = strict === true && !('additionalProperties' in inputSchema);
  const unchecked = input?.parse && !strict ? true : undefined;
  const definition = {
    name,
    title,
    description,
    inputSchema: closed ? { ...inputSchema, additionalProperties: false } : inputSchema,
    outputSchema: output?.json,
    annotations,
    icons,
    _meta: meta,
  };
  return {
    kind: 'tool',
    name,
    definition: text(subject, defined(definition)),
    // A parser checks all that the schema says, and takes what the schema does not tell of (`z.coerce`).
    options: text(subject, defined({ timeout: seconds(timeout), rate: rateOf(rate), concurrency, once, unchecked })),
    handler: { subject, call: toolCall(handler as AnyHandler, input, output), encode: toolEncoder(output?.json) },
  };
}

/** The handler between its schemas; without parsers it is called as it is, and nothing is waited for that is no promise. */
function toolCall(
  handler: AnyHandler,
  input: CompiledSchema | undefined,
  output: CompiledSchema | undefined,
): AnyHandler {
  const parse = input?.parse ?? null;
  const called: AnyHandler = (args, cx) => {
    const value = handler(args, cx);
    return isStream(value) ? collected(value) : value;
  };
  const parsed: AnyHandler = parse === null ? called : (given, cx) => then(parse(given), (args) => called(args, cx));
  if (!output?.parse) return parsed;
  const { json, parse: check } = output;
  const checked = (value: unknown) => (isData(value, json) ? then(attempt(check, value), (data) => data) : value);
  return (given, cx) => then(parsed(given, cx), checked);
}

/** The result in the form that the output schema publishes; what does not fit is the server's fault, not the caller's. */
function attempt(check: (value: unknown) => unknown, value: unknown): unknown {
  const refuse = (cause: unknown): never => {
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The result does not fit the output schema: ${words}`, { cause });
  };
  try {
    const checked = check(value);
    return isThenable(checked) ? checked.then(undefined, refuse) : checked;
  } catch (cause) {
    return refuse(cause);
  }
}

/** A resource, or with `variables` a template; its content, or the handler that gives it. */
export function resource(
  uri: string,
  variables: readonly string[],
  options: ResourceOptions,
  given: unknown,
): Definition {
  const kind = variables.length > 0 ? 'template' : 'resource';
  const subject = named(kind, uri);
  checkOptions(subject, options, RESOURCE_OPTIONS);
  if (given === undefined)
    throw new DefinitionError(`${subject}: the content is missing, or the handler that gives it`);
  const { name = uri, title, description, mimeType, size, annotations, icons, meta, cache, unsafeVariables } = options;
  const address = kind === 'template' ? { uriTemplate: uri } : { uri };
  const definition = { ...address, name, title, description, mimeType, size, annotations, icons, _meta: meta };
  const handler = given as AnyHandler;
  return {
    kind,
    name: uri,
    definition: text(subject, defined(definition)),
    options: text(subject, defined({ cache: cacheOf(cache), unsafe_variables: unsafeVariables })),
    handler: {
      subject,
      call: typeof given === 'function' ? (asked: Asked, cx) => handler(asked.variables ?? {}, cx) : () => given,
      encode: (value, asked: Asked) => stringify({ contents: contents(asked.uri, value, mimeType) }, 'result'),
    },
  };
}

interface Asked {
  uri: string;
  variables?: Record<string, unknown>;
}

/** A prompt; its arguments are always texts on the wire, and of the schema's types for the handler. */
export function prompt(name: string, options: PromptOptions, handler: unknown): Definition {
  const subject = named('prompt', name);
  checkOptions(subject, options, PROMPT_OPTIONS);
  checkHandler(subject, handler, `app.prompt('${name}', { .. }, (args, cx) => ..)`);
  const { title, description, input, icons, meta } = options;
  const schema = input === undefined || Array.isArray(input) ? undefined : compile(input, 'input', subject);
  const args = schema ? argumentsOf(subject, schema.json) : listed(subject, input as PromptArgument[] | undefined);
  const definition = { name, title, description, arguments: args.length > 0 ? args : undefined, icons, _meta: meta };
  const call = handler as AnyHandler;
  const read = schema && reader(schema);
  return {
    kind: 'prompt',
    name,
    definition: text(subject, defined(definition)),
    options: '{}',
    handler: {
      subject,
      call: read ? (given, cx) => then(read(given), (args) => call(args, cx)) : call,
      encode: (value) => stringify(messages(value, description), 'result'),
    },
  };
}

function listed(subject: string, args: PromptArgument[] | undefined): PromptArgument[] {
  const names = new Set<string>();
  for (const argument of args ?? []) {
    if (typeof argument?.name !== 'string') throw new DefinitionError(`${subject}: an argument has no name`);
    if (names.has(argument.name)) throw new DefinitionError(`${subject}: two arguments are named \`${argument.name}\``);
    names.add(argument.name);
    checkOptions(`${subject}, argument \`${argument.name}\``, argument, ['name', 'title', 'description', 'required']);
  }
  return args ?? [];
}

type Schema = Record<string, unknown>;

function argumentsOf(subject: string, schema: Schema): object[] {
  if (schema.type !== 'object')
    throw new DefinitionError(`${subject}: the arguments are described by the members of an object`);
  const required = new Set(schema.required as string[] | undefined);
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, member]) =>
    defined({ name, title: member.title, description: member.description, required: required.has(name) || undefined }),
  );
}

/** From texts to the values of the schema's types. */
function reader({ json, parse }: CompiledSchema): (given: unknown) => unknown {
  const members = (json.properties ?? {}) as Record<string, Schema>;
  const refuse = (cause: unknown): never => {
    throw new InvalidParams(cause instanceof Error ? cause.message : String(cause), { cause });
  };
  return (given) => {
    const entries = Object.entries(given as Record<string, string>);
    const values = Object.fromEntries(entries.map(([name, text]) => [name, fromText(text, members[name])]));
    if (parse === null) return values;
    try {
      const parsed = parse(values);
      return isThenable(parsed) ? parsed.then(undefined, refuse) : parsed;
    } catch (cause) {
      return refuse(cause);
    }
  };
}

/** The value that a text stands for, where the schema wants another type; a text that stands for none stays, and is refused by the parser. */
function fromText(given: string, member: Schema | undefined): unknown {
  const branches = (member?.anyOf ?? [member]) as (Schema | undefined)[];
  const types = new Set(branches.flatMap((branch) => branch?.type));
  if (types.has('string') || (types.size === 1 && types.has(undefined))) return given;
  try {
    const value: unknown = JSON.parse(given);
    const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    return types.has(type) || (type === 'number' && types.has('integer')) ? value : given;
  } catch {
    return given;
  }
}

/** A completion handler takes the text typed so far and the other arguments (Y23). */
export function completion(subject: string, handler: unknown): Handler {
  checkHandler(subject, handler, "app.complete('prompt', 'argument', (value, others, cx) => ..)");
  const suggest = handler as (value: string, others: Record<string, string>, cx: Context) => unknown;
  return {
    subject,
    call: (asked: { value?: string; arguments?: Record<string, string> | null }, cx) =>
      suggest(asked.value ?? '', asked.arguments ?? {}, cx),
    encode: completionText,
  };
}

/** How messages call the thing; DefinitionError when it has no name. */
function named(kind: string, name: unknown): string {
  if (typeof name === 'string' && name !== '') return `${kind} \`${name}\``;
  const what = kind === 'tool' || kind === 'prompt' ? 'name' : 'URI';
  throw new DefinitionError(`a ${kind} needs its ${what} as the first argument, a text that is not empty`);
}

function checkHandler(subject: string, handler: unknown, example: string): void {
  if (typeof handler === 'function') return;
  throw new DefinitionError(`${subject}: the handler is missing; it is the last argument: ${example}`);
}

function text(subject: string, value: unknown): string {
  try {
    return stringify(value, subject);
  } catch (cause) {
    throw new DefinitionError(`${subject}: ${(cause as Error).message}`, { cause });
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

function then<T>(value: T | PromiseLike<T>, next: (value: T) => unknown): unknown {
  return isThenable(value) ? (value as PromiseLike<T>).then(next) : next(value as T);
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

async function collected(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
