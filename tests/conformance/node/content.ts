/** Tools by what they return or take: each kind of content, an error, a schema with all keywords, header parameters. */

import { audio, embedded, image, jsonSchema, type Server, ToolError, text } from 'omniport';
import { z } from 'zod';

/** A picture of one red pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
/** A sound of one silent sample. */
const WAV = Buffer.from('UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=', 'base64');

interface Contact {
  name?: string;
  address?: { street?: string; city?: string };
  contactMethod?: 'phone' | 'email';
  phone?: string;
  email?: string;
}

const contact = jsonSchema<Contact>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
});

/** Parameters that HTTP clients repeat as headers, where proxies can see them. */
const withHeaders = {
  region: z.string().meta({ 'x-mcp-header': 'Region' }),
  priority: z.int().default(0).meta({ 'x-mcp-header': 'Priority' }),
  urgent: z.boolean().default(false).meta({ 'x-mcp-header': 'Urgent' }),
};

export function register(app: Server): void {
  app.tool('test_simple_text', { description: 'Returns a text.' }, () => 'This is a simple text response for testing.');

  app.tool('test_image_content', { description: 'Returns an image.' }, () => image(PNG, 'image/png'));

  app.tool('test_audio_content', { description: 'Returns a sound.' }, () => audio(WAV, 'audio/wav'));

  app.tool('test_embedded_resource', { description: 'Returns a resource inside the result.' }, () =>
    embedded({
      uri: 'test://embedded-resource',
      mimeType: 'text/plain',
      text: 'This is an embedded resource content.',
    }),
  );

  app.tool('test_multiple_content_types', { description: 'Returns a text, an image and a resource.' }, () => [
    text('Multiple content types test:'),
    image(PNG, 'image/png'),
    embedded({
      uri: 'test://mixed-content-resource',
      mimeType: 'application/json',
      text: '{"test":"data","value":123}',
    }),
  ]);

  app.tool('test_error_handling', { description: 'Always fails.' }, () => {
    throw new ToolError('This tool intentionally returns an error for testing');
  });

  app.tool(
    'json_schema_2020_12_tool',
    { description: 'Takes a contact, which has a phone number or an e-mail address.', input: contact },
    ({ name, phone, email }) => `${name ?? 'Somebody'} can be reached at ${phone ?? email}`,
  );

  app.tool(
    'test_header_parameters',
    { description: 'Takes parameters that HTTP clients repeat as headers.', input: withHeaders },
    ({ region, priority, urgent }) => `${region}, priority ${priority}${urgent ? ', urgent' : ''}`,
  );
}
