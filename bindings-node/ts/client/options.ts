/**
 * What a client can be told about itself, in the words of the native layer.
 *
 * @module
 */

import { DefinitionError } from '../errors';
import { limitsOf } from '../limits';
import { Callbacks, type ClientCallbacks } from './callbacks';
import { seconds } from './request';
import { pathOf, type Reach } from './target';

/** Options of a client. Times are milliseconds. */
export interface ClientOptions extends ClientCallbacks {
  /** How the client calls itself. */
  name?: string | undefined;
  version?: string | undefined;
  /** HTTP headers of every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Variables of a server process, besides the few that it inherits. */
  env?: Readonly<Record<string, string>> | undefined;
  /** The working directory of a server process. */
  cwd?: string | URL | undefined;
  /** Which era of the protocol is spoken; without it the server is asked. */
  era?: 'auto' | 'legacy' | 'modern' | undefined;
  /** The revision that this server spoke the last time, `client.protocolVersion` then: it saves asking. */
  known?: string | undefined;
  /** How long each request waits for its answer; each progress starts it anew. */
  timeout?: number | undefined;
  /** How long each request waits in all. */
  totalTimeout?: number | undefined;
  /** Limits by their names. */
  limits?: Readonly<Record<string, number>> | undefined;
  /** Whether a lost connection is made anew; it is, unless this is false. */
  recover?: boolean | undefined;
  /** Whether results are held against the output schemas of their tools; they are, unless this is false. */
  checkOutput?: boolean | undefined;
  /** Whether certificates are verified; they are, unless this is false. */
  verify?: boolean | undefined;
  /** A file of certificates to trust besides the system's. */
  caFile?: string | URL | undefined;
  /** The files of a client certificate and its key. */
  cert?: readonly [certificate: string | URL, key: string | URL] | undefined;
  /** The URL of a proxy; "env" for the usual variables, "off" for none. */
  proxy?: string | undefined;
  /** Whether cookies are kept. */
  cookies?: boolean | undefined;
  /** A Unix socket to connect to. */
  socket?: string | URL | undefined;
  /** Capabilities declared besides those that follow from the callbacks, for who answers by hand. */
  capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Gives integers beyond 2^53 in results and questions as `bigint`; without it they are rounded. */
  bigint?: boolean | undefined;
}

const NAMES = new Set(
  [
    'name version headers env cwd era known timeout totalTimeout limits recover checkOutput verify caFile cert proxy cookies',
    'socket capabilities bigint onSample sampleTools onElicit onElicitUrl roots onLog onProgress onChange onState onStderr',
  ]
    .join(' ')
    .split(' '),
);

/** Options as a connection needs them. */
export interface Settings {
  callbacks: Callbacks;
  /** The native layer's options, JSON text. */
  native: string;
  bigint: boolean;
}

/**
 * The settings that options ask for.
 *
 * @throws DefinitionError for an option or limit that there is not, or a time that is none
 */
export function settingsOf(options: ClientOptions): Settings {
  for (const name in options) if (!NAMES.has(name)) throw new DefinitionError(`a client has no option \`${name}\``);
  const callbacks = new Callbacks(options);
  const limits: Record<string, number> = {};
  if (options.timeout != null) limits.call_for = seconds('timeout', options.timeout);
  if (options.totalTimeout != null) limits.call_total = seconds('totalTimeout', options.totalTimeout);
  const native = JSON.stringify({
    name: options.name ?? 'omniport',
    version: options.version ?? '0',
    answers: callbacks.answers(),
    capabilities: options.capabilities,
    listens: callbacks.listens(),
    limits: { ...limits, ...limitsOf(options.limits ?? {}) },
    era: options.era,
    known: options.known,
    recover: options.recover,
    check_output: options.checkOutput,
    watch_changes: options.onChange != null,
  });
  return { callbacks, native, bigint: options.bigint === true };
}

/** How the server is reached. */
export function reachOf({ env, cwd, ...options }: ClientOptions): Reach {
  const { headers, verify, caFile, cert, proxy, cookies, socket } = options;
  const http: Record<string, unknown> = {};
  if (headers !== undefined && Object.keys(headers).length > 0) http.headers = headers;
  if (caFile != null) http.ca_file = pathOf(caFile);
  if (cert != null) {
    http.client_cert = pathOf(cert[0]);
    http.client_key = pathOf(cert[1]);
  }
  if (socket != null) http.socket = pathOf(socket);
  if (verify != null) http.verify = verify;
  if (proxy != null) http.proxy = proxy;
  if (cookies != null) http.cookies = cookies;
  return { env, cwd, http: Object.keys(http).length > 0 ? http : undefined };
}
