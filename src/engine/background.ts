/** Handlers that nobody waits for: so many at a time, none dropped, in order of arrival. */
export class Background {
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

  /** Something that is under way already and only has to be waited for at the end. */
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

  /** Forgets what has not begun and waits for what has. */
  async drain(): Promise<void> {
    this.waiting.length = 0;
    while (this.active.size > 0) await Promise.all(this.active);
  }
}
