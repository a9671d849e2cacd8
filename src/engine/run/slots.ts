import type { Interruption } from "../interruption.ts";

/** So many at a time; who waits is served in order of arrival. */
export class Slots {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  /** Waits for a place; false when the wait was called off. Every `true` is answered by one `release`. */
  async acquire(interruption: Interruption): Promise<boolean> {
    if (interruption.isRaised) return false;
    if (this.free > 0) {
      this.free--;
      return true;
    }
    return new Promise(resolve => {
      const serve = (): void => {
        unsubscribe();
        resolve(true);
      };
      const unsubscribe = interruption.subscribe(() => {
        this.waiting.splice(this.waiting.indexOf(serve), 1);
        resolve(false);
      });
      this.waiting.push(serve);
    });
  }

  release(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free++;
    else next();
  }
}
