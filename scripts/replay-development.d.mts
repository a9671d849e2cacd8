import type { makeProgramIndex } from "../src/programs/model/program-index.ts";
import type { System } from "../src/system/system.ts";
import type { addCall, emptySummary } from "../src/verify/guard-summary.ts";
import type { CollectedCommand, CollectingTools, Omitted } from "./replay-commands.mjs";

export interface JudgedCommand extends CollectedCommand {
  readonly verdict: "allow" | "keep" | "ask" | "deny";
  readonly rules: readonly string[];
  readonly lost: string;
}

export function collectingTools(
  modules: Omit<CollectingTools, "isProgram"> & { readonly makeProgramIndex: typeof makeProgramIndex },
): CollectingTools;
export function judgeCommands(
  commands: readonly CollectedCommand[],
  modules: {
    readonly addCall: typeof addCall;
    readonly emptySummary: typeof emptySummary;
    readonly system: System;
  },
  cwd: string,
): readonly JudgedCommand[];
export function renderJudged(judged: readonly JudgedCommand[], omitted: Omitted, isAll: boolean): string;
