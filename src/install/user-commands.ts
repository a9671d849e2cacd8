import { isWrapper } from "../programs/index.ts";
import { readText, type UserDirectories } from "../state/index.ts";
import { dirname, join, type System } from "../system/index.ts";
import { isEphemeral } from "./ephemeral.ts";
import { findOnPath } from "./find-program.ts";
import { programFolder } from "./places.ts";
import { programWrapper } from "./wrapper.ts";

/** Commands for the user's shell, when `amplihack` would not be found there otherwise. */
export interface UserCommands {
  readonly wanted: readonly { readonly path: string; readonly text: string }[];
  readonly warnings: readonly string[];
  /** their folder, when the shell does not look there */
  readonly missingOnPath: string | undefined;
}

const NAMES = ["amplihack", "amplihack-hooks"];

export function planUserCommands(system: System, places: UserDirectories, version: string): UserCommands {
  const folder = join(places.home, ".local", "bin");
  const isLasting = (path: string) => !isEphemeral(path) && dirname(path) !== folder;
  if (findOnPath(system, "amplihack", isLasting) !== undefined)
    return { wanted: [], warnings: [], missingOnPath: undefined };
  const paths = NAMES.map(name => join(folder, name));
  const foreign = paths.filter(path => isForeign(system, path));
  const wanted = paths
    .filter(path => !foreign.includes(path))
    .map(path => {
      const command = [join(programFolder(places), path.slice(folder.length + 1))];
      return { path, text: programWrapper({ version, command }) };
    });
  const isOnPath = (system.env.get("PATH") ?? "").split(":").includes(folder);
  return {
    wanted,
    warnings: foreign.map(path => `${path} is not a file of amplihack, so it is left alone`),
    missingOnPath: isOnPath || wanted.length === 0 ? undefined : folder,
  };
}

const PROGRAM_BYTES = 256 * 1024 * 1024;

function isForeign(system: System, path: string): boolean {
  const text = readText(system, path, PROGRAM_BYTES);
  return text !== undefined && !isWrapper(text);
}
