/** What the servers of the bench share. */
import type { Server } from 'omniport';

export const BIG = 'The quick brown fox says "hello", then jumps over the lazy dog.\n'.repeat(15_625);

/** Names and descriptions of the thousand more; none without MANY in the environment. */
export function many(): [name: string, description: string][] {
  if (process.env.MANY === undefined) return [];
  return Array.from({ length: 1000 }, (_, number) => [
    `tool_${String(number).padStart(4, '0')}`,
    `Searches collection ${number}.`,
  ]);
}

/** Serves as the command line says: `stdio`, or `http PORT`. */
export async function serve(app: Server): Promise<void> {
  const [, , transport, port] = process.argv;
  if (transport === 'stdio') await app.run();
  else await app.listen({ port: Number(port) });
}
