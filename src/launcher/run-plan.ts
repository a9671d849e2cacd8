import { errorText } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { withoutPrompts } from "./agent-arguments.ts";
import { writeLauncherContext } from "./launcher-context.ts";
import { type ChildEnd, runChild } from "./managed-child.ts";
import type { LaunchPlan } from "./plan.ts";
import { releaseClaim, removeClaim, takeClaim } from "./session-claim.ts";
import { logEnd, logStart } from "./session-log.ts";
import { writeShims } from "./shims.ts";

/** Starts what was planned, keeps the records of it, and gives the exit code. */
export async function runPlan(
  system: System,
  plan: LaunchPlan,
  warn: (text: string) => void,
): Promise<number> {
  tellNesting(plan, warn);
  if (plan.shims !== undefined) writeShims(system, plan.shims);
  const records = openRecords(system, plan, warn);
  let end: ChildEnd | undefined;
  try {
    end = await runChild({
      program: plan.program,
      args: plan.args,
      cwd: plan.places.directory,
      env: plan.env,
      isInteractive: plan.isInteractive,
      warn,
    });
    return end.exitCode;
  } finally {
    records.close(end === undefined || end.hasCrashed ? "crashed" : "completed");
  }
}

function tellNesting({ nesting, depth }: LaunchPlan, warn: (text: string) => void): void {
  if (nesting.kind !== "nested") return;
  const owner = nesting.isOwnerDead ? ", whose process is gone" : "";
  warn(`this session is nested inside of another${owner}; depth ${depth}`);
}

/** Records tell others about the session; a place that cannot be written does not stop it. */
function openRecords(
  system: System,
  plan: LaunchPlan,
  warn: (text: string) => void,
): { close(status: "completed" | "crashed"): void } {
  const { places, nesting, sessionId, agent } = plan;
  const argv = [agent, ...withoutPrompts(plan.args)];
  const parentSessionId = nesting.kind === "nested" ? nesting.sessionId : undefined;
  const session = { ...places, sessionId, parentSessionId };
  const attempt = (what: string, act: () => void): boolean => {
    try {
      act();
      return true;
    } catch (error) {
      warn(`${what} could not be written: ${errorText(error)}`);
      return false;
    }
  };
  if (nesting.kind !== "nested") {
    attempt("the record of this session", () => {
      if (nesting.kind === "stale") removeClaim(system, places.home, nesting.claim);
      if (!takeClaim(system, places.home, sessionId)) warn("another session started at the same moment");
    });
  }
  attempt("the record of this launch", () => writeLauncherContext(system, plan, argv));
  const isLogged = attempt("the log of sessions", () => logStart(system, session, argv));
  return {
    close(status) {
      if (isLogged) attempt("the log of sessions", () => logEnd(system, session, status));
      attempt("the record of this session", () => releaseClaim(system, places.home));
    },
  };
}
