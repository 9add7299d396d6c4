/**
 * A tool that asks its user twice and books once in between, driven by a client of the same process in both eras of the protocol.
 *
 * A client of the modern era brings each answer with a new request. Should the handler be gone by then, it is run again from its start, and
 * the booking is in a `step` for that.
 */

import { Client, Server } from 'omniport';
import { z } from 'zod';

const app = new Server({ name: 'booking' });
let booked = 0;

app.tool(
  'book',
  { description: 'Book a room.', input: { nights: z.int().min(1) }, annotations: { destructiveHint: false } },
  async ({ nights }, cx) => {
    const room = await cx.elicit('Which room?', ['single', 'double']);
    if (room.action !== 'accept') return 'Nothing was booked.';
    cx.progress(1, 2, 'booking');
    const { id } = await cx.step('book', () => {
      booked += 1;
      return { id: `${room.content}-${booked}` };
    });
    const mail = await cx.elicit('Where should the receipt go?', { mail: z.email() });
    return { id, nights, receipt: mail.action === 'accept' ? mail.content.mail : null };
  },
);

for (const era of ['legacy', 'modern'] as const) {
  await using client = new Client(app, {
    era,
    // A choice is asked for as an object with one member, `value`.
    onElicit: ({ message }) => (message === 'Which room?' ? { value: 'double' } : { mail: 'ada@example.com' }),
  });
  const { structuredContent } = await client.callTool(
    'book',
    { nights: 2 },
    { onProgress: ({ progress, total, message }) => console.log(`${progress} of ${total}: ${message}`) },
  );
  console.log(`${client.protocolVersion}:`, structuredContent);
}
