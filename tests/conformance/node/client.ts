/** The client of the conformance suite: does what the scenario in MCP_CONFORMANCE_SCENARIO wants to see. `client.js URL` */

import { Client } from 'omniport';

type Scenario = (client: Client) => Promise<unknown>;

async function callFirstTool(client: Client): Promise<void> {
  const [tool] = await client.listTools();
  if (tool === undefined) throw new Error('the server has no tool');
  await client.callTool(tool.name, tool.inputSchema.properties === undefined ? {} : { a: 2, b: 3 });
}

async function callEveryTool(client: Client): Promise<void> {
  for (const tool of await client.listTools()) {
    const required = (tool.inputSchema.required ?? []) as string[];
    await client.callTool(tool.name, Object.fromEntries(required.map((name) => [name, 'x'])));
  }
}

async function callWantedTools(client: Client): Promise<void> {
  await client.listTools();
  const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
  for (const call of toolCalls) await client.callTool(call.name, call.arguments);
}

async function useEachKind(client: Client): Promise<void> {
  for (const tool of await client.listTools()) await client.callTool(tool.name);
  for (const resource of await client.listResources()) await client.readResource(resource.uri);
  for (const prompt of await client.listPrompts()) await client.getPrompt(prompt.name);
}

async function answerInRounds(client: Client): Promise<void> {
  await Promise.all([client.callTool('test_mrtr_echo_state'), client.callTool('test_mrtr_unrelated')]);
  await client.callTool('test_mrtr_no_state');
  await client.callTool('test_mrtr_no_result_type');
}

async function echoSchema(client: Client): Promise<void> {
  const tool = (await client.listTools()).find(({ name }) => name === 'json_schema_2020_12_tool');
  await client.callTool('json_schema_echo', { schema: tool?.inputSchema });
}

const listTools: Scenario = (client) => client.listTools();

const SCENARIOS: Record<string, Scenario> = {
  initialize: listTools,
  tools_call: callFirstTool,
  'elicitation-sep1034-client-defaults': callFirstTool,
  'sse-retry': callFirstTool,
  'request-metadata': listTools,
  'sep-2322-client-request-state': answerInRounds,
  'http-standard-headers': useEachKind,
  'http-custom-headers': callWantedTools,
  'http-invalid-tool-headers': callEveryTool,
  'json-schema-ref-no-deref': listTools,
  'json-schema-2020-12-preservation': echoSchema,
};

/** A user who changes nothing in the form. */
function acceptDefaults(question: { requestedSchema: { properties: Record<string, { default?: unknown }> } }) {
  const members = Object.entries(question.requestedSchema.properties);
  const defaults = members.filter(([, member]) => member.default !== undefined);
  return defaults.length > 0
    ? Object.fromEntries(defaults.map(([name, member]) => [name, member.default]))
    : { confirmed: true };
}

async function main(url: string, name: string): Promise<void> {
  const scenario = SCENARIOS[name];
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  await using client = new Client(url, {
    name: 'conformance',
    onElicit: acceptDefaults,
    onSample: () => 'A thought',
    roots: ['file:///home'],
  });
  await client.connect();
  await scenario(client);
}

void main(process.argv[2] ?? '', process.env.MCP_CONFORMANCE_SCENARIO ?? '');
