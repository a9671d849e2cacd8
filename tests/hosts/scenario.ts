import type { Effect } from "../../src/protocol/index.ts";

/** What the trial hook does on one subcommand; nothing of it: no opinion. */
export interface Action {
  readonly effect?: Effect;
  /** replaces a word in the tool input */
  readonly rewrite?: { readonly from: string; readonly to: string };
  readonly print?: string;
  readonly complain?: string;
  readonly exitCode?: number;
  readonly sleepMs?: number;
  /** only the first time */
  readonly isOnce?: boolean;
}

/** By subcommand. */
export type Scenario = Readonly<Record<string, Action>>;
