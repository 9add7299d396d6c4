/** A server in a worker thread. */
import { parentPort } from 'node:worker_threads';

import { Server } from 'omniport';

const app = new Server({ name: 'worker' });
app.tool('where', () => 'in a worker');
const http = await app.listen({ port: 0 });
parentPort?.postMessage(http.url);
parentPort?.once('message', () => http.close(0));
