import { type Json, stringAt } from "../../protocol/index.ts";
import { AtomicJsonFile, listIfThere } from "../../state/index.ts";
import { join, resolve, type System } from "../../system/index.ts";

/** A checkpoint holds the output of every step. */
export const MAX_CHECKPOINT_BYTES: number = 512 * 1024 * 1024;
const LAST = "last";
const SHOWN_IDS = 5;

export interface CheckpointSearch {
  readonly stateDir: string | undefined;
  readonly currentDir: string;
  /** `last` is the newest run of this recipe that worked in this directory */
  readonly recipeName: string;
  readonly workingDir: string;
}

export function checkpointPath(stateDir: string, runId: string): string {
  return join(stateDir, "checkpoints", `${runId}.json`);
}

/** The file that is meant by a path, a run id or the beginning of one, or `last`. Throws, saying why there is none. */
export function findCheckpoint(system: System, search: CheckpointSearch, argument: string): string {
  const { stateDir, currentDir } = search;
  if (argument.includes("/") || argument.endsWith(".json")) return resolve(currentDir, argument);
  if (!/^[A-Za-z0-9-]+$/.test(argument)) throw new Error(`'${argument}' is neither a run id nor a file`);
  if (stateDir === undefined) throw new Error("there is no home folder, so there are no checkpoints");
  const ids = listIds(system, stateDir);
  if (argument === LAST)
    return findLast(
      system,
      ids.map(id => checkpointPath(stateDir, id)),
      search,
    );
  const meant = ids.includes(argument) ? [argument] : ids.filter(id => id.startsWith(argument));
  if (meant.length <= 1) return checkpointPath(stateDir, meant[0] ?? argument);
  const more = meant.length > SHOWN_IDS ? ", …" : "";
  throw new Error(
    `${meant.length} runs begin with ${argument}: ${meant.slice(0, SHOWN_IDS).join(", ")}${more}`,
  );
}

function findLast(
  system: System,
  paths: readonly string[],
  { recipeName, workingDir }: CheckpointSearch,
): string {
  const found = paths
    .map(path => ({ path, modifiedMs: system.files.follow(path)?.modifiedMs ?? 0 }))
    .sort((one, other) => other.modifiedMs - one.modifiedMs)
    .find(({ path }) => {
      const run = readOrigin(system, path);
      return run?.recipeName === recipeName && run.workingDir === workingDir;
    });
  if (found === undefined) throw new Error(`no run of ${recipeName} in ${workingDir} is left to go on`);
  return found.path;
}

function readOrigin(system: System, path: string) {
  const parse = (value: Json) => ({
    recipeName: stringAt(value, "recipe_name"),
    workingDir: stringAt(value, "working_dir"),
  });
  return new AtomicJsonFile(path, { system, limitBytes: MAX_CHECKPOINT_BYTES, parse }).read();
}

function listIds({ files }: System, stateDir: string): readonly string[] {
  return listIfThere(files, join(stateDir, "checkpoints")).flatMap(name =>
    /^[A-Za-z0-9-]+\.json$/.test(name) ? [name.slice(0, -".json".length)] : [],
  );
}
