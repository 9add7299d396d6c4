// What the TypeScript clients share: each step prints one line of JSON, and a failed step does not stop the others.
import { deepStrictEqual } from 'node:assert';

/** How long a step may wait for a notification. */
const MILLISECONDS = 20_000;

export async function step(name, run) {
  try {
    await run();
    console.log(JSON.stringify({ step: name, ok: true }));
  } catch (error) {
    console.error(error);
    console.log(JSON.stringify({ step: name, ok: false, detail: String(error?.message ?? error).slice(0, 500) }));
  }
}

export const same = deepStrictEqual;

export const textOf = (result) => result.content.map((block) => block.text).join('');

/** A list that can be waited on: `arrived` resolves once something is in it. */
export function mailbox() {
  const items = [];
  let wake;
  const first = new Promise((resolve) => (wake = resolve));
  const put = (item) => {
    items.push(item);
    wake();
  };
  const arrived = () => {
    const late = new Promise((_, reject) =>
      setTimeout(() => reject(new Error('no notification came')), MILLISECONDS).unref(),
    );
    return Promise.race([first, late]);
  };
  return { items, put, arrived };
}

/** The error that `promise` is rejected with. */
export async function refused(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it should have been refused');
}
