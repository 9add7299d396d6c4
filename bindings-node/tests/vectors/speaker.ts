/** The runner's client: what it writes for each revision. */

import type { Run } from './files.js';
import { isObject, type JsonObject } from './json.js';

/** A text, several lines, or null for a header that is left out. Names in lower case. */
export type Headers = Record<string, string | string[] | null>;

const NAMED: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

/** One run's revision and what its client says of itself. */
export class Speaker {
  constructor(private readonly run: Run) {}

  /** The metadata of a modern request; legacy ones have none. */
  meta(): JsonObject {
    if (!this.run.isModern) return {};
    return {
      'io.modelcontextprotocol/protocolVersion': this.run.revision,
      'io.modelcontextprotocol/clientInfo': { name: 'vectors', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': this.run.client.capabilities,
    };
  }

  /** A request in the words of the revision; members of the vector's own `_meta` win. */
  request(given: JsonObject): JsonObject {
    const message: JsonObject = { ...given, jsonrpc: '2.0' };
    const params = message.params ?? {};
    if (this.run.isModern && isObject(params)) {
      const own = isObject(params._meta) ? params._meta : {};
      message.params = { ...params, _meta: { ...this.meta(), ...own } };
    }
    return message;
  }

  /** What takes its turn behind all that was sent before. The modern revision has no ping; a refusal is an answer, too. */
  barrier(id: string): JsonObject {
    return this.request({ id, method: this.run.isModern ? 'vectors/barrier' : 'ping' });
  }

  /** The first message of a legacy client. */
  initialize(): JsonObject {
    const params = {
      protocolVersion: this.run.revision,
      capabilities: this.run.client.capabilities,
      clientInfo: { name: 'vectors', version: '1' },
    };
    return { jsonrpc: '2.0', id: 'handshake', method: 'initialize', params };
  }

  /** The headers that a message needs over HTTP. */
  headers(message: JsonObject, session: string | null): Headers {
    const { revision, isModern, client } = this.run;
    const method = typeof message.method === 'string' ? message.method : '';
    const headers: Headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...client.headers,
    };
    if (session !== null) headers['mcp-session-id'] = session;
    if (revision >= '2025-06-18' && (isModern || method !== 'initialize')) headers['mcp-protocol-version'] = revision;
    if (isModern) {
      headers['mcp-method'] = method;
      const named = NAMED[method];
      const params = message.params;
      const name = named !== undefined && isObject(params) ? params[named] : undefined;
      if (typeof name === 'string') headers['mcp-name'] = name;
    }
    return headers;
  }
}
