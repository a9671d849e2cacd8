import {
  ancestors,
  type Files,
  isAbsolute,
  isInside,
  join,
  normalise,
  type System,
  SystemError,
} from "../system/index.ts";
import { clip } from "../text/index.ts";
import { findHome } from "./homes.ts";
import { resolvePath } from "./path-containment.ts";
import { VARIABLES } from "./variables.ts";

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
  system: Pick<System, "files" | "env">,
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
  const isOfClaude = (directory: string) =>
    hasEntry(files, directory, ".claude") &&
    !isOwnFolder(files, join(directory, ".claude")) &&
    (directory === sessionDirectory || !holdsRepositories(files, directory));
  const hasManifest = (directory: string) =>
    MANIFESTS.some(name => hasEntry(files, directory, name)) && !holdsRepositories(files, directory);
  const configured = VARIABLES.AMPLIHACK_ROOT.tryGet(system);
  return (
    upward(processDirectory, isOfClaude) ??
    upward(sessionDirectory, isOfClaude) ??
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
  const names = listNames(files, path);
  return names.length === 1 && names[0] === "runtime";
}

/** A folder in which people have their projects. */
function holdsRepositories(files: Files, directory: string): boolean {
  const names = listNames(files, directory);
  if (names.length > MAX_LISTED || names.includes(".git")) return false;
  let found = 0;
  for (const name of names) if (hasEntry(files, join(directory, name), ".git") && ++found > 1) return true;
  return false;
}

function listNames(files: Files, path: string): readonly string[] {
  try {
    return files.list(path);
  } catch {
    return [];
  }
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
  const isSessionAtHome = () =>
    sessionDirectory === home || tryResolve(system.files, sessionDirectory) === realHome;
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
