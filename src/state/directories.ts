import {
  ancestors,
  type Files,
  hasErrorCode,
  isAbsolute,
  isInside,
  join,
  normalise,
  type System,
  SystemError,
  sha256Hex,
} from "../system/index.ts";
import { clip } from "../text/index.ts";
import { Problem, StateError, tryList } from "./files.ts";
import { VARIABLES } from "./variables.ts";

/** The file of memories in the state home. */
export const MEMORY_DATABASE = "memory.db";

/**
 * Undefined when `HOME` is unset, not an absolute path, or not UTF-8: what stands in for its bytes would name another
 * directory, which nothing must be looked for or made in.
 */
export function findHome(system: Pick<System, "env">): string | undefined {
  const home = VARIABLES.HOME.tryGet(system);
  return home?.includes("\ufffd") === true ? undefined : home;
}

/** Where recipes and agents come from: `AMPLIHACK_HOME`, else `~/.amplihack`. A checkout may supply these. */
export function findAssetHome(system: Pick<System, "env">): string | undefined {
  return VARIABLES.AMPLIHACK_HOME.tryGet(system) ?? defaultHome(system);
}

/**
 * Where programs, configuration, grants, keys, memory, history and logs live: the place this program was installed in,
 * else `~/.amplihack`. No other variable moves it, so that no repository can supply what decides. Undefined when there
 * is no home directory.
 */
export function findStateHome(system: Pick<System, "env" | "installedIn">): string | undefined {
  return system.installedIn ?? defaultHome(system);
}

function defaultHome(system: Pick<System, "env">): string | undefined {
  const home = findHome(system);
  return home === undefined ? undefined : join(home, ".amplihack");
}

/** Where checkouts of tasks lie in the state home, by repository and branch. */
export const WORKSTREAMS = "workstreams";

/** Whether a path is ours. A checkout below the state home is somebody's work: one of a task, or the project at hand. */
export function isOfStateHome(stateHome: string, path: string, project: string | undefined): boolean {
  if (!isInside(stateHome, path) || isInside(join(stateHome, WORKSTREAMS), path)) return false;
  const isCheckout = project !== undefined && isInside(stateHome, project) && isInside(project, path);
  return !isCheckout || isInside(join(stateHome, "history"), path);
}

const LINK_LIMIT = 40;

/**
 * Where an absolute path leads once all symlinks and `..` are followed, whether or not its last parts exist yet:
 * a link that dangles is followed too, because a write through it would land there.
 */
export function resolvePath(files: Pick<Files, "inspect" | "readLink">, path: string): string {
  if (!isAbsolute(path)) throw new SystemError("EINVAL", "resolve", path);
  const pending = splitPath(path);
  // The root is the empty text here.
  let resolved = "";
  let links = 0;
  for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
    if (part === "..") {
      resolved = resolved.slice(0, Math.max(0, resolved.lastIndexOf("/")));
      continue;
    }
    const next = `${resolved}/${part}`;
    if (files.inspect(next)?.kind !== "symlink") {
      resolved = next;
      continue;
    }
    if (++links > LINK_LIMIT) throw new SystemError("ELOOP", "resolve", path);
    const target = files.readLink(next);
    if (isAbsolute(target)) resolved = "";
    pending.unshift(...splitPath(target));
  }
  return resolved === "" ? "/" : resolved;
}

function splitPath(path: string): string[] {
  return path.split("/").filter(part => part !== "" && part !== ".");
}

/** The resolved path when it is `root` or lies below it, both with their links followed; else `outside-root`. */
export function containPath(files: Pick<Files, "inspect" | "readLink">, root: string, path: string): string {
  const resolved = resolvePath(files, path);
  if (isInside(resolvePath(files, root), resolved)) return resolved;
  throw new StateError("outside-root", path, `${path} points outside ${root}; use a path inside it`);
}

/** A name that stays in its directory: no separator, no `..`, not empty, no NUL. */
export function checkFileName(name: string): string {
  if (name !== "" && name !== "." && !name.includes("..") && !/[/\\\0]/.test(name)) return name;
  throw new StateError(
    "unsafe-name",
    name,
    `"${name}" is not a plain file name; leave out "..", "/" and "\\"`,
  );
}

const SHOWN_LENGTH = 200;

/**
 * The directory the session works in: what the host's payload says when that is a directory, else the directory
 * of the process. Guards use this one; state uses the project root.
 */
export function findSessionDirectory(
  { files }: Pick<System, "files">,
  payloadCwd: string | undefined,
): string | undefined {
  if (payloadCwd !== undefined && isAbsolute(payloadCwd) && isDirectory(files, payloadCwd)) {
    return normalise(payloadCwd);
  }
  return files.workingDirectory();
}

/**
 * The project root, first match: `.claude` upward from the process's directory, the same from the session's,
 * `AMPLIHACK_ROOT`, the git top level of the session directory, the nearest manifest above it, the session directory.
 * The home directory and those above it count only for a session that works in the home directory itself. A `.claude`
 * that only our hooks wrote into marks nothing; directories for temporary files, and one that holds several
 * repositories, are no project. `/` when nothing is known.
 */
export function findProjectRoot(
  system: Pick<System, "files" | "env" | "installedIn">,
  payloadCwd: string | undefined,
): string {
  const { files } = system;
  const processDirectory = files.workingDirectory();
  const sessionDirectory = findSessionDirectory(system, payloadCwd) ?? "/";
  const isAcceptable = homeRule(system, sessionDirectory);
  const isTemporary = temporaryRoots(system);
  const upward = (from: string | undefined, isMarked: (directory: string) => boolean) =>
    from === undefined
      ? undefined
      : ancestors(from).find(
          directory =>
            directory !== "/" && isAcceptable(directory) && !isTemporary(directory) && isMarked(directory),
        );
  // What stands there is ours. Worktrees of tasks lie below it, each a project of its own.
  const stateHome = findStateHome(system);
  const isOfClaude = (directory: string) =>
    directory !== stateHome &&
    hasEntry(files, directory, ".claude") &&
    !isOwnFolder(files, join(directory, ".claude")) &&
    (directory === sessionDirectory || !holdsRepositories(files, directory));
  const hasManifest = (directory: string) =>
    MANIFESTS.some(name => hasEntry(files, directory, name)) && !holdsRepositories(files, directory);
  const configured = VARIABLES.AMPLIHACK_ROOT.tryGet(system);
  return (
    upward(processDirectory, isOfClaude) ??
    // Most sessions stand where their host started the hook: the same folders were looked at already.
    (sessionDirectory === processDirectory ? undefined : upward(sessionDirectory, isOfClaude)) ??
    (configured !== undefined && isAcceptable(configured) && hasEntry(files, configured, ".claude")
      ? configured
      : undefined) ??
    upward(sessionDirectory, directory => hasEntry(files, directory, ".git")) ??
    upward(sessionDirectory, hasManifest) ??
    sessionDirectory
  );
}

const MANIFESTS = [
  "package.json",
  "pyproject.toml",
  "setup.py",
  "Cargo.toml",
  "go.mod",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "CMakeLists.txt",
  "Gemfile",
  "composer.json",
  "mix.exs",
  "deno.json",
];
/** Folders with more names are looked at no further. */
const MAX_LISTED = 500;

function temporaryRoots({ files, env }: Pick<System, "files" | "env">): (directory: string) => boolean {
  const named = ["/tmp", "/var/tmp", "/private/tmp", "/dev/shm", env.get("TMPDIR")];
  const roots = new Set(named.flatMap(path => (path === undefined || path === "" ? [] : normalise(path))));
  const own = env.get("TMPDIR");
  if (own !== undefined && own !== "") roots.add(tryResolve(files, normalise(own)));
  return directory => roots.has(directory);
}

/** What hooks write at run time lies in `.claude/runtime`. */
function isOwnFolder(files: Files, path: string): boolean {
  const names = tryList(files, path);
  return names.length === 1 && names[0] === "runtime";
}

/** A folder in which people have their projects. */
function holdsRepositories(files: Files, directory: string): boolean {
  const names = tryList(files, directory);
  if (names.length > MAX_LISTED || names.includes(".git")) return false;
  let found = 0;
  for (const name of names) if (hasEntry(files, join(directory, name), ".git") && ++found > 1) return true;
  return false;
}

/** Where lock mode keeps its files: a `CLAUDE_PROJECT_DIR` with `.claude` goes first, for readers and writers. */
export function findLocksRoot(system: Pick<System, "files" | "env">, payloadCwd: string | undefined): string {
  const announced = VARIABLES.CLAUDE_PROJECT_DIR.tryGet(system);
  return announced !== undefined && hasEntry(system.files, announced, ".claude")
    ? announced
    : findProjectRoot(system, payloadCwd);
}

function homeRule(
  system: Pick<System, "files" | "env">,
  sessionDirectory: string,
): (directory: string) => boolean {
  const home = findHome(system);
  if (home === undefined) return () => true;
  const realHome = tryResolve(system.files, home);
  let isAtHome: boolean | undefined;
  const isSessionAtHome = () => {
    isAtHome ??= sessionDirectory === home || tryResolve(system.files, sessionDirectory) === realHome;
    return isAtHome;
  };
  return directory => {
    if (!isInside(directory, home) && !isInside(directory, realHome)) return true;
    return (directory === home || directory === realHome) && isSessionAtHome();
  };
}

/**
 * Where a session works, what could not be looked at and therefore counted as absent, in sentences. Not being there
 * is no failure.
 */
export function unseenPlaces(
  { files }: Pick<System, "files">,
  payloadCwd: string | undefined,
): readonly string[] {
  const cwd = payloadCwd !== undefined && isAbsolute(payloadCwd) ? payloadCwd : files.workingDirectory();
  if (cwd === undefined) return [];
  const place = failureAt(cwd, path => files.follow(path));
  if (place !== undefined) return [place];
  return [".claude", ".git"].flatMap(name => failureAt(join(cwd, name), path => files.inspect(path)) ?? []);
}

function failureAt(path: string, look: (path: string) => unknown): string | undefined {
  try {
    look(path);
    return undefined;
  } catch (error) {
    const why = error instanceof SystemError ? error.code : String(error);
    return `cannot look at ${clip(path, SHOWN_LENGTH)}: ${why}`;
  }
}

/** A place that cannot be looked at is no place for state; the caller goes on to the next. */
function hasEntry(files: Files, directory: string, name: string): boolean {
  try {
    return files.inspect(join(directory, name)) !== undefined;
  } catch {
    return false;
  }
}

function isDirectory(files: Files, path: string): boolean {
  try {
    return files.follow(path)?.kind === "directory";
  } catch {
    return false;
  }
}

function tryResolve(files: Files, path: string): string {
  try {
    return resolvePath(files, path);
  } catch {
    return path;
  }
}

type RuntimeSystem = Pick<System, "files" | "env" | "installedIn" | "leavesProjectsAlone" | "text">;

/**
 * A path below the run-time state of a project: `.claude/runtime`, where other programs of Claude Code's users look for
 * it, or in the state home where another agent works in a project without that folder. What was begun in one place stays
 * there. A repository must not choose where else we write: a link that leads out of the project is not followed.
 */
export function runtimePath(system: RuntimeSystem, root: string, ...parts: readonly string[]): string {
  const { files, text } = system;
  const path = join(root, ".claude", "runtime", ...parts);
  const isWelcome = system.leavesProjectsAlone?.() !== true || hasEntry(files, root, ".claude");
  const mayBeInProject = isWelcome && !leadsOutside(files, root, path);
  if (mayBeInProject && isDirectory(files, join(root, ".claude", "runtime"))) return path;
  const stateHome = findStateHome(system);
  // Without a home there is nowhere else to write, and below this file nothing can be made.
  if (stateHome === undefined) return mayBeInProject ? path : join("/dev/null", ...parts);
  const own = join(stateHome, "runtime", sha256Hex(text.encode(normalise(root))).slice(0, 16));
  return mayBeInProject && !isDirectory(files, own) ? path : join(own, ...parts);
}

function leadsOutside(files: Files, root: string, path: string): boolean {
  const below = ancestors(path).filter(each => each !== root && isInside(root, each));
  try {
    if (below.every(each => files.inspect(each)?.kind !== "symlink")) return false;
    return !isInside(resolvePath(files, root), resolvePath(files, path));
  } catch (error) {
    // What cannot be looked at cannot be written through; a ring of links leads nowhere.
    return hasErrorCode(error, "ELOOP");
  }
}

/**
 * Makes a directory below the run-time state, private. In a project it ignores itself, as test caches do: no file of
 * the project is changed to keep it out of git.
 */
export function makeRuntimeDirectory(
  system: RuntimeSystem,
  root: string,
  ...parts: readonly string[]
): string {
  const directory = runtimePath(system, root, ...parts);
  const { files } = system;
  const inProject = join(root, ".claude", "runtime");
  const isInProject = isInside(inProject, directory);
  if (files.follow(directory)?.kind !== "directory") {
    if (isInProject) files.makeDirectory(join(root, ".claude"), 0o755);
    files.makeDirectory(directory, 0o700);
  }
  const ignore = join(inProject, ".gitignore");
  if (isInProject && files.inspect(ignore) === undefined) ignoreAll(system, ignore);
  return directory;
}

const MAX_ROOT_BYTES = 4096;

/** Remembers for `uninstall` that a project has run-time state in it. */
export function noteRuntime(system: RuntimeSystem, root: string): void {
  const stateHome = findStateHome(system);
  if (stateHome === undefined || runtimePath(system, root) !== join(root, ".claude", "runtime")) return;
  const { files, text } = system;
  const note = join(notesFolder(stateHome), sha256Hex(text.encode(root)).slice(0, 16));
  if (files.inspect(note) !== undefined) return;
  files.makeDirectory(notesFolder(stateHome), 0o700);
  try {
    files.createExclusive(note, text.encode(root), 0o600);
  } catch (error) {
    // Another hook made it at the same moment.
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}

function notesFolder(stateHome: string): string {
  return join(stateHome, "runtime", "projects");
}

/** The run-time folders that lie in projects, as far as they are known and still there. */
export function runtimeFolders(system: Pick<System, "files" | "text">, stateHome: string): readonly string[] {
  const { files, text } = system;
  const folder = notesFolder(stateHome);
  if (files.inspect(folder)?.kind !== "directory") return [];
  return files.list(folder).flatMap(name => {
    const root = text.decode(files.read(join(folder, name), MAX_ROOT_BYTES)).text;
    const path = join(root, ".claude", "runtime");
    // Through a link we would remove what is not ours.
    const isOurs = [join(root, ".claude"), path].every(each => files.inspect(each)?.kind === "directory");
    return isAbsolute(root) && isOurs ? [path] : [];
  });
}

function ignoreAll({ files, text }: Pick<System, "files" | "text">, path: string): void {
  try {
    files.createExclusive(path, text.encode("*\n"), 0o600);
  } catch (error) {
    // Another hook made it at the same moment.
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}

/** Files of a project whose presence or content switches a check of the workflow off, or a mode on. */

/** Below a project or the working directory: with it power steering is off. */
export const DISABLED_FILE = ".disabled";
/** Below the run-time state of a project: what power steering remembers, with its own `.disabled`. */
export const POWER_STEERING_FOLDER = "power-steering";
/** In the folder of a session there: a person said that the work is complete. */
export const CONFIRMED_FILE = "user_confirmed_complete";
/** Below the run-time state of a project: the files of continuous-work mode. */
export const LOCKS_FOLDER = "locks";
/** Below `.claude/tools/amplihack` of a project: which checks are on. */
export const POWER_STEERING_CONFIG = ".power_steering_config";
export const CONSIDERATIONS_FILE = "considerations.yaml";
/** Variables that switch checks of the workflow off in the agent that is started with them. */
export const WORKFLOW_SWITCHES = ["AMPLIHACK_SKIP_POWER_STEERING", "AMPLIHACK_SKIP_REFLECTION"] as const;

/** The directories that everything else of a user and a project is found by. */
export interface UserDirectories {
  readonly home: string;
  /** programs, configuration, manifest, logs */
  readonly stateHome: string;
  readonly projectRoot: string;
}

/** By a directory of the project, the working directory when none is given. Throws without a home directory. */
export function requireDirectories(
  system: Pick<System, "env" | "files">,
  directory?: string,
): UserDirectories {
  const projectRoot = findProjectRoot(system, directory);
  const home = findHome(system);
  const stateHome = findStateHome(system);
  if (home === undefined || stateHome === undefined)
    throw new Problem("HOME is not set to an absolute path", {
      kind: "environment",
      fix: "set HOME to your home directory",
    });
  return { home, stateHome, projectRoot };
}
