/** Tools that ask the client's user or model one question: forms with defaults and choices, a sample. */

import { type ElicitResult, jsonSchema, type Server } from 'omniport';
import { z } from 'zod';

const defaultsForm = jsonSchema<Record<string, unknown>>({
  type: 'object',
  properties: {
    name: { type: 'string', description: 'User name', default: 'John Doe' },
    age: { type: 'integer', description: 'User age', default: 30 },
    score: { type: 'number', description: 'User score', default: 95.5 },
    status: {
      type: 'string',
      description: 'User status',
      enum: ['active', 'inactive', 'pending'],
      default: 'active',
    },
    verified: { type: 'boolean', description: 'Verification status', default: true },
  },
  required: [],
});

const choicesForm = jsonSchema<Record<string, unknown>>({
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', description: 'One option', enum: ['option1', 'option2', 'option3'] },
    titledSingle: {
      type: 'string',
      description: 'One option with titles',
      oneOf: [
        { const: 'value1', title: 'First Option' },
        { const: 'value2', title: 'Second Option' },
        { const: 'value3', title: 'Third Option' },
      ],
    },
    legacyEnum: {
      type: 'string',
      description: 'One option, titles the old way',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: {
      type: 'array',
      description: 'Several options',
      minItems: 1,
      maxItems: 3,
      items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    },
    titledMulti: {
      type: 'array',
      description: 'Several options with titles',
      minItems: 1,
      maxItems: 3,
      items: {
        anyOf: [
          { const: 'value1', title: 'First Choice' },
          { const: 'value2', title: 'Second Choice' },
          { const: 'value3', title: 'Third Choice' },
        ],
      },
    },
  },
  required: [],
});

function outcome(answer: ElicitResult<unknown>): string {
  const content = answer.action === 'accept' ? answer.content : {};
  return `action=${answer.action}, content=${JSON.stringify(content)}`;
}

export function register(app: Server): void {
  app.tool(
    'test_elicitation',
    { description: 'Asks the user for a name and an address.', input: { message: z.string() } },
    async ({ message }, cx) => {
      const answer = await cx.elicit(message, { username: z.string(), email: z.string() });
      return `User response: ${outcome(answer)}`;
    },
  );

  app.tool(
    'test_elicitation_sep1034_defaults',
    { description: 'Asks with a default for each kind of member.' },
    async (_, cx) => {
      const answer = await cx.elicit('Please review and update the form fields with defaults', defaultsForm);
      return `Elicitation completed: ${outcome(answer)}`;
    },
  );

  app.tool('test_elicitation_sep1330_enums', { description: 'Asks with every kind of choice.' }, async (_, cx) => {
    const answer = await cx.elicit('Please select options from the enum fields', choicesForm);
    return `Elicitation completed: ${outcome(answer)}`;
  });

  app.tool(
    'test_sampling',
    { description: "Asks the client's model.", input: { prompt: z.string() } },
    async ({ prompt }, cx) => `LLM response: ${(await cx.sample(prompt, { maxTokens: 100 })).text}`,
  );

  app.tool(
    'test_missing_capability',
    { description: 'Needs a model, and fails for a client that did not declare one.' },
    async (_, cx) => (await cx.sample('Hello', { maxTokens: 1 })).text,
  );
}
