/** A server on stdin and stdout that does what servers should not do. */
import { Server } from 'omniport';

console.log('before');
const app = new Server({
  name: 'stdio',
  lifespan: async function* () {
    yield { pool: 1 };
    console.error('left');
  },
});
app.tool('print', (_, cx) => {
  console.log('printed');
  process.stdout.write('written\n');
  return cx.lifespan;
});
app.tool('stray', () => {
  Promise.reject(new Error('left behind'));
  return 'ok';
});
app.tool('slow', async () => {
  await new Promise((resolve) => setTimeout(resolve, 100));
  return 'done';
});
app.tool('never', () => new Promise(() => {}));
await app.run();
console.error(`listeners: ${process.listenerCount('SIGTERM')} ${process.listenerCount('unhandledRejection')}`);
