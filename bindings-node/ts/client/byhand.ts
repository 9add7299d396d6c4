/**
 * Requests whose rounds of input the caller drives.
 *
 * @module
 */

import type {
  CallToolResult,
  GetPromptResult,
  InputRequiredResult,
  InputResponses,
  ReadResourceResult,
} from '../types';
import { begin, type Call } from './call';
import type { Life } from './life';
import { byHand } from './read';
import { type CallOptions, request } from './request';

/** Options of one round. */
export interface RoundOptions extends CallOptions {
  /** The answers, by the keys of the `inputRequests` that they are to. */
  inputResponses?: Readonly<InputResponses> | undefined;
  /** The `requestState` of the result that asked. */
  requestState?: string | undefined;
}

const BY_HAND = { by_hand: true } as const;

/**
 * The requests that may need input. A result that says what it needs, see `isInputRequired`, is given to the caller, who answers it in
 * the next round, maybe in another process.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class ByHand {
  readonly #life: Life;

  /** @internal */
  constructor(life: Life) {
    this.#life = life;
  }

  /** One round of a call of a tool. */
  callTool(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: RoundOptions,
  ): Call<CallToolResult | InputRequiredResult> {
    return this.#round('call_tool', { name, arguments: args ?? {} }, options);
  }

  /** One round of reading a resource. */
  readResource(uri: string | URL, options?: RoundOptions): Call<ReadResourceResult | InputRequiredResult> {
    return this.#round('read_resource', { uri: String(uri) }, options);
  }

  /** One round of getting a prompt. */
  getPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: RoundOptions,
  ): Call<GetPromptResult | InputRequiredResult> {
    return this.#round('get_prompt', { name, arguments: args ?? {} }, options);
  }

  #round<T>(what: string, params: Record<string, unknown>, options: RoundOptions = {}): Call<T | InputRequiredResult> {
    const { inputResponses, requestState, ...given } = options;
    if (inputResponses !== undefined) params.inputResponses = inputResponses;
    if (requestState !== undefined) params.requestState = requestState;
    return begin(this.#life, () => request(what, params, byHand<T>, given, BY_HAND));
  }
}
