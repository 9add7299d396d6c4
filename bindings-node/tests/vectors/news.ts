/** Waiting for what comes over pipes and sockets. */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds until something that must come is given up; nothing ever takes that long. */
export const PATIENCE = 30_000;

/** The server process has ended. */
export class Gone extends Error {}

/** Told whenever something came; those who wait look again. */
export class News {
  private waiting: (() => void)[] = [];

  tell(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const look of waiting) look();
  }

  /** Returns when it holds; false when patience ended before. */
  async until(holds: () => boolean): Promise<boolean> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.tell();
    }, PATIENCE);
    try {
      while (!holds() && !isLate) await new Promise<void>((look) => this.waiting.push(look));
      return holds();
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Takes what the system has for this process already: a turn of the loop asks once for everything that is there. */
export async function takeAll(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
