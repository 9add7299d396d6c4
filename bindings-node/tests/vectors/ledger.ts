/** What holds for every message that a server sends, whatever the vector is about. */

import assert from 'node:assert/strict';
import { MODERN } from './files.js';
import { encode, isObject, type JsonObject, parse, Spelled } from './json.js';

/** The requests of one client, and which of them were answered. */
export class Ledger {
  private readonly methods = new Map<string, string>();
  private readonly answered = new Set<string>();

  constructor(private readonly revision: string) {}

  /** Notes what the client asks, also in a batch and in a request whose method is broken. */
  sent(message: unknown): void {
    for (const one of Array.isArray(message) ? message : [message]) {
      if (!isObject(one) || !('id' in one)) continue;
      const isAnswer = ('result' in one || 'error' in one) && !('method' in one);
      if (!isAnswer) this.expect(encode(one.id), typeof one.method === 'string' ? one.method : '?');
    }
  }

  /** Notes a raw line. The server may still find the id in one that is no JSON. */
  sentText(line: string): void {
    try {
      this.sent(parse(line));
    } catch {
      const id = /"id":([^,}]*)/.exec(line)?.[1];
      if (id !== undefined) this.expect(id.trim(), '?');
    }
  }

  /** Throws for a message that no server may send. */
  check(message: unknown): void {
    if (Array.isArray(message))
      assert(this.revision === '2025-03-26', `a batch for ${this.revision}: ${encode(message)}`);
    for (const one of Array.isArray(message) ? message : [message]) this.checkOne(one);
  }

  private expect(id: string, method: string): void {
    this.methods.set(id, method);
    this.answered.delete(id);
  }

  private checkOne(message: JsonObject): void {
    const text = encode(message);
    assert(message.jsonrpc === '2.0', `no JSON-RPC 2.0: ${text}`);
    const kinds = ['result', 'error', 'method'].filter((name) => name in message);
    assert(kinds.length === 1, `one of \`result\`, \`error\` and \`method\`: ${text}`);
    if (kinds[0] === 'method') {
      assert(!('id' in message) || this.revision !== MODERN, `a modern server sends no requests: ${text}`);
    } else if (kinds[0] === 'error') {
      this.checkError(message);
    } else {
      this.checkResult(message);
    }
  }

  private checkError(message: JsonObject): void {
    const error = message.error as JsonObject;
    const code = error.code instanceof Spelled ? Number.NaN : (error.code as number);
    assert(Number.isInteger(code) && code !== 0 && typeof error.message === 'string', `no error: ${encode(message)}`);
    if ('id' in message) {
      assert(message.id !== null, `an id that could not be read is left out: ${encode(message)}`);
      this.answers(message);
    }
  }

  private checkResult(message: JsonObject): void {
    const method = this.answers(message);
    if (this.revision !== MODERN || method === 'initialize') return;
    const result = message.result as JsonObject;
    assert(typeof result.resultType === 'string', `a modern result without \`resultType\`: ${encode(message)}`);
    const meta = result._meta as JsonObject | undefined;
    const server = meta?.['io.modelcontextprotocol/serverInfo'];
    assert(isObject(server), `a modern result without \`serverInfo\`: ${encode(message)}`);
  }

  /** There is one answer for each request, and none for anything else. */
  private answers(message: JsonObject): string {
    const id = encode(message.id);
    const method = this.methods.get(id);
    assert(method !== undefined, `an answer to nothing that was asked: ${encode(message)}`);
    assert(!this.answered.has(id), `a second answer: ${encode(message)}`);
    this.answered.add(id);
    return method;
  }
}
