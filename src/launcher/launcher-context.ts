import type { AgentName } from "../state/active-agent.ts";
import { AtomicJsonFile } from "../state/atomic-json-file.ts";
import { makeRuntimeDirectory, runtimePath } from "../state/runtime-directory.ts";
import type { System } from "../system/system.ts";

interface LauncherContext {
  readonly agent: AgentName;
  /** the words typed, without prompts */
  readonly command: string;
  readonly sessionId: string;
  readonly directory: string;
  readonly version: string;
}

/** Tells hooks and recipes of this project which agent was started last. */
export function writeLauncherContext(system: System, projectRoot: string, context: LauncherContext): void {
  makeRuntimeDirectory(system, projectRoot);
  const path = runtimePath(projectRoot, "launcher_context.json");
  new AtomicJsonFile(path, { system, within: projectRoot }).write({
    launcher: context.agent,
    command: context.command,
    timestamp: new Date(system.clock.nowMs()).toISOString(),
    session_id: context.sessionId,
    cwd: context.directory,
    amplihack_version: context.version,
    environment: {},
  });
}
