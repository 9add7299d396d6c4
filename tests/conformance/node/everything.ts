/**
 * The everything server of the conformance suite: whatever a server scenario asks for, by the name it asks for.
 * `everything.js PORT`, or `everything.js stdio`.
 */

import { Server } from 'omniport';
import * as content from './content.js';
import * as forms from './forms.js';
import * as questions from './questions.js';
import * as resources from './resources.js';
import * as streams from './streams.js';

const HOUR = { ttlMs: 3_600_000, scope: 'public' } as const;

const app = new Server({
  name: 'everything',
  version: '1.0.0',
  title: 'Everything',
  instructions: 'Call the tool whose name says what you want to see.',
  subscribe: true,
  cache: {
    tools: HOUR,
    prompts: HOUR,
    resources: HOUR,
    templates: HOUR,
    read: { ttlMs: 60_000, scope: 'private' },
  },
});
for (const part of [content, streams, forms, questions, resources]) part.register(app);

const place = process.argv[2];
if (place === 'stdio') void app.run();
else void app.listen({ port: Number(place) });
