// The official TypeScript client, 2.x: `typescript_2.mjs legacy|modern http URL` or `typescript_2.mjs legacy|modern stdio COMMAND...`.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { answers, check } from './checks.mjs';
import { mailbox } from './steps.mjs';

const [, , era, kind, ...target] = process.argv;
const modern = era === 'modern';
const transport =
  kind === 'http'
    ? new StreamableHTTPClientTransport(new URL(target[0]))
    : new StdioClientTransport({ command: target[0], args: target.slice(1) });
const client = new Client(
  { name: 'typescript-2', version: '1' },
  {
    capabilities: { elicitation: {}, sampling: {}, roots: {} },
    versionNegotiation: { mode: modern ? 'auto' : 'legacy' },
  },
);
const [logs, updates] = [mailbox(), mailbox()];
client.setRequestHandler('elicitation/create', ({ params }) => answers.elicit(params));
client.setRequestHandler('sampling/createMessage', ({ params }) => answers.sample(params));
client.setRequestHandler('roots/list', () => answers.roots());
client.setNotificationHandler('notifications/message', ({ params: { level, data, logger } }) =>
  logs.put([level, data, logger]),
);
client.setNotificationHandler('notifications/resources/updated', ({ params }) => updates.put(params.uri));

await check({
  client,
  logs,
  updates,
  modern,
  connect: () => client.connect(transport),
  notFoundCode: -32602, // the one of 2026-07-28 in both eras: an older code that names the resource is translated
  version: () => client.getNegotiatedProtocolVersion(),
  withOptions: (options) => [options],
  subscribe: async (uri) => {
    if (modern) {
      const subscription = await client.listen({ resourceSubscriptions: [uri] });
      return () => subscription.close();
    }
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  },
});
