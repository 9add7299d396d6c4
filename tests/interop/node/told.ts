/** What the server told and asked meanwhile: notifications may come after the answer, since over HTTP they have a stream of their own. */

const MILLISECONDS = 20_000;

export class Told {
  asked: string[] = [];
  logged: unknown[] = [];
  changed: Record<string, unknown>[] = [];
  private wake: () => void = () => {};

  clear(): void {
    this.asked = [];
    this.logged = [];
    this.changed = [];
  }

  log(message: unknown): void {
    this.logged.push(message);
    this.wake();
  }

  change(change: Record<string, unknown>): void {
    this.changed.push(change);
    this.wake();
  }

  /** Waits for a log message that holds the text. */
  untilLogged(text: string): Promise<void> {
    return this.until(() => this.logged.some((message) => JSON.stringify(message).includes(text)), 'log message');
  }

  /** Waits for a change that has these members. */
  untilChanged(members: Record<string, unknown>): Promise<void> {
    const has = (change: Record<string, unknown>) =>
      Object.entries(members).every(([name, one]) => change[name] === one);
    return this.until(() => this.changed.some(has), 'change');
  }

  private async until(isThere: () => boolean, what: string): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.wake();
    }, MILLISECONDS);
    while (!isThere() && !isLate) {
      await new Promise<void>((wake) => {
        this.wake = wake;
      });
    }
    clearTimeout(timer);
    const { logged, changed } = this;
    if (!isThere()) throw new Error(`no such ${what}: ${JSON.stringify({ logged, changed })}`);
  }
}
