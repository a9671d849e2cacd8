import type { CancelSignal } from "../cancel-signal.ts";

/** At most so many holders at a time; those who wait are served in order of arrival. */
export class Semaphore {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  /** False when the wait was cancelled. Every `true` is answered by one `release`. */
  async acquire(cancel: CancelSignal): Promise<boolean> {
    if (cancel.isRaised) return false;
    if (this.free > 0) {
      this.free--;
      return true;
    }
    return new Promise(resolve => {
      const serve = (): void => {
        unsubscribe();
        resolve(true);
      };
      const unsubscribe = cancel.subscribe(() => {
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

/** Jobs that no dispatch waits for: a limited number at a time, none dropped, in order of arrival. */
export class BackgroundQueue {
  private readonly limit: number;
  private readonly waiting: (() => Promise<void>)[] = [];
  private readonly active = new Set<Promise<void>>();
  private running = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** `job` never rejects. */
  add(job: () => Promise<void>): void {
    if (this.running < this.limit) this.start(job);
    else this.waiting.push(job);
  }

  /** A job that has started already; `drain` waits for it too. */
  adopt(job: Promise<void>): void {
    this.active.add(job);
    void job.finally(() => this.active.delete(job));
  }

  private start(job: () => Promise<void>): void {
    this.running++;
    this.adopt(
      job().finally(() => {
        this.running--;
        const next = this.waiting.shift();
        if (next !== undefined) this.start(next);
      }),
    );
  }

  /** Drops what has not started and waits for the rest. */
  async drain(): Promise<void> {
    this.waiting.length = 0;
    while (this.active.size > 0) await Promise.all(this.active);
  }
}
