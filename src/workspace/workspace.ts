import { BUILT_IN, type GuardSettings } from "../config/index.ts";
import { type EnvironmentReader, RELOCATIONS } from "../hosts/index.ts";
import { wordSet } from "../shell/index.ts";
import {
  ancestors,
  components,
  dirname,
  expandHome,
  isAbsolute,
  isInside,
  leftMs,
  normalise,
  resolve,
  type System,
} from "../system/index.ts";
import { createDisk, type Disk } from "./disk.ts";
import type { SessionFacts } from "./session-facts.ts";

/** What the caller knows. Everything absent is unknown, never guessed. */
export interface Surroundings {
  /** the session's directory, absolute */
  readonly cwd: string;
  readonly home: string;
  /** the directory that the call itself names, from which it runs; relative to the session's */
  readonly directory?: string | undefined;
  readonly system: Pick<System, "files" | "text">;
  readonly settings?: GuardSettings | undefined;
  /** directory of the hook process: a second one that must not vanish */
  readonly processDirectory?: string | undefined;
  readonly previousCwd?: string | undefined;
  readonly tmpdir?: string | undefined;
  readonly user?: string | undefined;
  /** where programs are looked for, as `PATH` has it */
  readonly searchPath?: string | undefined;
  /** whether the environment brings a function of this name, or a file that every shell loads first */
  readonly isShadowed?: ((name: string) => boolean) | undefined;
  /** what a variable of the environment holds; without it nothing is known of them */
  readonly variable?: ((name: string) => string | undefined) | undefined;
  /** whether the environment holds something that looks like a secret; not known when absent */
  readonly hasSecretVariables?: (() => boolean) | undefined;
  /** `~A`: the guard's own configuration, grants, keys and programs */
  readonly stateHome?: string | undefined;
  /** folders of hosts that a variable moved, with what they stand for below the home directory */
  readonly hostFolders?: readonly HostFolder[] | undefined;
  /** asked only where it matters who wrote a file; undefined when nothing is recorded */
  readonly written?: (() => SessionWrites | undefined) | undefined;
  /** what else is known of the session; undefined when nothing was noted */
  readonly facts?: SessionFacts | undefined;
  /** told what was found in a text of the session, for the next call */
  readonly onJudged?: ((entry: string) => void) | undefined;
  /** told what the call would bring from another machine, as `fetched` of the facts has it */
  readonly onFetched?: ((entry: string) => void) | undefined;
  /** told of a file into which the call packs a secret, as `packed` of the session's facts keeps it */
  readonly onPacked?: ((entry: string) => void) | undefined;
  readonly nowMs?: number | undefined;
  /** true once the time for an answer is nearly over: what is not examined by then is asked about */
  readonly isLate?: (() => boolean) | undefined;
  /** the tool runs PowerShell text, not shell text */
  readonly isPowerShell?: boolean | undefined;
}

export interface HostFolder {
  readonly path: string;
  readonly folder: string;
}

/** The context with every place found once, links resolved. */
export interface Workspace<Given extends Surroundings = Surroundings> {
  readonly given: Given;
  readonly settings: GuardSettings;
  readonly disk: Disk;
  readonly cwd: string;
  /** where the call runs: the session's directory, unless it names another */
  readonly directory: string;
  readonly home: string;
  /** session and process directories: neither they nor anything above may vanish */
  readonly heldDirectories: readonly string[];
  /** top of the repository around the session, else the session's directory; undefined for home or a system tree */
  readonly project: string | undefined;
  readonly temps: readonly string[];
  readonly stateHomes: readonly string[];
  /** the audit log where it does not lie in a state home, by each of its names */
  readonly auditLogs: readonly string[];
}

/** The context of a call that names its own directory. */
export function inDirectory<Context extends Surroundings>(
  context: Context,
  directory: string | undefined,
): Context {
  return directory === undefined ? context : { ...context, directory };
}

/** The folders of hosts that variables moved. */
export function findHostFolders(env: EnvironmentReader): readonly HostFolder[] {
  return RELOCATIONS.flatMap(({ variable, folder }) => {
    const path = env.get(variable) ?? "";
    return isAbsolute(path) ? [{ path: normalise(path), folder }] : [];
  });
}

/**
 * The host's own limit is near, so that the call is asked about and does not pass unseen. Bounds are amounts of work and
 * end every judgement long before, on a busy machine as well.
 */
export function isAnswerDue({ clock }: Pick<System, "clock">): () => boolean {
  return () => leftMs(clock) <= 0;
}

const TEMPS = wordSet(
  "/dev/shm /tmp /var/tmp /private/tmp /private/var/tmp /var/folders /private/var/folders",
);

export function survey<Given extends Surroundings>(given: Given): Workspace<Given> {
  return new SurveyedWorkspace(given, createDisk(given.system));
}

/** The same places, and a disk on which links are known that the command makes. */
export function withDisk<Given extends Surroundings>(
  workspace: Workspace<Given>,
  disk: Disk,
): Workspace<Given> {
  return new SurveyedWorkspace(workspace.given, disk, workspace.disk);
}

/** A class, so that all judgements have one shape: every rule reads its members. What few need is looked up late. */
class SurveyedWorkspace<Given extends Surroundings> implements Workspace<Given> {
  readonly given: Given;
  readonly settings: GuardSettings;
  readonly disk: Disk;
  readonly cwd: string;
  readonly directory: string;
  readonly home: string;
  /** where the places are looked up */
  private readonly before: Disk;
  private held: readonly string[] | undefined;
  private states: readonly string[] | undefined;
  private logs: readonly string[] | undefined;
  private temporary: readonly string[] | undefined;
  private found: { readonly root: string | undefined } | undefined;

  constructor(given: Given, disk: Disk, before = disk) {
    const cwd = before.resolve(normalise(given.cwd), true);
    const home = before.resolve(normalise(given.home), true);
    const named = given.directory === undefined ? undefined : resolve(cwd, expandHome(given.directory, home));
    this.given = given;
    this.settings = given.settings ?? BUILT_IN.guard;
    this.disk = disk;
    this.cwd = cwd;
    this.directory = named === undefined ? cwd : before.resolve(named, true);
    this.home = home;
    this.before = before;
    this.held = undefined;
    this.states = undefined;
    this.logs = undefined;
    this.temporary = undefined;
    this.found = undefined;
  }

  get heldDirectories(): readonly string[] {
    if (this.held === undefined) {
      const { processDirectory = this.cwd } = this.given;
      this.held = [...new Set([this.cwd, this.before.resolve(processDirectory, true)])];
    }
    return this.held;
  }

  get stateHomes(): readonly string[] {
    if (this.states === undefined) {
      const usual = `${this.home}/.amplihack`;
      const { stateHome = usual } = this.given;
      this.states = withResolved(this.before, stateHome === usual ? [usual] : [usual, stateHome]);
    }
    return this.states;
  }

  get auditLogs(): readonly string[] {
    if (this.logs === undefined) {
      const file = configuredAuditLog(this.settings, this.home);
      this.logs = file === undefined ? [] : withResolved(this.before, [file]);
    }
    return this.logs;
  }

  get project(): string | undefined {
    this.found ??= { root: findProject(this.before, this) };
    return this.found.root;
  }

  get temps(): readonly string[] {
    if (this.temporary === undefined) {
      const { before, cwd, home } = this;
      const places = { cwd, home, tmpdir: this.given.tmpdir, configured: this.settings.paths.temp };
      this.temporary = [...withResolved(before, TEMPS.list), ...findTemps(before, places)];
    }
    return this.temporary;
  }
}

/** Where the configuration puts the audit log; a relative path belongs to the home directory. */
export function configuredAuditLog({ audit }: GuardSettings, home: string): string | undefined {
  return audit.file === undefined ? undefined : resolve(home, expandHome(audit.file, home));
}

/** The paths, and what links in them lead to. */
function withResolved(disk: Disk, paths: readonly string[]): readonly string[] {
  const all: string[] = [];
  for (const path of paths) {
    if (!all.includes(path)) all.push(path);
    const resolved = disk.resolve(path, true);
    if (!all.includes(resolved)) all.push(resolved);
  }
  return all;
}

/**
 * The nearest directory with a `.git` entry, else the session's own; home and what lies above it is no project, nor is
 * a temporary directory without a repository.
 */
function findProject(disk: Disk, workspace: Pick<Workspace, "cwd" | "home" | "temps">): string | undefined {
  const { cwd, home } = workspace;
  const candidates = ancestors(cwd).filter(path => path !== "/" && !isInside(path, home) && !isTooHigh(path));
  const repository = candidates.find(path => disk.kind(`${path}/.git`) !== undefined);
  if (repository !== undefined) return repository;
  // A home in a temporary directory holds projects as any other.
  const isTemporary = workspace.temps.some(
    temp => isInside(temp, cwd) && !(isInside(temp, home) && isInside(home, cwd)),
  );
  return isTemporary ? undefined : candidates.find(path => path === cwd);
}

/** `/home`, `/usr`, `/tmp`: a `.git` there does not make every file below it ours. */
function isTooHigh(path: string): boolean {
  return TEMPS.has(path) || (dirname(path) === "/" && SYSTEM_TOPS.has(path.slice(1)));
}

export const SYSTEM_TOPS = wordSet(`
  bin boot dev etc home lib lib32 lib64 libx32 opt proc root run sbin srv sys usr var System Library Applications
  Users private cores Volumes mnt media lost+found snap nix
`);

interface TempPlaces {
  readonly cwd: string;
  readonly home: string;
  /** as the environment has it */
  readonly tmpdir: string | undefined;
  /** as the configuration has them */
  readonly configured: readonly string[];
}

/** Directories for temporary files besides those that every system has, links resolved. */
function findTemps(disk: Disk, places: TempPlaces): readonly string[] {
  const { tmpdir, configured, home, cwd } = places;
  const accept = (path: string, isConfigured: boolean): readonly string[] => {
    if (!isAbsolute(path)) return [];
    const named = normalise(path);
    const found = [...new Set([named, disk.resolve(named, true)])];
    return found.every(one => mayBeTemporary(disk, one, { home, cwd }, isConfigured)) ? found : [];
  };
  return [
    ...(tmpdir === undefined ? [] : accept(tmpdir, false)),
    ...configured.flatMap(path => accept(path, true)),
  ];
}

const TEMPORARY_NAME = /^\.?(te?mp([-_.].*)?|temporary.*|cache|caches|scratch|t)$/i;
const ALWAYS = /^\/(?:private\/)?(?:tmp|var\/tmp|var\/folders|dev\/shm)(?:\/|$)/;

/**
 * A directory that is said to be temporary counts as such only where that loosens nothing: not the system's own trees,
 * not a home or what lies above one, not the project. In a home and in a project its name must say so, too.
 */
function mayBeTemporary(
  disk: Disk,
  path: string,
  { home, cwd }: Pick<TempPlaces, "home" | "cwd">,
  isConfigured: boolean,
): boolean {
  const parts = components(path);
  const [top = "", second = ""] = parts;
  if (ALWAYS.test(path)) return true;
  if (SYSTEM_TREES.has(top) || /^(root|Applications|cores)$/.test(top) || isInside(path, home)) return false;
  // `/scratch` is a directory of its own beside those of the system.
  if (parts.length < 2) return isTemporaryName(top);
  if (top === "var" && (parts.length === 2 || /^(lib|spool|log|backups|www)$/.test(second))) return false;
  const isNamed = (below: string) => components(path).slice(components(below).length).some(isTemporaryName);
  if (isInside(cwd, path)) return path !== cwd && isNamed(cwd);
  if (isInside(path, cwd) && ancestors(path).some(at => disk.kind(`${at}/.git`) !== undefined)) return false;
  if (isInside(home, path)) return isNamed(home) || (isConfigured && isDeep(home, path));
  if (top === "home" || top === "Users") return isNamed(`/${top}/${second}`) && parts.length > 2;
  return true;
}

function isTemporaryName(name: string): boolean {
  return TEMPORARY_NAME.test(name);
}

function isDeep(home: string, path: string): boolean {
  return components(path).length > components(home).length + 1;
}

/** Trees whose every file belongs to the system; of the others in the root set only the top does. */
export const SYSTEM_TREES = wordSet(
  "bin boot dev etc lib lib32 lib64 libx32 proc sbin sys usr System Library nix snap",
);

/** What this session wrote so far, as the history records it. Paths are absolute, links resolved. */
export interface SessionWrites {
  /** it made or changed the file */
  hasWritten(path: string): boolean;
  /** a call of it that goes on in the background names the file as one that it writes */
  mayStillWrite(path: string): boolean;
  /** all of them, those of the last calls last */
  files(): readonly string[];
  /** the files that it made or changed and that have this last name */
  named(name: string): readonly string[];
  /** the text of a file before the session changed it first; undefined when that is not kept */
  textBefore(path: string): string | undefined;
  /** where files were that the session moved below this directory */
  movedInto(directory: string): readonly string[];
  /** the files of a change, by its id or the beginning of it: whoever is shown the change reads them */
  changedBy(id: string): readonly string[];
}
