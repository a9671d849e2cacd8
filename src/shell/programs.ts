import type { ProgramEffect } from "./effects.ts";
import type { Value } from "./value.ts";
import type { ProgramCall } from "./walk/call.ts";
import type { CodeSource } from "./walk/code-runs.ts";
import type { Output } from "./walk/output.ts";

/**
 * What the shell asks about programs. It knows none of them by name: whoever starts an analysis hands in the table.
 * No method throws for any words a program may be started with.
 */
export interface Programs {
  /**
   * Runs what a started program runs and records what it writes; says what it prints and does. A name that is not
   * known is judged as what it could be. Without `runs` nothing is run: there is no work left for it.
   */
  follow(name: string | undefined, call: ProgramCall, runs: boolean): Followed;
  /** Runs the text of a file that names its interpreter; undefined when a shell runs it. */
  interpret(
    interpreter: string,
    code: Value,
    operands: readonly Value[],
    call: ProgramCall,
    source: CodeSource,
  ): Output | undefined;
  /** True for a name that is worth guessing at. */
  isKnown(name: string): boolean;
  /** Known names, for a pattern in the place of the program. */
  readonly names: Iterable<string>;
  /** True for programs that fail so seldom that what follows `&&` may be taken to run. */
  seldomFails(name: string): boolean;
  /** Names of dangerous programs in text that could not be analysed, each once, in order. */
  findDangerous(region: string): readonly string[];
}

export interface Followed {
  /** Undefined: nothing is known about the program. */
  readonly output: Output | undefined;
  readonly effects: readonly ProgramEffect[];
}
