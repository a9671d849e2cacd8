import { isAbsolute, isInside, join, normalise, type System } from "../system/index.ts";
import { findHome, findProjectRoot } from "./directories.ts";

const EXECUTABLE = 0o111;
const WRITABLE_BY_ALL = 0o002;
/** Folders of the system belong to no project, wherever a session happens to be. */
const SYSTEM_FOLDER = /^\/(?:usr|bin|sbin|opt|nix|snap|System|Library)(?:\/|$)/;

type SearchSystem = Pick<System, "env" | "files">;

/**
 * The folders of `PATH` from which we start programs: none of the project's, as package runners put there, and none
 * that everybody may write to. `directory` is where the program would run, the working directory when absent.
 */
export function programFolders(system: SearchSystem, directory?: string): readonly string[] {
  const listed = (system.env.get("PATH") ?? "").split(":").filter(isAbsolute).map(normalise);
  const projects = projectFolders(system, directory);
  return [...new Set(listed)].filter(folder => isSafe(system, folder, projects));
}

/** `PATH` for programs of ours, which start others by name in turn. */
export function programPath(system: SearchSystem, directory?: string): string {
  return programFolders(system, directory).join(":");
}

/** The program of that name, by its absolute path. */
export function findProgram(
  system: SearchSystem,
  name: string,
  {
    directory,
    isWanted = () => true,
  }: {
    readonly directory?: string | undefined;
    readonly isWanted?: (path: string) => boolean;
  } = {},
): string | undefined {
  return programFolders(system, directory)
    .map(folder => join(folder, name))
    .find(path => isExecutable(system, path) && !isOfProject(system, path, directory) && isWanted(path));
}

export function isExecutable({ files }: Pick<System, "files">, path: string): boolean {
  try {
    const facts = files.follow(path);
    return facts?.kind === "file" && (facts.mode & EXECUTABLE) !== 0;
  } catch {
    return false;
  }
}

/** A link in a good folder may lead into the project all the same. */
function isOfProject(system: SearchSystem, path: string, directory: string | undefined): boolean {
  const real = realOf(system, path);
  return real !== path && isBelow(projectFolders(system, directory), real);
}

function isSafe(system: SearchSystem, folder: string, projects: readonly string[]): boolean {
  const real = realOf(system, folder);
  if (isBelow(projects, folder) || isBelow(projects, real)) return false;
  try {
    const facts = system.files.follow(folder);
    return facts === undefined || (facts.mode & WRITABLE_BY_ALL) === 0;
  } catch {
    return false;
  }
}

function isBelow(projects: readonly string[], path: string): boolean {
  return !SYSTEM_FOLDER.test(path) && projects.some(project => isInside(project, path));
}

/** A session in the home directory, or above it, has no project of its own. */
function projectFolders(system: SearchSystem, directory: string | undefined): readonly string[] {
  const home = findHome(system);
  const places = [findProjectRoot(system, directory), system.files.workingDirectory(), directory];
  return [
    ...new Set(places.flatMap(place => (place === undefined ? [] : [place, realOf(system, place)]))),
  ].filter(place => place !== "/" && (home === undefined || !isInside(place, home)));
}

function realOf({ files }: Pick<System, "files">, path: string): string {
  try {
    return files.realPath(path);
  } catch {
    return path;
  }
}
