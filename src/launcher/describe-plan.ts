import { quoteWord } from "../system/index.ts";
import { describeDifference } from "./child-environment.ts";
import type { LaunchPlan } from "./plan.ts";

/** What `--dry-run` prints. */
export function describePlan(plan: LaunchPlan): string {
  const { nesting, drift, places } = plan;
  const hooks = drift.length > 0 ? drift.map(({ message }) => message).join("; ") : "as they should be";
  const rows: readonly (readonly [string, string])[] = [
    ["agent", `${plan.agent} ${plan.version ?? "(version unknown)"}`],
    ["program", plan.program],
    ["arguments", plan.args.map(quoteWord).join(" ")],
    ["directory", places.directory],
    ["project", places.projectRoot],
    ["session", `${plan.sessionId}, depth ${plan.depth}${nesting.kind === "nested" ? ", nested" : ""}`],
    ["hooks", plan.isRegistered ? hooks : "not registered"],
    ["process", plan.isInteractive ? "in the foreground of this terminal" : "in a group of its own"],
  ];
  return rows.map(([name, value]) => `${`${name}:`.padEnd(11)}${value}\n`).join("");
}

/** What `--print-env` prints: the difference to the environment here, then the command line. */
export function describeEnvironment(plan: LaunchPlan): string {
  const words = [plan.program, ...plan.args].map(quoteWord).join(" ");
  return [...describeDifference(plan.parent, plan.env), `argv: ${words}`, ""].join("\n");
}
