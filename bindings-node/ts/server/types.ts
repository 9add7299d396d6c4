/**
 * What can be said of a server and of the things it offers. Names are the protocol's, times are in milliseconds.
 *
 * @module
 */

import type { ContentBlock, ToolResult } from '../content';
import type { Input, Output, SchemaLike } from '../schema';
import type { Context, Principal } from './context';
import type { Lifespan } from './lifespan';
import type { Cache, Rate } from './options';

/** A value, or a promise of one. */
export type Awaitable<T> = T | PromiseLike<T>;

/** Lists whose answers a client may keep. */
export type Cached = 'tools' | 'resources' | 'templates' | 'prompts' | 'discover' | 'read';

/** What `visible` is asked about. */
export type VisibleKind = 'tools' | 'resources' | 'templates' | 'prompts';

/** Something that a client told the server. */
export type ServerEvent = { event: 'roots_changed' } | { event: 'subscribed' | 'unsubscribed'; uri: string };

/** What is kept of a call: who, what, how it ended; never the arguments themselves. */
export interface AuditRecord {
  kind: string;
  name: string;
  principal: string | null;
  /** Of the arguments as they came, in hexadecimal. */
  argumentsSha256: string;
  outcome: string;
  /** How long it took, in milliseconds. */
  ms: number;
}

/** Options of a server. */
export interface ServerOptions<L = unknown> {
  name: string;
  /** "0" when nothing is said. */
  version?: string;
  title?: string;
  description?: string;
  /** For the model: how the server is to be used. */
  instructions?: string;
  websiteUrl?: string;
  icons?: readonly object[];
  /** Entered before the first call and left at the end; see {@link Lifespan}. */
  lifespan?: Lifespan<L>;
  /** Says who is calling, by the headers of the request (names in lower case); null, or anything without a `subject`, refuses. */
  auth?: (headers: Readonly<Record<string, string>>) => Awaitable<Principal | null | undefined | false>;
  /** Of these names, those that the caller may see and use. */
  visible?: (cx: Context<L>, kind: VisibleKind, names: string[]) => Awaitable<Iterable<string>>;
  /** Gets one record for each call. */
  audit?: (record: AuditRecord) => unknown;
  /** Gets what clients tell. */
  onEvent?: (event: ServerEvent) => unknown;
  /** Limits by their names in camelCase; times in milliseconds. */
  limits?: Readonly<Record<string, number>>;
  /** Items of a list that are sent at once. */
  pageSize?: number;
  /** Whether the texts of unexpected errors are kept from callers; over HTTP they are. */
  maskErrors?: boolean;
  cache?: Partial<Record<Cached, Cache>>;
  rate?: Rate;
  /** How many calls run at once. */
  concurrency?: number;
  /** How long a call may take. */
  timeout?: number;
  /** Whether clients may subscribe to resources. */
  subscribe?: boolean;
  legacySessions?: boolean;
  /** Secrets of 32 bytes, newest first, which replicas share. */
  stateKeys?: readonly Uint8Array[];
  /** Whether integers beyond 2^53 in arguments are handed over as bigint; otherwise they are rounded, as JSON.parse does. */
  bigint?: boolean;
  /** Whether `getContext()` knows the call from the beginning also after an `await`; it costs a little for each call. */
  trackContext?: boolean;
}

/** Options of a tool. */
export interface ToolOptions<I = unknown, O = unknown> {
  title?: string;
  /** For the model: what it does, when to use it. */
  description?: string;
  /** The arguments: a schema of zod, valibot, arktype and others, a record of such schemas, or a JSON Schema. */
  input?: I;
  /** The structured result. */
  output?: O;
  /** Hints: `{ readOnlyHint: true }`. */
  annotations?: object;
  icons?: readonly object[];
  meta?: object;
  /** How long a call may take, in milliseconds. */
  timeout?: number;
  rate?: Rate;
  /** How many calls run at once. */
  concurrency?: number;
  /** Whether a repeated retry of a call that asked its user is refused. */
  once?: boolean;
  /** Refuses arguments that the schema does not name; by default they are ignored. */
  strict?: boolean;
}

/** What a handler of a tool is given. */
export type Arguments<I> = [I] extends [SchemaLike] ? Output<I> : Record<string, unknown>;

/** What a handler of a tool returns: by its output schema, or anything. */
export type Result<O> = [O] extends [SchemaLike] ? Input<O> | WholeResult : unknown;

/** A result that says itself what it is, also where there is an output schema. */
export type WholeResult = ToolResult | ContentBlock | CallResult;

/** The protocol's own object for the result of a tool. */
export interface CallResult {
  content: readonly object[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: object;
}

/** Options of a resource or template. */
export interface ResourceOptions {
  /** Without one, the URI. */
  name?: string;
  title?: string;
  description?: string;
  /** Without one: text/plain for texts, application/octet-stream for bytes, application/json for other data. */
  mimeType?: string;
  /** In bytes. */
  size?: number;
  annotations?: object;
  icons?: readonly object[];
  meta?: object;
  cache?: Cache;
  /** Variables whose values may hold path separators and `..` segments. */
  unsafeVariables?: readonly string[];
}

/** An argument of a prompt, where no schema describes it. */
export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

/** Options of a prompt. */
export interface PromptOptions<I = unknown> {
  title?: string;
  description?: string;
  /** A schema of an object, or a list of arguments. */
  input?: I;
  icons?: readonly object[];
  meta?: object;
}

/** What a handler of a prompt is given: by its schema, or the texts of its list. */
export type PromptArguments<I> = I extends readonly (infer A)[]
  ? {
      [K in A as K extends { name: infer N extends string } ? N : never]: K extends { required: true }
        ? string
        : string | undefined;
    }
  : [I] extends [SchemaLike]
    ? Output<I>
    : Record<string, string>;

/** Suggestions for an argument. */
export type Suggestions = Iterable<string> | { values: string[]; total?: number; hasMore?: boolean };

/** Where and how a server listens. */
export interface ListenOptions {
  /** 0 takes a free one; 8000 without one. */
  port?: number;
  /** "127.0.0.1" without one. */
  host?: string;
  /** "/mcp" without one. */
  path?: string;
  /** Paths of the two endpoints of the revision 2024-11-05. */
  ssePath?: string;
  messagePath?: string;
  /** Names that requests may be addressed to; loopback names without them. */
  allowedHosts?: readonly string[];
  allowedOrigins?: readonly string[];
  allowAnyHost?: boolean;
  cors?: { origins: readonly string[] };
  /** Answers as JSON where no stream is needed. */
  jsonOnly?: boolean;
  /** Of the engine. */
  threads?: number;
  /** How long running calls may go on after `close`, in milliseconds. */
  grace?: number;
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** Where clients connect: "http://127.0.0.1:8000/mcp". */
  readonly url: string;
  /** "127.0.0.1:8000". */
  readonly address: string;
  readonly port: number;
  /** Resolves when everything is over. */
  readonly closed: Promise<void>;
  /** Ends all transports of the server; running calls may take `grace` milliseconds more. Resolves when everything is over. */
  close(grace?: number): Promise<void>;
}
