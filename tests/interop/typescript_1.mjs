// The official TypeScript SDK, 1.x, as a client: `typescript_1.mjs legacy http|sse URL` or `typescript_1.mjs legacy stdio COMMAND...`.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { answers, check } from './checks.mjs';
import { mailbox } from './steps.mjs';

const [, , , kind, ...target] = process.argv;
const transports = {
  http: () => new StreamableHTTPClientTransport(new URL(target[0])),
  sse: () => new SSEClientTransport(new URL(target[0])),
  stdio: () => new StdioClientTransport({ command: target[0], args: target.slice(1) }),
};
const transport = transports[kind]();
const client = new Client(
  { name: 'typescript-1', version: '1' },
  { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
);
const [logs, updates] = [mailbox(), mailbox()];
client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => answers.elicit(params));
client.setRequestHandler(types.CreateMessageRequestSchema, ({ params }) => answers.sample(params));
client.setRequestHandler(types.ListRootsRequestSchema, () => answers.roots());
client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params: { level, data, logger } }) =>
  logs.put([level, data, logger]),
);
client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, ({ params }) => updates.put(params.uri));

let version;
// The HTTP transport keeps the revision to send it as a header; stdio has no use for it, so it is caught on its way.
transport.setProtocolVersion = ((original) => (value) => {
  version = value;
  original?.call(transport, value);
})(transport.setProtocolVersion);

await check({
  client,
  logs,
  updates,
  modern: false,
  connect: () => client.connect(transport),
  version: () => version,
  notFoundCode: -32002,
  withOptions: (options) => [undefined, options], // a schema for the result comes first
  subscribe: async (uri) => {
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  },
});
