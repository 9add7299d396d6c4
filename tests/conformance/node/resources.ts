/** Resources, a template, prompts, and completions for their arguments. */

import { embedded, image, type Server } from 'omniport';
import { z } from 'zod';
import { PNG } from './content.js';

const WORDS = ['paris', 'park', 'party', 'test', 'testing'];

const wordsWith = (start: string) => WORDS.filter((word) => word.startsWith(start));

export function register(app: Server): void {
  registerResources(app);
  registerPrompts(app);
  app.complete('test_prompt_with_arguments', 'arg1', wordsWith);
  app.complete('test://template/{id}/data', 'id', wordsWith);
}

function registerResources(app: Server): void {
  app.resource(
    'test://static-text',
    { title: 'Static text', description: 'A text.', mimeType: 'text/plain' },
    'This is the content of the static text resource.',
  );
  app.resource(
    'test://static-binary',
    { title: 'Static binary', description: 'A picture.', mimeType: 'image/png' },
    PNG,
  );
  app.resource(
    'test://watched-resource',
    { title: 'Watched resource', description: 'A text to subscribe to.', mimeType: 'text/plain' },
    'Watched resource content',
  );
  app.resource(
    'test://template/{id}/data',
    { title: 'Template', description: 'Data about the id in the URI.', mimeType: 'application/json' },
    ({ id }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
  );
}

function registerPrompts(app: Server): void {
  app.prompt(
    'test_simple_prompt',
    { description: 'A prompt without arguments.' },
    () => 'This is a simple prompt for testing.',
  );
  app.prompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with arguments.',
      input: { arg1: z.string().describe('First test argument'), arg2: z.string().describe('Second test argument') },
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  );
  app.prompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'A prompt that holds a resource.',
      input: { resourceUri: z.string().describe('URI of the resource to embed') },
    },
    ({ resourceUri }) => [
      embedded({ uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' }),
      'Please process the embedded resource above.',
    ],
  );
  app.prompt('test_prompt_with_image', { description: 'A prompt that holds an image.' }, () => [
    image(PNG, 'image/png'),
    'Please analyze the image above.',
  ]);
}
