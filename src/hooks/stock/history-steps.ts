import { hasOpenChanges } from "../../history/index.ts";
import { errorText } from "../../protocol/index.ts";
import { DOCTOR_SESSION, findHome, findStateHome } from "../../state/index.ts";
import type { ConfiguredGuard } from "../program/guard-context.ts";
import type { HookContext } from "../program/hook-context.ts";

type HistoryHooks = typeof import("./history.ts");
type Step = (history: HistoryHooks, guard: ConfiguredGuard) => Promise<void>;

/** A step of the history that no decision depends on: its failure is told, and the hook goes on. */
export async function withHistory(context: HookContext, cwd: string | undefined, step: Step): Promise<void> {
  // What `doctor` tries out is no session, and leaves nothing behind.
  if (findHome(context.system) === undefined || context.sessionId === DOCTOR_SESSION) return;
  try {
    const { openGuard } = await import("../program/guard-context.ts");
    const history = await import("./history.ts");
    await step(
      history,
      openGuard(context.system, cwd, () => {}),
    );
  } catch (error) {
    context.report(`the history is not complete: ${errorText(error)}`);
  }
}

/** The same, when the session has a change whose end was not seen yet. */
export async function withOpenChanges(
  context: HookContext,
  cwd: string | undefined,
  step: Step,
): Promise<void> {
  const { system, sessionId } = context;
  try {
    const stateHome = findStateHome(system);
    if (stateHome === undefined || !hasOpenChanges(system, stateHome, sessionId)) return;
  } catch (error) {
    context.report(`the history is not complete: ${errorText(error)}`);
    return;
  }
  await withHistory(context, cwd, step);
}
