import { CommandError, type Terminal } from "../../cli/index.ts";
import { whyAgent } from "../../hooks/index.ts";
import { type BuildReport, loadBuild } from "../../install/index.ts";
import type { System } from "../../system/index.ts";

/** An agent must not choose the hooks that watch it. */
export function refuseAgents(system: System): void {
  const obstacle = whyAgent(system);
  if (obstacle !== undefined) throw new CommandError(obstacle, { kind: "not-a-person" });
}

/** Tells what a build made and what is wrong; the exit code: 1 when a file could not be built. */
export async function tellBuild(
  terminal: Terminal,
  format: string,
  report: BuildReport,
  more: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const { buildProblems } = await loadBuild();
  const problems = buildProblems(report);
  const broken = report.manifest.files.filter(file => file.problem !== undefined);
  const hooks = report.manifest.files.flatMap(({ hooks: found, source, isPortable, problem }) =>
    problem === undefined ? found.map(({ name, events }) => ({ name, events, source, isPortable })) : [],
  );
  for (const problem of problems) terminal.warn(`Warning: ${problem}\n`);
  const handlers = report.manifest.handlers.map(({ id, event, path, action }) => ({
    id,
    event,
    path,
    kind: action.kind,
  }));
  const lines = hooks.map(
    hook => `${hook.name}  ${hook.events.join(", ")}  ${hook.isPortable ? "portable" : "runs on Node"}\n`,
  );
  terminal.printResult(
    format,
    { success: broken.length === 0, ...more, hooks, handlers, problems },
    [...lines, ...handlers.map(({ id, path }) => `${id}  ${path}\n`)].join("") ||
      "no hooks of your own; amplihack hooks new NAME writes one\n",
  );
  return broken.length === 0 ? 0 : 1;
}
