/** A program that makes servers and serves none for long: it has to end by itself, and servers that nobody uses are collected. */
import { Server } from 'omniport';

const collected = new Set<number>();
const registry = new FinalizationRegistry<number>((number) => collected.add(number));
for (let number = 0; number < 20; number++) {
  const app = new Server({ name: 'ends' });
  app.tool('a', (_, cx) => cx.requestId);
  registry.register(app, number);
}
const served = new Server({ name: 'served' });
const http = await served.listen({ port: 0 });
for (let round = 0; round < 50 && collected.size < 15; round++) {
  globalThis.gc?.();
  await new Promise((resolve) => setImmediate(resolve));
}
if (collected.size < 15) throw new Error(`only ${collected.size} of 20 servers were collected`);
await http.close();
console.log('ended');
