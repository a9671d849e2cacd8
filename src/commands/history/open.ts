import type { CommandInvocation } from "../../cli/index.ts";
import { type GuardSettings, type HistorySettings, isHistoryOn, loadConfig } from "../../config/index.ts";
import { type History, openHistory } from "../../history/index.ts";
import { requireDirectories } from "../../state/index.ts";
import { expandHome, resolve } from "../../system/index.ts";

/** The history of this machine, as a command sees it from where it was typed. */
export interface OpenedHistory {
  readonly history: History;
  readonly home: string;
  readonly project: string;
  readonly settings: HistorySettings;
  readonly guard: GuardSettings;
  /** what agents change is kept; otherwise the configuration says no */
  readonly isKeeping: boolean;
  /** A path as typed, absolute. */
  resolvePath(path: string): string;
}

export function openForCommand({
  system,
  terminal,
}: Pick<CommandInvocation, "system" | "terminal">): OpenedHistory {
  const directories = requireDirectories(system);
  const { home, stateHome, projectRoot: project } = directories;
  const { config, notices } = loadConfig(system, directories);
  for (const notice of notices) terminal.warn(`Warning: ${notice.message}\n`);
  const workingDirectory = system.files.workingDirectory() ?? "/";
  return {
    history: openHistory(system, { stateHome, project }, config.history),
    home,
    project,
    settings: config.history,
    guard: config.guard,
    isKeeping: isHistoryOn(config),
    resolvePath: path => resolve(workingDirectory, expandHome(path, home)),
  };
}
