/** Handlers of the `input_required` scenarios: each question bears the key under which the scenario answers it. */

import type { Context, ElicitResult, Server } from 'omniport';
import { z } from 'zod';

const person = { name: z.string() };

function nameOf(answer: ElicitResult<{ name: string }>): string {
  return answer.action === 'accept' ? answer.content.name : 'stranger';
}

async function confirmed(cx: Context, word: string): Promise<string> {
  const answer = await cx.elicit('Please confirm', { ok: z.boolean() }, { key: 'confirm' });
  return answer.action === 'accept' && answer.content.ok ? word : 'not confirmed';
}

export function register(app: Server): void {
  app.tool(
    'test_input_required_result_elicitation',
    { description: 'Asks the user for a name.' },
    async (_, cx) => `Hello, ${nameOf(await cx.elicit('What is your name?', person, { key: 'user_name' }))}!`,
  );

  app.tool('test_input_required_result_sampling', { description: "Asks the client's model." }, async (_, cx) => {
    const sample = await cx.sample('What is the capital of France?', { maxTokens: 100, key: 'capital_question' });
    return `Sampling result: ${sample.text}`;
  });

  app.tool(
    'test_input_required_result_list_roots',
    { description: "Asks for the client's roots." },
    async (_, cx) => `Found ${(await cx.listRoots({ key: 'client_roots' })).length} root(s)`,
  );

  app.tool(
    'test_input_required_result_request_state',
    { description: 'Asks for a confirmation; the sealed state comes back with the answer.' },
    (_, cx) => confirmed(cx, 'state-ok'),
  );

  app.tool(
    'test_input_required_result_tampered_state',
    { description: 'Asks for a confirmation; an altered state never gets here.' },
    (_, cx) => confirmed(cx, 'integrity-ok'),
  );

  app.tool(
    'test_input_required_result_multiple_inputs',
    { description: 'Asks three questions at once.' },
    async (_, cx) => {
      const [name, greeting, roots] = await Promise.all([
        cx.elicit('What is your name?', person, { key: 'user_name' }),
        cx.sample('Generate a greeting', { maxTokens: 50, key: 'greeting' }),
        cx.listRoots({ key: 'client_roots' }),
      ]);
      return `Name: ${nameOf(name)}; Greeting: ${greeting.text}; Roots: ${roots.length}`;
    },
  );

  app.tool(
    'test_input_required_result_multi_round',
    { description: 'Asks twice, one question after the other.' },
    async (_, cx) => {
      const name = await cx.elicit('Step 1: What is your name?', person, { key: 'step1' });
      const color = await cx.elicit('Step 2: What is your favorite color?', { color: z.string() }, { key: 'step2' });
      return `${nameOf(name)} likes ${color.action === 'accept' ? color.content.color : 'no color'}`;
    },
  );

  app.tool(
    'test_input_required_result_capabilities',
    { description: 'Asks only what the client can answer.' },
    async (_, cx) => {
      const asked: Promise<unknown>[] = [];
      if ('elicitation' in cx.capabilities) {
        asked.push(cx.elicit('Which value?', { value: z.string() }, { key: 'elicit_input' }));
      }
      if ('sampling' in cx.capabilities) {
        asked.push(cx.sample('Sample request', { maxTokens: 50, key: 'sample_input' }));
      }
      return `Got ${(await Promise.all(asked)).length} answer(s)`;
    },
  );

  app.prompt(
    'test_input_required_result_prompt',
    { description: 'Asks for a context to use in the prompt.' },
    async (_, cx) => {
      const question = { context: z.string() };
      const answer = await cx.elicit('What context should the prompt use?', question, { key: 'user_context' });
      return `Prompt with context: ${answer.action === 'accept' ? answer.content.context : 'none'}`;
    },
  );
}
