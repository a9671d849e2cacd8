import { defined, type JsonObject, ownValue } from "../../protocol/index.ts";
import type { GitFacts } from "../run/git-facts.ts";
import { clipBytes } from "../steps/snippet.ts";
import { valueText } from "../values/value.ts";

const MAX_FIELD_BYTES = 1024;
/** Context variables that tell a reader which piece of work a run belongs to. */
const WORK_KEYS =
  "task_description issue_number issue_id issue_url pr_number pr_id pr_url work_item_id work_item".split(" ");

interface PointerFacts {
  readonly event: "early" | "final";
  readonly runId: string;
  readonly recipeName: string;
  readonly cwd: string;
  readonly git: GitFacts | undefined;
  readonly context: JsonObject;
  readonly logPaths: readonly string[];
  readonly nowMs: number;
  readonly status?: string;
  readonly exitCode?: number;
}

/** The line on stderr by which other programs find the logs of a run. */
export function pointerLine(facts: PointerFacts): string {
  const work = WORK_KEYS.flatMap(key => {
    const text = valueText(ownValue(facts.context, key));
    return text === "" ? [] : [[key, clip(text)] as const];
  });
  const pointer = {
    schema_version: 1,
    event: facts.event,
    run_id: facts.runId,
    recipe_name: clip(facts.recipeName),
    cwd: clip(facts.cwd),
    ...(facts.git === undefined ? {} : { worktree: clip(facts.git.worktree) }),
    ...(facts.git?.branch === undefined ? {} : { branch: clip(facts.git.branch) }),
    ...Object.fromEntries(work),
    ...defined({ status: facts.status, exit_code: facts.exitCode }),
    log_paths: facts.logPaths,
    timestamp: new Date(facts.nowMs).toISOString(),
  };
  return `amplihack.recipe.log_pointer ${JSON.stringify(pointer)}`;
}

const clip = (text: string): string => clipBytes(text, MAX_FIELD_BYTES);
