/** The Node client under orders: one JSON object per line comes in, one per answer goes out; see the README beside the folder. */

import { createInterface } from 'node:readline';
import { type Call, Client, type ClientOptions, OmniportError } from 'omniport';

/** Limits that are no times; those are seconds in an order, and milliseconds in the package. */
const COUNTS = ['message_bytes', 'recover_tries'];

interface Order {
  do: string;
  as: number;
  target: { url?: string; command?: string[] };
  options?: ClientOptions;
  tool: string;
  arguments?: Record<string, unknown>;
  timeout?: number;
  safe?: boolean;
  call: number;
}

class Driver {
  private client: Client | undefined;
  private readonly told = { log: 0, change: 0, states: [] as string[] };
  private readonly running = new Map<number, Call<unknown>>();

  async obey(order: Order): Promise<void> {
    const outcome = await this.outcome(order);
    process.stdout.write(`${JSON.stringify({ as: order.as, ...outcome })}\n`);
  }

  private async outcome(order: Order): Promise<object> {
    try {
      return { ok: (await this.perform(order)) ?? null };
    } catch (error) {
      if (!(error instanceof OmniportError)) throw error;
      const { kind, message, code, context } = error;
      return { failed: { kind, message, code, facts: context } };
    }
  }

  private perform(order: Order): Promise<unknown> | unknown {
    switch (order.do) {
      case 'connect':
        return this.connect(order);
      case 'call':
        return this.call(order);
      case 'list':
        return this.connected()
          .listTools()
          .then((tools) => tools.map((tool) => tool.name));
      case 'ping':
        return this.connected().ping();
      case 'cancel':
        return this.running.get(order.call)?.cancel();
      case 'tell':
        return this.told;
      case 'close':
        return this.close();
      default:
        throw new Error(`there is no order ${order.do}`);
    }
  }

  private async connect({ target, options }: Order): Promise<unknown> {
    const client = new Client(target.url ?? target.command ?? [], {
      onLog: () => void this.told.log++,
      onChange: () => void this.told.change++,
      onState: (state) => void this.told.states.push(state),
      ...options,
      limits: limitsOf(options?.limits ?? {}),
    });
    this.client = client;
    await client.connect();
    return { protocol_version: client.protocolVersion };
  }

  private async call(order: Order): Promise<unknown> {
    const { timeout, safe } = order;
    const call = this.connected().callTool(order.tool, order.arguments ?? {}, {
      ...(timeout === undefined ? {} : { timeout: timeout * 1000 }),
      ...(safe === undefined ? {} : { safe }),
    });
    this.running.set(order.as, call);
    try {
      return (await call).content.map((block) => ('text' in block ? block.text : null));
    } finally {
      this.running.delete(order.as);
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.close();
  }

  private connected(): Client {
    if (this.client === undefined) throw new Error('connect comes first');
    return this.client;
  }
}

function limitsOf(limits: Readonly<Record<string, number>>): Record<string, number> {
  const entries = Object.entries(limits).map(([name, limit]) => {
    const own = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    return [own, COUNTS.includes(name) ? limit : limit * 1000];
  });
  return Object.fromEntries(entries);
}

async function main(): Promise<void> {
  const driver = new Driver();
  for await (const line of createInterface({ input: process.stdin })) void driver.obey(JSON.parse(line));
  await driver.close();
}

void main();
