import { type FileFacts, isAbsolute, isInside, join, normalise, type System } from "../system/index.ts";
import { findHome, findProjectRoot } from "./directories.ts";
import { readText } from "./files.ts";

const EXECUTABLE = 0o111;
const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;
const ROOT = 0;
/** In a namespace of users, files of root and of all others that it does not have. */
const UNMAPPED = 65_534;
const MAX_ACCOUNT_BYTES = 4 * 1024 * 1024;
/** Folders of the system belong to no project, wherever a session happens to be. */
const SYSTEM_FOLDER = /^\/(?:usr|bin|sbin|opt|nix|snap|System|Library)(?:\/|$)/;

const SYSTEM_PATH = ["/usr/bin", "/bin"] as const;

type SearchSystem = Pick<System, "env" | "files" | "text">;

/**
 * The folders of `PATH` from which we start programs: none of the project's, as package runners put there, and none
 * that others may write to. `directory` is where the program would run, the working directory when absent.
 */
export function programFolders(system: SearchSystem, directory?: string): readonly string[] {
  const listed = (system.env.get("PATH") ?? "").split(":").filter(isAbsolute).map(normalise);
  const projects = projectFolders(system, directory);
  const self = ownUid(system);
  return [...new Set(listed)].filter(folder => isSafe(system, folder, projects, self));
}

/** `PATH` for programs of ours, which start others by name in turn. An empty one would mean the working directory. */
export function programPath(system: SearchSystem, directory?: string): string {
  const folders = programFolders(system, directory);
  return (folders.length === 0 ? SYSTEM_PATH : folders).join(":");
}

/** What to start for a name: always a path, so that nobody looks for the name again. Where there is none, nothing starts. */
export function programToStart(system: SearchSystem, name: string, directory?: string): string {
  return findProgram(system, name, { directory }) ?? `${SYSTEM_PATH[0]}/${name}`;
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
  const real = realPathOrSame(system, path);
  return real !== path && isBelow(projectFolders(system, directory), real);
}

function isSafe(
  system: SearchSystem,
  folder: string,
  projects: readonly string[],
  self: number | undefined,
): boolean {
  const real = realPathOrSame(system, folder);
  if (isBelow(projects, folder) || isBelow(projects, real)) return false;
  try {
    const facts = system.files.follow(folder);
    return facts === undefined || !isWrittenByOthers(system, folder, facts, self);
  } catch {
    return false;
  }
}

/**
 * Others are everybody, another user who owns it, and the other members of its group. Many systems give each user a group
 * of their own, and folders that it may write to.
 */
function isWrittenByOthers(
  system: SearchSystem,
  folder: string,
  { mode, uid, gid }: FileFacts,
  self: number | undefined,
): boolean {
  if ((mode & WRITABLE_BY_ALL) !== 0) return true;
  const isOwn = self === undefined || uid === self || uid === ROOT || uid === UNMAPPED;
  // System folders belong to the users that an administrator gave them to.
  if (!isOwn && !SYSTEM_FOLDER.test(folder)) return true;
  return (mode & WRITABLE_BY_GROUP) !== 0 && hasOtherMembers(system, gid, self);
}

function ownUid(system: SearchSystem): number | undefined {
  const home = findHome(system);
  return (
    system.files.follow("/proc/self")?.uid ??
    (home === undefined ? undefined : system.files.follow(home)?.uid)
  );
}

/** By the accounts of this machine; what a directory service knows beside them is not seen. */
function hasOtherMembers(system: SearchSystem, gid: number, self: number | undefined): boolean {
  const users = accounts(system, "/etc/passwd").map(([name, , uid, primary]) => ({
    name,
    uid: Number(uid),
    gid: Number(primary),
  }));
  const isOther = (uid: number | undefined) => uid !== ROOT && uid !== self;
  const listed = accounts(system, "/etc/group")
    .filter(([, , id]) => Number(id) === gid)
    .flatMap(([, , , members = ""]) => members.split(",").filter(name => name !== ""));
  return (
    users.some(user => user.gid === gid && isOther(user.uid)) ||
    listed.some(name => isOther(users.find(user => user.name === name)?.uid))
  );
}

/** Lines of names and numbers between colons. */
function accounts(system: SearchSystem, path: string): readonly (readonly string[])[] {
  try {
    const text = readText(system, path, MAX_ACCOUNT_BYTES) ?? "";
    return text.split("\n").flatMap(line => (line.startsWith("#") || line === "" ? [] : [line.split(":")]));
  } catch {
    return [];
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
    ...new Set(places.flatMap(place => (place === undefined ? [] : [place, realPathOrSame(system, place)]))),
  ].filter(place => place !== "/" && (home === undefined || !isInside(place, home)));
}

function realPathOrSame({ files }: Pick<System, "files">, path: string): string {
  try {
    return files.realPath(path);
  } catch {
    return path;
  }
}
