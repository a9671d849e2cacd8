import { CommandError, type CommandInvocation } from "../../cli/index.ts";
import { type Config, loadConfig } from "../../config/index.ts";
import { finishEnded, openContext } from "../../history/index.ts";
import { loadSandbox, type SandboxPlaces, type TryContext, type TryRecord } from "../../sandbox/index.ts";
import { requireDirectories } from "../../state/index.ts";
import { sandboxPlaces } from "../sandbox/places.ts";

export interface OpenedTries {
  readonly places: SandboxPlaces;
  readonly config: Config;
  readonly directory: string;
  /** for a try of this project */
  openTryContext(project: string): TryContext;
  /** newest first; those of killed processes are settled */
  list(): readonly TryRecord[];
  /** by its id or an unambiguous beginning of it */
  find(id: string): TryRecord;
}

export async function openTries({
  system,
  terminal,
}: Pick<CommandInvocation, "system" | "terminal">): Promise<OpenedTries> {
  const sandbox = await loadSandbox();
  const directories = requireDirectories(system);
  const { home, stateHome, projectRoot } = directories;
  const { config, notices } = loadConfig(system, directories);
  for (const notice of notices) terminal.warn(`Warning: ${notice.message}\n`);
  const places = sandboxPlaces(system);
  const openHistory = (project: string) =>
    openContext(system, { stateHome, project, home, temps: [], regenerable: [] }, config.history);
  await finishEnded(openHistory(projectRoot));
  sandbox.sweepLeftovers(system, stateHome);
  const openTryContext = (project: string): TryContext => {
    const program = sandbox.findSandboxProgram(system, places);
    if (program === undefined)
      throw new CommandError("what was caught cannot be read: amplihack-sandbox is not installed", {
        kind: "unavailable",
        fix: "amplihack sandbox check",
      });
    return { history: openHistory(project), program, stateHome };
  };
  const list = () =>
    sandbox
      .listTries(system, stateHome)
      .flatMap(
        record =>
          sandbox.settleTry(system, { history: openHistory(record.project), stateHome }, record) ?? [],
      );
  const find = (id: string): TryRecord => {
    const found = list().filter(record => record.status === "held" && record.id.startsWith(id));
    if (found[0] === undefined || found.length > 1)
      throw new CommandError(
        found.length > 1 ? `several tries begin with ${id}` : `no changes are held as ${id}`,
        {
          kind: "not-found",
          fix: "amplihack try list",
        },
      );
    return found[0];
  };
  const directory = system.files.workingDirectory() ?? projectRoot;
  return { places, config, directory, openTryContext, list, find };
}
