/**
 * The boundary: the same few calls that every language makes. JSON text crosses, nothing else.
 *
 * Rust never runs JavaScript of users. It queues events and calls `wake` once per idle-to-busy edge, by a weak threadsafe function
 * that keeps no process alive; `takeBatch` and `take` give all that is queued.
 *
 * @module
 */

import { load } from './load';

/** One event: `[kind, token, slot, payload, integers?]`, as JSON of a batch has it. */
export type Event = [kind: number, token: number, slot: number, payload: unknown, integers?: Path[]];

/** One thing that a client told: `[client, part, token, payload, integers?]`. */
export type Told = [client: number, part: number, token: number, payload: unknown, integers?: Path[]];

/** Where an integer beyond 2^53 stands in a payload; there it is a string of digits. Only where `bigint` was asked for. */
export type Path = (string | number)[];

/** One server definition and its queue. Nothing here blocks. Whatever throws throws a `Fault`. */
export interface Engine {
  /**
   * Registry. `definition` is the protocol's own object for the thing; `options` a JSON object. Each returns the slot that events
   * name. Adding a name again replaces it.
   *
   * @param options `{"timeout"?: seconds, "concurrency"?: int, "rate"?: {"calls": int, "per": seconds, "by"?: "principal"|"all"},
   *   "once"?: bool, "unchecked"?: bool}`
   */
  addTool(definition: string, options: string): number;
  /** @param options `{"cache"?: {"ttl_ms", "scope": "public"|"private"}}` */
  addResource(definition: string, options: string): number;
  /** @param options `{"unsafe_variables"?: [str], "cache"?}` */
  addTemplate(definition: string, options: string): number;
  /** @param options `{}` */
  addPrompt(definition: string, options: string): number;
  /** @param reference `{"prompt": name}` or `{"template": uri}` */
  addCompletion(reference: string, argument: string): number;
  /** @param kind "tool", "resource", "template", "prompt"; connected clients are told. */
  remove(kind: string, name: string): boolean;
  /** The variables of an RFC 6570 template, in order. */
  templateVariables(template: string): string[];
  /** Tells the subscribers of `uri`. */
  resourceUpdated(uri: string): void;
  /** The value of a limit that is in force, by its name in `limits`; times in seconds. */
  limit(name: string): number;

  /** Everything queued, at most a few hundred events, as a JSON array of `Event`; an empty text when there is nothing. */
  takeBatch(): string;
  /** The bodies that the HTTP events of the last batch speak of, by the index that is their payload. */
  takeBodies(): Uint8Array[];
  /**
   * Answers of handlers, one per line: the token, a space, JSON text without line breaks. For CALL: `{"structuredContent"?,
   * "content"?, "isError"?, "_meta"?}`; without `content` the engine mirrors the structured value as text. READ: `{"contents"}`;
   * GET: `{"description"?, "messages"}`; COMPLETE: `{"values", "total"?, "hasMore"?}`; VISIBLE: the names that stay; AUTHENTICATE: a
   * principal `{"subject", "client"?, "scopes"?, "claims"?}`. A token that is over is ignored. Does what `flush` does, too.
   */
  settle(lines: string): void;
  /**
   * @param kind "tool": a tool error the model can read; "protocol": a JSON-RPC error with `code`; "internal": the text may be
   *   masked; "not_found": unknown tool, resource or prompt; any other kind of a `Fault`: a JSON-RPC error of that kind, with its own code
   *   when `code` is null.
   * @param data JSON text
   */
  fail(token: number, kind: string, code: number | null, message: string, data: string | null): void;
  /** `{"progress", "total"?, "message"?}` or `{"level", "data", "logger"?}` of a running call. */
  notice(token: number, text: string): void;
  /**
   * `{"elicit": {message, requestedSchema} | {mode: "url", message, url}}`, `{"sample": {...}}` or `{"roots": {}}`, each with `"key"?`.
   * Returns the question's number and, when a replay knows it, the answer at once (as the payload of an ANSWER event, JSON text);
   * else an ANSWER event follows. Questions asked before `flush` go out in one round. Throws a `Fault` of kind "missing_capability".
   */
  ask(token: number, question: string): [number: number, answer: string | null];
  /** The kept result of the step `name`, JSON text, or null when it has not run. */
  step(token: number, name: string): string | null;
  keepStep(token: number, name: string, value: string): void;
  /** Sends what was written and asked since the last flush. Called once per tick; cheap when there is nothing. */
  flush(): void;
  /**
   * A JSON array `[facts, integers?]` (see `Path`; always, also without `bigint`), facts: `{"request_id", "era": "legacy"|"modern",
   * "protocol_version", "client": {...}|null, "capabilities": {...}, "session_id"?, "headers": {lowercase name: value}, "principal"?,
   * "meta": {...}, "log_level"?, "wants_progress": bool, "resumed": bool, "http"?: the token of the `handleHttp` that brought the call}`
   */
  context(token: number): string;
  /** Ends the event stream of a running call without its answer, so that a client polls; no effect elsewhere. */
  closeStream(token: number): void;

  /** Takes descriptors 0 and 1; whatever else writes to stdout goes to stderr from now on. An END event follows at its end. */
  serveStdio(): void;
  /**
   * Listens; returns the bound address "host:port". An END event follows when the last transport is over.
   *
   * @param options `{"host", "port", "path"?: "/mcp", "sse_path"?, "message_path"?, "allowed_hosts"?: [..], "allowed_origins"?: [..],
   *   "allow_any_host"?: bool, "cors"?: {"origins": [..]}, "json_only"?: bool, "threads"?: int}`
   */
  serveHttp(options: string): string;
  /**
   * For a foreign web server; its answer comes as HTTP events of the returned token.
   *
   * @param head `{"method", "path", "query", "headers": [[n, v]], "principal"?, "root_path"?, "server"?: the address it is bound to}`
   */
  handleHttp(head: string, body: Uint8Array): number;
  /** So many bytes of the answer's body were passed on: how the engine knows that a reader is slow. */
  sentHttp(token: number, bytes: number): void;
  /** The foreign client went away: its request is cancelled. */
  dropHttp(token: number): void;
  /** Stops listening, lets running calls go on for `grace` seconds, ends streams, then queues END. */
  close(grace: number): void;
}

/** What clients tell one JavaScript thread. Answers overtake logs, changes, lines of stderr and reports. */
export interface Inbox {
  /** What was told, at most a few hundred things, as a JSON array of `Told`; an empty text when there is nothing. */
  take(): string;
}

/** One connection of a client. Nothing here blocks. */
export interface NativeClient {
  /** Names the client in the inbox. */
  number(): number;
  /**
   * @param target one of `{"url"}`, `{"command": [text, ..]}`, `{"entry": as in an `mcpServers` file}`, `{"file": its text, "name"?}`,
   *   each with `"env"?`, `"cwd"?` and `"http"?: {"headers"?, "ca_file"?, "ca_pem"?, "client_cert"?, "client_key"?, "verify"?: bool,
   *   "proxy"?: URL | "env" | "off", "cookies"?: bool, "socket"?}`
   * @returns a token, whose answer says `{"server", "capabilities", "protocol_version", "instructions"}`
   */
  connectTarget(target: string): number;
  /** In memory; otherwise as `connectTarget`. */
  connectEngine(server: Engine): number;
  /**
   * @param what "list_tools", "call_tool", "list_resources", "list_templates", "read_resource", "list_prompts", "get_prompt", "complete",
   *   "ping", "set_log_level", "subscribe", "unsubscribe", "listen"
   * @param params the protocol's own, except for "complete": `{"reference": {"prompt"} | {"template"}, "argument", "value",
   *   "arguments"?, "_meta"?}` and "listen": `{"tools"?: bool, "resources"?: bool, "prompts"?: bool, "uris"?: [str]}`
   * @param options `{"timeout"?, "total_timeout"?: seconds, "headers"?: {name: value}, "safe"?, "fresh"?, "one_page"?, "by_hand"?: bool,
   *   "listens"?: {"progress"?, "log"?: bool}}`, or null
   * @returns a token; its answer, progress and log messages name it
   */
  request(what: string, params: string, options: string | null): number;
  /** Takes a call back: it fails as cancelled at once, and the server is told. A token that is over is ignored. */
  cancel(token: number, reason: string): void;
  /** The answer to what the server asked: `{"result": {...}}` or `{"error": {"kind", "message", "code"?, "data"?}}`. */
  answer(number: number, answer: string): void;
  /** The roots are different now: a legacy server is told, a modern one asks when it wants to know. */
  rootsChanged(): void;
  /** So many notifications (progress, logs, changes, lines of stderr) were handled: when too many wait, further ones are dropped. */
  handled(count: number): void;
  /** Ends the connection. Returns a token; its answer comes when nothing is left: the process has exited, the session is deleted. */
  close(): number;
}

/** Kinds of an event. */
export interface Kinds {
  /** Run the tool in `slot`; payload: the arguments, already validated against the tool's schema. */
  CALL: number;
  /** Read the resource or template in `slot`; payload: `{"uri": str, "variables": {name: str | [str]}}`. */
  READ: number;
  /** The prompt in `slot`; payload: the arguments, an object of strings. */
  GET: number;
  /** Completion handler in `slot`; payload: `{"argument": name, "value": str, "arguments": {name: str}}`. */
  COMPLETE: number;
  /** Which of these may the caller see; payload: `{"kind": "tools"|"resources"|"templates"|"prompts", "names": [...]}`. */
  VISIBLE: number;
  /** Who is this; payload: `{"headers": {name: value}}`; settle with a principal, or fail. */
  AUTHENTICATE: number;
  /** The answer to a question of call `token`; slot: the question's number; payload: `{"result"}` or `{"error": {"kind", ..}}`. */
  ANSWER: number;
  /** Call `token` is over for its caller: stop it; payload: the reason, a string. */
  CANCEL: number;
  /** Something a client told the server; payload: `{"event": "roots_changed" | "subscribed" | "unsubscribed", ...}`. */
  EVENT: number;
  /** After each call, when asked for; payload: `{"kind", "name", "principal", "arguments_sha256", "outcome", "ms"}`. */
  AUDIT: number;
  /** A fault worth a log line; slot: level (10 debug .. 40 error); payload: a string. */
  REPORT: number;
  /** For `handleHttp`; token: its token; slot 0 head: `{"status", "headers": [[n, v]]}`, 1 body: an index into `takeBodies`, 2 the end. */
  HTTP: number;
  /** Nothing will follow: the last transport closed, or `close` was called (a client in memory is no transport). */
  END: number;
}

/** Parts of what a client tells. */
export interface Parts {
  /** The answer of call `token`. */
  TOLD_RESULT: number;
  /** Its failure; payload: `{"kind", "code", "message", "data"?, "retry", "context"}`. */
  TOLD_ERROR: number;
  /** The answer of call `token`, made by hand, that says what input it needs. */
  TOLD_INPUT: number;
  /** How far it is; payload: the parameters of the notification. */
  TOLD_PROGRESS: number;
  /** A log message, of call `token` where that is not 0; payload: the parameters of the notification. */
  TOLD_LOG: number;
  /** The server asks; token: the number for `answer`; payload: `{"elicit" | "elicit_url" | "sample" | "roots": params}`. */
  TOLD_ASKED: number;
  /** Question `token` needs no answer any more. */
  TOLD_WITHDRAWN: number;
  /** Payload: `{"kind": "tools"|"resources"|"prompts"|"resource"|"missed"|"ended", "uri"?, "added"?, "removed"?, "changed"?}`; "missed",
   * "ended": of the subscription that call `token` opened, "missed" also of everything when it is 0. */
  TOLD_CHANGE: number;
  /** Payload: `{"state": "connecting"|"ready"|"recovering"|"failed"|"closed", "cause"?}`. */
  TOLD_STATE: number;
  /** A line of the server process, a string. */
  TOLD_STDERR: number;
  /** A fault worth a log line; token: its level (10 debug .. 40 error); a string. */
  TOLD_REPORT: number;
  /** The connection is over, and every call has its result; payload: the error that ended it. */
  TOLD_CLOSED: number;
}

/** Everything that the addon exports. */
export interface Native extends Kinds, Parts {
  /**
   * @param options `{"name", "version", "title"?, "description"?, "website_url"?, "icons"?, "instructions"?, "limits"?: {name: number},
   *   "page_size"?, "mask_errors"?: bool, "auth"?: bool, "visibility"?: bool, "audit"?: bool, "state_keys"?: [base64 of 32 bytes, newest
   *   first], "cache"?: {"tools"|"resources"|"templates"|"prompts"|"discover"|"read": {"ttl_ms", "scope": "public"|"private"}}, "rate"?,
   *   "concurrency"?: int, "timeout"?: seconds, "subscribe"?: bool, "legacy_sessions"?: bool}`
   * @param bigint whether integers beyond 2^53 in payloads are marked, see `Path`
   * @param wake called on this thread when there is something to take; must not throw
   */
  Engine: new (
    options: string,
    bigint: boolean,
    wake: () => void,
  ) => Engine;
  Inbox: new (wake: () => void) => Inbox;
  /**
   * @param inbox where everything is told
   * @param options `{"name", "version", "answers"?: {"sample"?, "sample_tools"?, "elicit"?, "elicit_url"?, "roots"?: bool}: what this host
   *   can be asked, "capabilities"?: {...} declared besides, "era"?: "auto"|"legacy"|"modern", "protocol_version"?: a revision,
   *   "known"?: the revision spoken the last time, "recover"?, "check_output"?, "watch_changes"?: bool, "limits"?, "listens"?: {"progress"?,
   *   "log"?, "stderr"?: bool}}`
   */
  Client: new (
    inbox: Inbox,
    options: string,
    bigint: boolean,
  ) => NativeClient;
  /** Throws what `connectTarget` would throw, for the same reasons. */
  checkTarget(target: string): void;
  /** Whether the limit of that name is a time, in seconds; throws for one that there is not. */
  isTime(limit: string): boolean;
}

export const native: Native = load() as Native;
