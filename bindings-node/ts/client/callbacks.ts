/**
 * What a host wants to be asked and told, and what its answers mean.
 *
 * @module
 */

import { InvalidParams, make, OmniportError } from '../errors';
import { stringify } from '../server/integers';
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  Root,
} from '../types';
import type { Change } from './changes';
import type { State } from './connection';
import { textOf } from './log';
import type { LogMessage, Progress } from './request';

type Awaitable<T> = T | PromiseLike<T>;

/** What comes with a question. */
export interface Asked {
  /** Aborted when the server needs no answer any more, or the client is closed. */
  signal: AbortSignal;
}

/** The answer to a form: its content, which stands for acceptance; null for a refusal; an action; or the protocol's own result. */
export type FormAnswer =
  | Record<string, unknown>
  | ElicitResult
  | boolean
  | 'accept'
  | 'decline'
  | 'cancel'
  | null
  | undefined;
/** The answer to a visit of a URL: true for consent, false or null for a refusal; an action; or the protocol's own result. */
export type UrlAnswer = ElicitResult | boolean | 'accept' | 'decline' | 'cancel' | null | undefined;
/** Directories to offer, as URIs or with names. */
export type Roots = Iterable<string | Root>;

/** The callbacks of a client. Each may be async. */
export interface ClientCallbacks {
  /** Asks a model for the server; a text stands for an assistant's message. Without it the capability is not declared. */
  onSample?:
    | ((params: CreateMessageRequestParams, asked: Asked) => Awaitable<CreateMessageResult | string>)
    | undefined;
  /** Whether `onSample` can use tools. */
  sampleTools?: boolean | undefined;
  /** Answers forms of the server. */
  onElicit?: ((params: ElicitRequestFormParams, asked: Asked) => Awaitable<FormAnswer>) | undefined;
  /** Asks for consent to open a URL. */
  onElicitUrl?: ((params: ElicitRequestURLParams, asked: Asked) => Awaitable<UrlAnswer>) | undefined;
  /** Directories to offer, or what gives them. */
  roots?: Roots | (() => Awaitable<Roots>) | undefined;
  /** Gets log messages of the server. */
  onLog?: ((message: LogMessage) => unknown) | undefined;
  /** Gets the progress of calls that have no callback of their own. */
  onProgress?: ((progress: Progress) => unknown) | undefined;
  /** Gets what changes at the server; subscribes to the lists of a modern server. */
  onChange?: ((change: Change) => unknown) | undefined;
  /** Gets the state of the connection and its cause. */
  onState?: ((state: State, cause: string | null) => unknown) | undefined;
  /** Gets each line that a server process writes to its stderr. */
  onStderr?: ((line: string) => unknown) | undefined;
}

/** A question as the native layer has it: its kind and its parameters. */
export type Question = Record<string, unknown>;

const ACTIONS = ['accept', 'decline', 'cancel'];

/** The callbacks of one client. */
export class Callbacks {
  readonly onLog: ClientCallbacks['onLog'];
  readonly onProgress: ClientCallbacks['onProgress'];
  readonly onChange: ClientCallbacks['onChange'];
  readonly onState: ClientCallbacks['onState'];
  readonly onStderr: ClientCallbacks['onStderr'];
  readonly #given: ClientCallbacks;

  constructor(given: ClientCallbacks) {
    this.#given = given;
    this.onLog = given.onLog;
    this.onProgress = given.onProgress;
    this.onChange = given.onChange;
    this.onState = given.onState;
    this.onStderr = given.onStderr;
  }

  /** What the host can be asked. */
  answers(): Record<string, boolean> {
    const { onSample, sampleTools, onElicit, onElicitUrl, roots } = this.#given;
    return {
      sample: onSample != null,
      sample_tools: sampleTools === true,
      elicit: onElicit != null,
      elicit_url: onElicitUrl != null,
      roots: roots != null,
    };
  }

  /** What the engine need not keep to itself. Of progress that is everything: a call may be iterated over at any time. */
  listens(): Record<string, boolean> {
    return { progress: true, log: this.onLog != null, stderr: this.onStderr != null };
  }

  /** The text for the engine; whatever goes wrong is told to the server as an error. Never rejects. */
  async answer(question: Question, signal: AbortSignal): Promise<string> {
    try {
      const [[kind, params]] = Object.entries(question) as [[string, never]];
      return stringify({ result: await this.#answer(kind, params, { signal }) });
    } catch (error) {
      return JSON.stringify({ error: refusalOf(error) });
    }
  }

  async #answer(kind: string, params: never, asked: Asked): Promise<unknown> {
    const { onSample, onElicit, onElicitUrl, roots } = this.#given;
    if (kind === 'roots' && roots != null) return rootsOf(await (typeof roots === 'function' ? roots() : roots));
    if (kind === 'sample' && onSample != null) return sampled(await onSample(params, asked));
    if (kind === 'elicit' && onElicit != null) return elicited(await onElicit(params, asked));
    if (kind === 'elicit_url' && onElicitUrl != null) return elicited(await onElicitUrl(params, asked));
    throw make('method_not_found', `this client answers no question of the kind ${kind}`);
  }
}

function rootsOf(roots: Roots): { roots: Root[] } {
  if (typeof roots === 'string') throw new InvalidParams('`roots` is a list of URIs, not one of them');
  return { roots: Array.from(roots, (root) => (typeof root === 'string' ? { uri: root } : root)) };
}

/** A text stands for the message of an assistant. */
function sampled(result: CreateMessageResult | string): unknown {
  if (typeof result !== 'string') return result;
  return { role: 'assistant', content: { type: 'text', text: result }, model: 'unknown' };
}

/** A content stands for its acceptance, nothing for a refusal, true for consent, a text for an action. */
export function elicited(given: unknown): unknown {
  let result = given;
  if (result == null || typeof result === 'boolean') result = { action: result ? 'accept' : 'decline' };
  else if (typeof result === 'string') result = { action: result };
  else if (typeof result === 'object' && !('action' in result)) result = { action: 'accept', content: result };
  const action = (result as { action?: unknown }).action;
  if (typeof action === 'string' && ACTIONS.includes(action)) return result;
  throw new InvalidParams(`the answer to an elicitation is one of ${ACTIONS.join(', ')}, not ${textOf(action)}`);
}

/** Why the host does not answer, in the words of the engine. */
function refusalOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof OmniportError)) return { kind: 'internal', message: textOf(error) };
  const { kind, message, code, data } = error;
  const refusal: Record<string, unknown> = code === null ? { kind, message } : { kind, message, code };
  try {
    if (data !== undefined) refusal.data = JSON.parse(stringify(data));
  } catch {
    // What cannot be written is left out rather than the whole error.
  }
  return refusal;
}
