// What the notes servers of both generations of the TypeScript SDK have in common.
export const NOTES = { first: 'Buy milk', second: 'Call Ada' };
export const MOODS = ['warm', 'wary', 'cold'];
export const ORDER = { type: 'object', properties: { size: { type: 'string' } }, required: ['size'] };
export const BYTES = Buffer.from([0, 1, 2, 3, 4, 5, 6, 7]).toString('base64');

export const text = (words) => ({ content: [{ type: 'text', text: words }] });
export const weather = (city) => ({ ...text(`21.5 in ${city}`), structuredContent: { city, celsius: 21.5 } });
export const picture = () => ({ content: [{ type: 'image', data: BYTES, mimeType: 'image/png' }] });
export const fail = () => ({ ...text('The oven is cold'), isError: true });
export const greeting = ({ name, mood }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name} in a ${mood ?? 'warm'} way` } }],
});
export const startingWith = (words) => (value) => words.filter((word) => word.startsWith(value ?? ''));
// Until the client gives it up.
export const forever = (signal) =>
  new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
