/** Bounds of one analysis. All are counts, so the answer never depends on the machine. */
export const LIMITS = {
  inputCharacters: 96 * 1024,
  /** code in code: substitutions, `sh -c`, eval, scripts, function calls */
  nesting: 12,
  /** programs that run programs, in one chain */
  wrappers: 12,
  /** words, quoted parts and operators of one text, what documents say left out; what has more is not parsed */
  tokens: 10_000,
  /** the same of a text that no file holds: nobody writes so much into one call */
  commandTokens: 3_000,
  /** what a pattern costs of them: it is compared with everything that is protected */
  tokensOfPattern: 10,
  words: 4000,
  expansionsPerWord: 64,
  /** words that one `$@` or split variable may give */
  fieldsPerWord: 2048,
  /** ways to read one simple command, when its words have several values each */
  variants: 64,
  /** values that a variable, a directory or an output may have at one time */
  alternatives: 16,
  /** loop bodies are walked once per item up to here */
  loopItems: 64,
  /** program starts behind which loops and words with several values are taken as a whole */
  closeStarts: 128,
  variantsBehind: 4,
  scriptBytes: 64 * 1024,
  /** of a script that the session itself wrote; what is larger is asked about */
  ownScriptBytes: 128 * 1024,
  /** how often one script of its own is read in one analysis, and how many of them */
  ownScriptRuns: 2,
  ownScripts: 64,
  /** text computed by decoders and expansions */
  textCharacters: 256 * 1024,
  /** of a path; what is longer is not known to its end */
  pathCharacters: 8 * 1024,
  /** known and unknown parts that one text may alternate between */
  pieces: 256,
  directoryEntries: 200,
  steps: 50_000,
  /** what a program that is started, and a word, costs of them */
  stepsOfStart: 140,
  stepsOfWord: 8,
} as const;

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
