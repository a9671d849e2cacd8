import type { System } from "../system/index.ts";

const DIGITS = 32;
const VALID_MS = 60_000;

/**
 * Opens the page once. A browser is started with its address as an argument, which every program on the machine can
 * read: so that address holds this code, which the browser has used up by then, and not the token.
 */
export class LaunchCode {
  readonly code: string;
  private readonly system: System;
  private readonly madeMs: number;
  private isUsed = false;

  constructor(system: System) {
    this.system = system;
    this.code = system.random.hex(DIGITS);
    this.madeMs = system.clock.monotonicMs();
  }

  /** True once, for the right code, while it is young. */
  use(given: string): boolean {
    if (given !== this.code || this.isUsed) return false;
    this.isUsed = true;
    return this.system.clock.monotonicMs() - this.madeMs <= VALID_MS;
  }
}
