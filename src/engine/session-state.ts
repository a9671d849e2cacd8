const MAX_SESSIONS = 4096;

/** Drops what was set longest ago, so that a server can run without end. */
export class BoundedMap<V> extends Map<string, V> {
  private readonly max: number;

  constructor(max: number) {
    super();
    this.max = max;
  }

  override set(key: string, value: V): this {
    this.delete(key);
    super.set(key, value);
    const oldest = this.keys().next();
    if (this.size > this.max && oldest.done !== true) this.delete(oldest.value);
    return this;
  }
}

/** Which `once` handlers a session has used up. */
export class OnceRegistry {
  private readonly used = new BoundedMap<Set<unknown>>(MAX_SESSIONS);

  isUsed(session: string, key: unknown): boolean {
    return this.used.get(session)?.has(key) === true;
  }

  /** True for the first to ask; claimed when a plan is made, so that two dispatches at once start it once. */
  claim(session: string, key: unknown): boolean {
    const keys = this.used.get(session) ?? new Set();
    if (keys.has(key)) return false;
    keys.add(key);
    this.used.set(session, keys);
    return true;
  }

  forget(session: string): void {
    this.used.delete(session);
  }
}

/** How often in a row an agent was kept from stopping. */
export class StopCounter {
  private readonly cap: number;
  private readonly holds = new BoundedMap<number>(MAX_SESSIONS);

  constructor(cap: number) {
    this.cap = cap;
  }

  isCapReached(agent: string): boolean {
    return (this.holds.get(agent) ?? 0) >= this.cap;
  }

  record(agent: string, isHeld: boolean): void {
    if (isHeld) this.holds.set(agent, (this.holds.get(agent) ?? 0) + 1);
    else this.holds.delete(agent);
  }
}
