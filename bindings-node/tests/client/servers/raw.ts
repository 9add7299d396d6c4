/** A server process without any package, which does what no good server does. */
import { createInterface } from 'node:readline';

interface Message {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { message: string; code: number };
}

const cancelled: unknown[] = [];
const answers = new Map<string, (answer: Message) => void>();
const RESULT = { content: [{ type: 'text', text: 'done' }] };

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function say(method: string, params: object): void {
  send({ method, params });
}

function ask(method: string, params: object): Promise<Message> {
  const id = `ask-${answers.size}`;
  send({ id, method, params });
  return new Promise((resolve) => answers.set(id, resolve));
}

function text(value: unknown): object {
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] };
}

/** The tools, by their names; undefined: no answer. */
async function call(
  name: string,
  args: Record<string, unknown>,
  meta: { progressToken?: unknown },
): Promise<object | undefined> {
  switch (name) {
    case 'flood':
      for (let n = 0; n < Number(args.count); n++) say('notifications/message', { level: 'info', data: n });
      return RESULT;
    case 'steps':
      for (let n = 1; n <= Number(args.count); n++) {
        say('notifications/progress', { progressToken: meta.progressToken, progress: n, total: args.count });
      }
      return RESULT;
    case 'give':
      return args.result as object;
    case 'echo':
      return text(args);
    case 'never':
      say('notifications/message', { level: 'info', data: 'waiting' });
      return undefined;
    case 'cancelled':
      return text(cancelled);
    case 'ask': {
      const { result, error } = await ask(String(args.method), args.params as object);
      return text(error ?? result);
    }
    case 'withdraw':
      void ask('elicitation/create', { message: '?', requestedSchema: { type: 'object', properties: {} } });
      say('notifications/cancelled', { requestId: `ask-${answers.size - 1}`, reason: 'never mind' });
      return RESULT;
    case 'changed':
      for (let n = 0; n < Number(args.count); n++) say('notifications/tools/list_changed', {});
      return RESULT;
    case 'mutter':
      process.stderr.write(`${args.line}\n`);
      return RESULT;
    case 'die':
      process.stderr.write('no more\n');
      process.exit(7);
      break;
    case 'pid':
      return text(String(process.pid));
    case 'stay':
      // Neither the end of the input nor a polite signal ends it.
      process.on('SIGTERM', () => {});
      setInterval(() => {}, 1000);
      return text(String(process.pid));
    default:
      return RESULT;
  }
}

async function receive({ id, method, params = {}, ...answer }: Message): Promise<void> {
  if (method === undefined) answers.get(String(id))?.(answer);
  else if (method === 'initialize') {
    const capabilities = { tools: { listChanged: true }, logging: {}, experimental: { x: { y: 1 } } };
    const said = {
      protocolVersion: '2025-11-25',
      capabilities,
      serverInfo: { name: 'raw', version: '0' },
      instructions: 'Be kind.',
    };
    send({ id, result: said });
  } else if (method === 'tools/list') {
    const inputSchema = { type: 'object' };
    const pages: Record<string, object> = {
      '': { tools: [{ name: 'good', inputSchema, extra: 1 }, { title: 'nameless' }, 5], nextCursor: 'b' },
      b: { tools: [{ name: 'odd', inputSchema, title: 5 }], nextCursor: 'c' },
      c: { tools: [{ name: 'last', inputSchema }] },
    };
    asked.push(String(params.cursor ?? ''));
    send({ id, result: pages[String(params.cursor ?? '')] });
  } else if (method === 'tools/call') {
    const args = (params.arguments ?? {}) as Record<string, unknown>;
    const result = params.name === 'asked' ? text(asked) : await call(String(params.name), args, params._meta ?? {});
    if (result !== undefined) send({ id, result });
  } else if (method === 'notifications/cancelled') cancelled.push(params.reason);
  else if (method === 'notifications/roots/list_changed')
    say('notifications/message', { level: 'info', data: 'roots changed' });
  else if (method === 'ping' || method === 'logging/setLevel') send({ id, result: {} });
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'no such method', data: { method } } });
}

const asked: string[] = [];
createInterface({ input: process.stdin }).on('line', (line) => void receive(JSON.parse(line)));
