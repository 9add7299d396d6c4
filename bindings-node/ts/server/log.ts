/**
 * What a server has to say to its operator. It goes to stderr, never to stdout, which belongs to the protocol.
 *
 * @module
 */

/** Levels as the engine has them. */
export const WARNING = 30;
export const ERROR = 40;

/** Writes a line, with the stack of `error`. Never throws; below a warning nothing is written. */
export function log(level: number, text: string, error?: unknown): void {
  if (level < WARNING) return;
  try {
    const stack = error instanceof Error ? error.stack : undefined;
    console.error(stack === undefined ? `omniport: ${text}` : `omniport: ${text}\n${stack}`);
  } catch {
    // The error shows itself to nobody, or stderr is closed.
  }
}
