import { agentAbove, loadStockHistory, openGuard, preToolUse, wasAskedAbout } from "../../hooks/index.ts";
import { errorText, type InputOf } from "../../protocol/index.ts";
import { isInside } from "../../system/index.ts";
import type { Frame, RecipeRun } from "../run/run.ts";
import { SHIPPED_RECIPES } from "../shipped-recipes.ts";

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
/** For audit log and history: no host sends these calls. */
const HOST = "recipe";

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
    host: HOST,
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
  const isStopped = decision?.kind === "deny" || (decision?.kind === "ask" && !isAgreed(run, frame));
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

function isAgreed(run: RecipeRun, { loaded }: Frame): boolean {
  const { system, agreed } = run;
  const { stateHome } = openGuard(system, run.workingDir, NO_CODE);
  if (agentAbove(system, stateHome) === undefined) return true;
  const { fileSha256, path, sha256 } = loaded;
  // No agent writes there unasked.
  if ([SHIPPED_RECIPES, stateHome].some(folder => isInside(folder, path))) return true;
  // Of a recipe that extends others, only its own file was shown.
  if (fileSha256 !== sha256) return false;
  return agreed.includes(fileSha256) || wasAskedAbout(system, stateHome, fileSha256);
}
