/**
 * Everything that a client can ask a server.
 *
 * @module
 */

import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListToolsResult,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '../types';
import { begin, type Call } from './call';
import type { Life } from './life';
import { Listing } from './listing';
import { goodToolResult, itemsOf, type List, nothing, object, plain } from './read';
import { type CallOptions, type Reader, request } from './request';

/** Options of a call of a tool. */
export interface ToolCallOptions extends CallOptions {
  /** Makes a result that says `isError` a `ToolError`, with its texts. */
  raiseOnError?: boolean | undefined;
}

/** What a completion is for. */
export type CompletionReference = { prompt: string } | { template: string };

/** Options of a completion. */
export interface CompleteOptions extends CallOptions {
  /** The arguments that are filled in already. */
  arguments?: Readonly<Record<string, string>> | undefined;
}

const ONE_PAGE = { one_page: true } as const;

/** The requests of a client. */
export abstract class Methods {
  /** @internal */
  protected readonly life: Life;

  /** @internal */
  constructor(life: Life) {
    this.life = life;
  }

  /**
   * Calls a tool. A tool's own failure is a result with `isError`; `raiseOnError` makes it a `ToolError`. What the tool asks on the way
   * is answered by the callbacks of the client.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools
   */
  callTool(name: string, args?: Readonly<Record<string, unknown>>, options?: ToolCallOptions): Call<CallToolResult> {
    let read: Reader<CallToolResult> = object;
    let given: CallOptions | undefined = options;
    if (options !== undefined && 'raiseOnError' in options) {
      const { raiseOnError, ...others } = options;
      if (raiseOnError) read = goodToolResult;
      given = others;
    }
    return this.#ask('call_tool', { name, arguments: args ?? {} }, read, given);
  }

  /** The tools; see {@link Listing}. */
  listTools(options?: CallOptions): Listing<Tool> {
    return this.#list('list_tools', 'tools', options);
  }

  /** One page of tools; its `nextCursor` names the next one. */
  listToolsPage(cursor?: string, options?: CallOptions): Call<ListToolsResult> {
    return this.#page('list_tools', cursor, options);
  }

  /** The resources; see {@link Listing}. */
  listResources(options?: CallOptions): Listing<Resource> {
    return this.#list('list_resources', 'resources', options);
  }

  /** One page of resources. */
  listResourcesPage(cursor?: string, options?: CallOptions): Call<ListResourcesResult> {
    return this.#page('list_resources', cursor, options);
  }

  /** The resource templates; see {@link Listing}. */
  listResourceTemplates(options?: CallOptions): Listing<ResourceTemplate> {
    return this.#list('list_templates', 'resourceTemplates', options);
  }

  /** One page of resource templates. */
  listResourceTemplatesPage(cursor?: string, options?: CallOptions): Call<ListResourceTemplatesResult> {
    return this.#page('list_templates', cursor, options);
  }

  /** The prompts; see {@link Listing}. */
  listPrompts(options?: CallOptions): Listing<Prompt> {
    return this.#list('list_prompts', 'prompts', options);
  }

  /** One page of prompts. */
  listPromptsPage(cursor?: string, options?: CallOptions): Call<ListPromptsResult> {
    return this.#page('list_prompts', cursor, options);
  }

  /** Reads a resource. */
  readResource(uri: string | URL, options?: CallOptions): Call<ReadResourceResult> {
    return this.#ask('read_resource', { uri: String(uri) }, object<ReadResourceResult>, options);
  }

  /** Gets a prompt; its arguments are texts. */
  getPrompt(name: string, args?: Readonly<Record<string, string>>, options?: CallOptions): Call<GetPromptResult> {
    return this.#ask('get_prompt', { name, arguments: args ?? {} }, object<GetPromptResult>, options);
  }

  /**
   * Values for an argument.
   *
   * @param reference `{ prompt: name }` or `{ template: uri }`
   */
  complete(
    reference: CompletionReference,
    argument: string,
    value: string,
    options?: CompleteOptions,
  ): Call<CompleteResult> {
    const { arguments: others, ...given } = options ?? {};
    const params = { reference, argument, value, arguments: others ?? {} };
    return this.#ask('complete', params, object<CompleteResult>, given);
  }

  /** Asks whether the server is there. */
  ping(options?: CallOptions): Call<void> {
    return this.#ask('ping', {}, nothing, options);
  }

  /** The least severe level of log messages that the server sends. */
  setLogLevel(level: LoggingLevel, options?: CallOptions): Call<void> {
    return this.#ask('set_log_level', { level }, nothing, options);
  }

  /** Changes of the resource reach `onChange` until `unsubscribe`. */
  subscribe(uri: string | URL, options?: CallOptions): Call<void> {
    return this.#ask('subscribe', { uri: String(uri) }, nothing, options);
  }

  /** Takes `subscribe` back. */
  unsubscribe(uri: string | URL, options?: CallOptions): Call<void> {
    return this.#ask('unsubscribe', { uri: String(uri) }, nothing, options);
  }

  /** Any request by the engine's name for it ("call_tool", "list_templates"); its answer as it came. */
  request(what: string, params?: Readonly<Record<string, unknown>>, options?: CallOptions): Call<unknown> {
    return this.#ask(what, { ...params }, plain, options);
  }

  #ask<T>(what: string, params: Record<string, unknown>, read: Reader<T>, options: CallOptions | undefined): Call<T> {
    return begin(this.life, () => request(what, params, read, options));
  }

  #page<T>(what: string, cursor: string | undefined, options: CallOptions | undefined): Call<T> {
    const params = cursor === undefined ? {} : { cursor };
    return begin(this.life, () => request(what, params, object<T>, options, ONE_PAGE));
  }

  #list<T>(what: string, list: List, options: CallOptions | undefined): Listing<T> {
    return new Listing<T>(
      () => this.#ask(what, {}, itemsOf<T>(list), options),
      (cursor) =>
        this.#page<Record<string, unknown>>(what, cursor, options).then((page) => ({
          items: page[list] as T[],
          next: typeof page.nextCursor === 'string' ? page.nextCursor : undefined,
        })),
    );
  }
}
