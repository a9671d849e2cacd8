import { AtomicJsonFile, makeRuntimeDirectory, runtimePath } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { version } from "../version.ts";
import type { LaunchPlan } from "./plan.ts";

/** Tells hooks and recipes of this project which agent was started last. `argv` are the words typed, without prompts. */
export function writeLauncherContext(system: System, plan: LaunchPlan, argv: readonly string[]): void {
  const { projectRoot, directory } = plan.places;
  makeRuntimeDirectory(system, projectRoot);
  const path = runtimePath(projectRoot, "launcher_context.json");
  new AtomicJsonFile(path, { system, within: projectRoot }).write({
    launcher: plan.agent,
    command: ["amplihack", ...argv].join(" "),
    timestamp: new Date(system.clock.nowMs()).toISOString(),
    session_id: plan.sessionId,
    cwd: directory,
    amplihack_version: version,
    environment: {},
  });
}
