/** A client made of fetch, so that tests of the server see what goes over the wire. */
import type { Listening, Server } from 'omniport';

/** The revision that the requests speak. */
const REVISION = '2026-07-28';
const META = 'io.modelcontextprotocol/';

/** What came for a request. */
export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  result: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  error: any;
  /** Notifications before the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  notices: any[];
}

export interface Asking {
  headers?: Record<string, string>;
  capabilities?: object;
  meta?: object;
  signal?: AbortSignal;
  /** JSON text for the id, so that it may be beyond what a number holds. */
  id?: string;
}

/** Speaks to one server over HTTP. */
export class Talk implements AsyncDisposable {
  constructor(readonly http: Listening) {}

  static async with<L>(app: Server<L>): Promise<Talk> {
    return new Talk(await app.listen({ port: 0 }));
  }

  async request(method: string, params: Record<string, unknown> = {}, asking: Asking = {}): Promise<Answer> {
    const { headers = {}, capabilities = {}, meta = {}, signal, id = '1' } = asking;
    const named = params.name ?? params.uri;
    const body = {
      ...params,
      _meta: {
        [`${META}protocolVersion`]: REVISION,
        [`${META}clientInfo`]: { name: 'talk', version: '1' },
        [`${META}clientCapabilities`]: capabilities,
        ...meta,
      },
    };
    const response = await fetch(this.http.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        ...(typeof named === 'string' ? { 'mcp-name': named } : {}),
        ...headers,
      },
      body: `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(body)}}`,
      ...(signal ? { signal } : {}),
    });
    const messages = messagesOf(response, await response.text());
    const answer = messages.find((message) => 'result' in message || 'error' in message) ?? {};
    return {
      status: response.status,
      result: answer.result,
      error: answer.error,
      notices: messages.filter((message) => 'method' in message),
    };
  }

  call(name: string, args: Record<string, unknown> = {}, asking: Asking = {}): Promise<Answer> {
    return this.request('tools/call', { name, arguments: args }, asking);
  }

  /** The result of a tool, without what every result says. */
  async result(name: string, args: Record<string, unknown> = {}): Promise<object> {
    const { result } = await this.call(name, args);
    const { _meta, resultType, ...rest } = result;
    return rest;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.http.close(0);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
function messagesOf(response: Response, text: string): any[] {
  if (!response.headers.get('content-type')?.includes('text/event-stream'))
    return text === '' ? [] : [JSON.parse(text)];
  const data = text.split('\n').filter((line) => line.startsWith('data:') && line.length > 6);
  return data.map((line) => JSON.parse(line.slice(5)));
}
