/**
 * Work counted in steps, so that every machine gives the same answer. A clock, if there is one, is looked at now and
 * then as the last resort.
 */
export interface Budget {
  /** Takes steps; false when they are used up, and from then on always. */
  take(steps: number): boolean;
  readonly isSpent: boolean;
  readonly used: number;
}

const STEPS_BETWEEN_LOOKS = 4096;

export function createBudget(limit: number, isLate?: () => boolean): Budget {
  return new StepBudget(limit, isLate);
}

class StepBudget implements Budget {
  used = 0;
  isSpent = false;
  private nextLook = STEPS_BETWEEN_LOOKS;
  private readonly limit: number;
  private readonly isLate: (() => boolean) | undefined;

  constructor(limit: number, isLate: (() => boolean) | undefined) {
    this.limit = limit;
    this.isLate = isLate;
  }

  take(steps: number): boolean {
    this.used += steps;
    if (this.used > this.limit) this.isSpent = true;
    else if (this.used >= this.nextLook && this.isLate !== undefined) {
      this.nextLook = this.used + STEPS_BETWEEN_LOOKS;
      if (this.isLate()) this.isSpent = true;
    }
    return !this.isSpent;
  }
}
