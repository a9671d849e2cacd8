import { judgeCommand } from "../../guard/index.ts";
import {
  agentAbove,
  loadStockHistory,
  openGuard,
  preToolUse,
  RECIPE_STEP_HOST,
  ranFiles,
  shownWith,
} from "../../hooks/index.ts";
import { errorText, type InputOf } from "../../protocol/index.ts";
import { findAssetHome, findStateHome } from "../../state/index.ts";
import { isInside, type System } from "../../system/index.ts";
import type { LoadedRecipe } from "../find/load-recipe.ts";
import type { Frame, RecipeRun } from "../run/run.ts";
import { SHIPPED_AGENTS, SHIPPED_RECIPES } from "../shipped-recipes.ts";

/** A shell text of a recipe that is about to run. */
interface ShellCall {
  /** with the values of the recipe as variables in front */
  readonly text: string;
  readonly cwd: string;
}

export type GuardedShell =
  | { readonly refusal: string }
  /** `finish` records what it changed */
  | { readonly refusal?: undefined; finish(durationMs: number): Promise<void> };

/** No code is offered here. */
const NO_CODE = () => undefined;
/**
 * Judges a shell text of a recipe as the call of a tool that it is, by the rules and with the records of the hook program,
 * and keeps what it may change. What only has to be asked about runs for a person, who started it; for an agent it runs
 * if the person was asked about the recipe as it is now.
 */
export async function guardShell(
  run: RecipeRun,
  frame: Frame,
  { text, cwd }: ShellCall,
): Promise<GuardedShell> {
  const { system } = run;
  const input: InputOf<"tool"> = {
    kind: "tool",
    host: RECIPE_STEP_HOST,
    event: "PreToolUse",
    nativeEvent: "PreToolUse",
    sessionId: run.runId,
    cwd,
    transcriptPath: undefined,
    facts: { command: text, paths: [] },
    raw: {},
    tool: {
      name: "Bash",
      canonicalName: "Bash",
      input: { command: text },
      useId: `${run.runId}-${++run.counter.shells}`,
    },
    result: undefined,
    error: undefined,
  };
  const effect = await preToolUse().run(input, system);
  const decision = effect?.decision;
  const isStopped =
    decision?.kind === "deny" || (decision?.kind === "ask" && !isAgreed(run, frame, { text, cwd }));
  if (isStopped) return { refusal: `The guard stopped it: ${decision.reason}` };
  return {
    async finish(durationMs) {
      try {
        const { completeCall } = await loadStockHistory();
        await completeCall(
          { ...input, event: "PostToolUse" },
          system,
          openGuard(system, cwd, NO_CODE),
          durationMs,
        );
      } catch (error) {
        run.warn(`What a step changed was not recorded: ${errorText(error)}`);
      }
    },
  };
}

/** Whether the person was shown the recipe as it is, and the files that this call of it runs, as they are. */
function isAgreed(run: RecipeRun, { loaded }: Frame, { text, cwd }: ShellCall): boolean {
  const { system, shown } = run;
  const { path, fileSha256, sha256: all } = loaded;
  const { context, stateHome } = openGuard(system, run.workingDir, NO_CODE);
  if (shown === "to the person who started it" || isOurs(path, stateHome)) return true;
  // Of a recipe that extends others, only its own file was shown.
  if (fileSha256 !== all || shown === "to nobody" || !shown.has(fileSha256)) return false;
  const { files = [] } = ranFiles(system, judgeCommand(text, { ...context, cwd, machineKey: undefined }));
  return files.every(({ sha256 }) => shown.has(sha256));
}

/** What the person was shown of a recipe that is about to run, by SHA-256; later questions change nothing of it. */
export function findShown(
  system: System,
  workingDir: string,
  { path, fileSha256 }: LoadedRecipe,
  agreed: readonly string[] = [],
): RecipeRun["shown"] {
  const { config, stateHome } = openGuard(system, workingDir, NO_CODE);
  if (!config.parts.includes("guard") || agentAbove(system, stateHome) === undefined)
    return "to the person who started it";
  const shown = shownWith(system, stateHome, fileSha256) ?? agreed;
  return shown.length === 0 || isOurs(path, stateHome) ? "to nobody" : new Set(shown);
}

/**
 * Whether a file of the project that says what a step does is as the person saw it. A run that nobody was asked about has
 * nothing to compare it with.
 */
export function isAsShown({ shown, system, workingDir }: RecipeRun, path: string, sha256: string): boolean {
  if (typeof shown === "string" || shown.has(sha256)) return true;
  const assets = [SHIPPED_RECIPES, SHIPPED_AGENTS, findStateHome(system), findAssetHome(system)];
  return assets.some(
    folder => folder !== undefined && isInside(folder, path) && !isInside(workingDir, folder),
  );
}

export function notAsShown(path: string): string {
  return `${path} is not what the person was asked about; run the recipe again, so that they are asked about it as it is now`;
}

/** No agent writes there unasked. */
function isOurs(path: string, stateHome: string): boolean {
  return [SHIPPED_RECIPES, stateHome].some(folder => isInside(folder, path));
}
