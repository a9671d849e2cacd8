import { type Config, loadConfig } from "../config/index.ts";
import { describeAddress, isServerUrl, readDatabaseUrl } from "../postgres/index.ts";
import {
  findHome,
  findProjectRoot,
  findStateHome,
  MEMORY_DATABASE,
  Problem,
  resolvePath,
  VARIABLES,
} from "../state/index.ts";
import { isAbsolute, join, type System } from "../system/index.ts";
import { createDisk, findRepository, remoteUrl } from "../workspace/index.ts";
import { MemoryError } from "./memory.ts";

/** What the work trees and clones of one project have in common on every machine: where they were cloned from. */
export function findProjectIdentity(
  system: Pick<System, "files" | "text">,
  directory: string,
): string | undefined {
  const disk = createDisk(system);
  const repository = findRepository(disk, directory);
  const url = repository === undefined ? undefined : remoteUrl(disk, repository, "origin");
  return url === undefined ? undefined : normaliseRemote(url);
}

const URL_FORM = /^(?:[a-z][a-z0-9+.-]*):\/\/(?:[^/@]*@)?(\[[^\]]+\]|[^/:]+)(?::\d*)?\/(.+)$/i;
/** `git@host:path`, as scp has it. */
const SCP_FORM = /^(?:[^/@:]+@)?(\[[^\]]+\]|[^/:\\]{2,}):(?!\/\/)(.+)$/;

/**
 * `github.com/acme/pay` for every way to write it, without user, password and port. Undefined for a folder on this
 * machine, which means nothing on another.
 */
export function normaliseRemote(url: string): string | undefined {
  if (/^file:/i.test(url)) return undefined;
  const [, host = "", path = ""] = URL_FORM.exec(url) ?? SCP_FORM.exec(url) ?? [];
  const name = path
    .replace(/[?#].*$/, "")
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "");
  return host === "" || name === "" ? undefined : `${host.toLowerCase()}/${name}`;
}

/** A folder is known on one machine alone, and what counts for every project is its owner's. */
export function isSharedProject(project: string): boolean {
  return project !== "" && !isAbsolute(project);
}

/** Counts for every project. */
export const ALL_PROJECTS = "";

/** Where memories of the work at hand are kept, and what is configured about them. */
export interface MemoryPlace {
  readonly projectRoot: string;
  readonly databasePath: string;
  readonly config: Pick<Config, "memory" | "reflect">;
}

/** By the working directory. What is wrong in configuration files is told to `warn` and does not count. */
export function findMemoryPlace(system: System, warn: (message: string) => void): MemoryPlace {
  if (VARIABLES.AMPLIHACK_HOME.isSet(system)) VARIABLES.AMPLIHACK_HOME.getOrError(system);
  const projectRoot = findProjectRoot(system, undefined);
  const home = findHome(system);
  const stateHome = findStateHome(system);
  if (home === undefined || stateHome === undefined) {
    throw new MemoryError(
      "unavailable",
      "there is no home directory to keep memories in",
      "set HOME to an absolute path",
    );
  }
  const { config, notices } = loadConfig(system, { home, stateHome, projectRoot });
  for (const notice of notices) if (notice.scope !== "project") warn(notice.message);
  return { projectRoot, databasePath: join(stateHome, MEMORY_DATABASE), config };
}

/**
 * What a project's memories are filed under: first what new ones get, then what earlier ones may have. It is
 * `AMPLIHACK_PROJECT_ID`, or for a team where the project was cloned from, or else where it lies, links resolved.
 */
export function projectScopes(
  system: System,
  { config }: Pick<MemoryPlace, "config">,
  projectRoot: string,
): readonly [string, ...string[]] {
  const announced = announcedProject(system);
  if (announced !== undefined) return [announced];
  const path = resolvePath(system.files, projectRoot);
  const identity = config.memory.url === undefined ? undefined : findProjectIdentity(system, path);
  return identity === undefined ? [path] : [identity, path];
}

/** What is stored by hand counts for every project unless `AMPLIHACK_PROJECT_ID` names one. */
export function manualScope(system: System): string {
  return announcedProject(system) ?? ALL_PROJECTS;
}

/** The project at hand, for the team; throws where there is none to share with, or where nobody else has the project. */
export function sharedScope(system: System, place: MemoryPlace): string {
  const [scope] = projectScopes(system, place, place.projectRoot);
  if (place.config.memory.url === undefined)
    throw new MemoryError("invalid", "there is no team to share memories with", "set memory.url");
  if (isSharedProject(scope)) return scope;
  throw new MemoryError(
    "invalid",
    "this project has no git remote called origin, so others cannot have it",
    "name it with AMPLIHACK_PROJECT_ID",
  );
}

function announcedProject(system: System): string | undefined {
  const { AMPLIHACK_PROJECT_ID } = VARIABLES;
  return AMPLIHACK_PROJECT_ID.tryGet(system);
}

/** A team and its database in words, by which a copy knows whose it is. Undefined without a usable URL: syncing tells why. */
export function teamOrigin({ memory }: Pick<Config, "memory">): string | undefined {
  if (memory.url === undefined) return undefined;
  if (isServerUrl(memory.url)) return `team ${memory.team} of ${memory.url}`;
  try {
    return `team ${memory.team} of ${describeAddress(readDatabaseUrl(memory.url, "configuration"))}`;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
