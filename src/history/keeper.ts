import type { HistorySettings } from "../config/index.ts";
import { isRegenerableInProject, isRegenerableName } from "../programs/index.ts";
import { isOfStateHome } from "../state/index.ts";
import {
  basename,
  components,
  dirname,
  type ExactFacts,
  hasErrorCode,
  isInside,
  leftMs,
  relative,
  type System,
  SystemError,
} from "../system/index.ts";
import {
  createDisk,
  findRepository,
  type IgnoreFile,
  isIgnoredByGit,
  matchesAnyPattern,
  parseIgnoreFile,
  type SessionWrites,
} from "../workspace/index.ts";
import type { ContentSource, NotKept } from "./change.ts";
import { factsAt, type Seen, toState } from "./path-state.ts";
import type { Store } from "./store.ts";

/** Where the call works, and what is said about the files there. */
export interface KeepPlaces {
  readonly project: string;
  readonly home: string;
  readonly stateHome: string;
  /** directories for temporary files, links resolved */
  readonly temps: readonly string[];
  /** `guard.paths.regenerable` */
  readonly regenerable: readonly string[];
  /** what the session of the call wrote: what git ignores by its rules is not ignored for keeping */
  readonly written?: () => SessionWrites | undefined;
}

/** Which files are kept. */
export interface KeepRules {
  /** the same for rules that say the same */
  readonly key: string;
  /** the user said that it is never kept */
  isExcluded(path: string): boolean;
  /** kept although git ignores it */
  isPrecious(path: string): boolean;
  /** a directory that a tool makes again, by its name or by configuration */
  isRegenerable(directory: string): boolean;
  /** nothing is kept there */
  isOutOfReach(path: string): boolean;
  /** the session itself wrote rules of what git ignores */
  hasNewIgnoreRules(): boolean;
}

/** What the hooks themselves write in a project. */
export const OWN_FILES = "/.claude/runtime";
const PRECIOUS = [".env*", "*.local", "*.sqlite", "*.sqlite3", "*.db"];

export function createKeepRules(
  system: Pick<System, "files" | "text">,
  settings: Pick<HistorySettings, "precious" | "exclude">,
  places: KeepPlaces,
): KeepRules {
  const { project, temps } = places;
  const excluded = compile(settings.exclude);
  const precious = compile([...PRECIOUS, ...settings.precious]);
  const configured = compile(places.regenerable);
  const matches = (patterns: IgnoreFile | undefined, path: string) =>
    patterns !== undefined &&
    matchesAnyPattern(patterns, components(isInside(project, path) ? relative(project, path) : path));
  return {
    get key() {
      return JSON.stringify([project, places.regenerable, settings.exclude, settings.precious]);
    },
    isExcluded: path => matches(excluded, path),
    isPrecious: path => matches(precious, path),
    isRegenerable(directory) {
      if (directory.endsWith(OWN_FILES)) return true;
      const name = basename(directory);
      const parent = basename(dirname(directory));
      const isListed =
        isRegenerableName(name) || (!isRegenerableName(parent) && isRegenerableInProject([parent, name]));
      if (isListed && isBuildOutput(system, directory, places.written)) return true;
      return isInside(project, directory) && matches(configured, directory);
    },
    isOutOfReach(path) {
      if (isOfStateHome(places.stateHome, path, project)) return true;
      return !isInside(project, path) && temps.some(temp => isInside(temp, path));
    },
    hasNewIgnoreRules() {
      const written = places.written?.();
      return [".gitignore", "exclude"].some(name => (written?.named(name).length ?? 0) > 0);
    },
  };
}

/** Marks and manifests by which tools make a directory of such a name again. */
const MARKS = [
  "CACHEDIR.TAG",
  "pyvenv.cfg",
  "CMakeCache.txt",
  ".rustc_info.json",
  ".package-lock.json",
  ".yarn-integrity",
  ".yarn-state.yml",
  ".modules.yaml",
];
const MANIFESTS: Readonly<Record<string, readonly string[]>> = {
  target: ["Cargo.toml", "pom.xml", "build.sbt"],
  build: ["build.gradle", "build.gradle.kts", "CMakeLists.txt"],
  dist: ["package.json", "pyproject.toml"],
  node_modules: ["package.json"],
  jspm_packages: ["package.json"],
  bower_components: ["bower.json"],
};

/** A name such as `log` or `node_modules` may be anybody's: git ignores it; outside git a tool's mark or manifest is there. */
function isBuildOutput(
  system: Pick<System, "files" | "text">,
  directory: string,
  written: KeepPlaces["written"],
): boolean {
  const disk = createDisk(system);
  const parent = dirname(directory);
  const top = findRepository(disk, parent)?.top;
  if (top !== undefined)
    return isIgnoredByGit({ disk, given: { written } }, top, components(relative(top, directory)));
  if (MARKS.some(name => disk.kind(`${directory}/${name}`) === "file")) return true;
  if (basename(directory) === "__pycache__")
    return disk.names(directory)?.every(name => /\.py[co]$/.test(name)) === true;
  return (MANIFESTS[basename(directory)] ?? []).some(name => disk.kind(`${parent}/${name}`) === "file");
}

function compile(patterns: readonly string[]): IgnoreFile | undefined {
  return patterns.length === 0 ? undefined : parseIgnoreFile("", patterns.join("\n"));
}

/** The directory, or one above it in the tree, that is regenerable. Thousands of files share few directories. */
export function cachedRegenerable(
  { rules }: { readonly rules: KeepRules },
  top: string,
): (directory: string) => string | undefined {
  const known = new Map<string, string | undefined>([[top, undefined]]);
  const look = (directory: string): string | undefined => {
    if (known.has(directory)) return known.get(directory);
    const output = look(dirname(directory)) ?? (rules.isRegenerable(directory) ? directory : undefined);
    known.set(directory, output);
    return output;
  };
  return directory => (isInside(top, directory) ? look(directory) : undefined);
}

const MEBIBYTE = 1024 * 1024;
/** Failures after which no other file fits either. */
const REFUSALS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the history cannot be written",
};

export interface KeeperLimits {
  readonly fileBytes: number;
  readonly callBytes: number;
  readonly callFiles: number;
  /** work that may be done, as time that it takes on a machine at leisure: the same on every machine */
  readonly workMs: number;
}

/** A large tree gets so many times the budget for git alone. */
const MAX_GIT = 10;
/** A file that is written all the time is kept as it was found last. */
const MAX_ATTEMPTS = 3;
/** What work takes on a machine at leisure, in milliseconds. */
const COPY_MS = 0.1;
const BYTES_IN_MS = 500_000;
const LOOK_MS = 0.01;
const DIRECTORY_MS = 0.05;
const GIT_START_MS = 10;
/** of the index: an entry has about a hundred, and is looked at in a few microseconds */
const INDEX_BYTES_IN_MS = 25_000;

/** What it takes to read or copy a file of that size. */
export function readingMs(bytes: number): number {
  return COPY_MS + bytes / BYTES_IN_MS;
}

/** `times` the budget, where nobody waits for a call. */
export function keeperLimits(settings: HistorySettings, times = 1): KeeperLimits {
  return {
    fileBytes: settings.maxFileMb * MEBIBYTE,
    callBytes: settings.maxCallMb * MEBIBYTE,
    callFiles: settings.maxCallFiles,
    workMs: settings.budgetMs * times,
  };
}

/** What an undo keeps of the present state is limited by the disk alone. */
export const NO_LIMITS: KeeperLimits = {
  fileBytes: Number.POSITIVE_INFINITY,
  callBytes: Number.POSITIVE_INFINITY,
  callFiles: Number.POSITIVE_INFINITY,
  workMs: Number.POSITIVE_INFINITY,
};

/** A directory that a call may take away, by its path and its device and inode. */
export interface LeftOut {
  readonly path: string;
  readonly identity: string;
}

/** Keeps the files of one call, within its limits. What does not fit is remembered with the reason. */
export class Keeper {
  readonly store: Store;
  readonly rules: KeepRules;
  readonly lost: NotKept[] = [];
  /** what a tool makes again, and of which no copy was made */
  readonly leftOut: LeftOut[] = [];
  files = 0;
  bytes = 0;
  private readonly limits: KeeperLimits;
  /** the store takes no more */
  private refusal: string | undefined;
  private workMs: number;
  private copies = 0;
  /** the same for git, which is asked for what it is quick at */
  private gitMs: number;

  constructor(store: Store, rules: KeepRules, limits: KeeperLimits) {
    this.store = store;
    this.rules = rules;
    this.limits = limits;
    this.workMs = limits.workMs;
    this.gitMs = limits.workMs * MAX_GIT;
  }

  /** The work is done that may be done, or the host waits no longer. */
  get isLate(): boolean {
    return this.workMs <= 0 || leftMs(this.store.system.clock) <= 0;
  }

  /** The same for a walk that comes to another directory. */
  isLateInWalk(): boolean {
    this.workMs -= DIRECTORY_MS;
    return this.isLate;
  }

  /** How long git may take; nothing where its index says that this is more work than a call may wait for. */
  msForGit(gitDirectory: string): number {
    const { system } = this.store;
    const bytes = system.files.inspect(`${gitDirectory}/index`)?.size ?? 0;
    this.gitMs -= GIT_START_MS + bytes / INDEX_BYTES_IN_MS;
    return this.gitMs <= 0 ? 0 : leftMs(system.clock);
  }

  lose(path: string, why: string, code?: string): ContentSource {
    this.lost.push(code === undefined ? { path, why } : { path, why, code });
    return { in: "nowhere", why };
  }

  /** Counts what is kept already; false, and nothing is counted, when it is more than one call may keep. */
  countKept(files: number, bytes: number): boolean {
    const { callBytes, callFiles } = this.limits;
    if (this.files + files > callFiles || this.bytes + bytes > callBytes) return false;
    this.addKept(files, bytes);
    return true;
  }

  addKept(files: number, bytes: number): void {
    this.files += files;
    this.bytes += bytes;
  }

  /**
   * What is at the path, with the content of a file kept. `known` was seen before: an untouched file is not read. A file
   * that is written while it is copied is copied again: what is said of it and its content are of one moment.
   */
  capture(
    path: string,
    facts = factsAt(this.store.system.files, path),
    known?: Seen,
    attempts = MAX_ATTEMPTS,
  ): Seen {
    const { files } = this.store.system;
    const stamp = facts?.stamp ?? "";
    this.workMs -= LOOK_MS;
    const { copies } = this;
    try {
      const state = toState(files, path, facts, found => this.keepContent(path, found, known));
      const now = this.copies > copies && attempts > 1 ? factsAt(files, path) : facts;
      return now?.stamp === facts?.stamp
        ? { path, state, stamp }
        : this.capture(path, now, known, attempts - 1);
    } catch (error) {
      // It vanished while it was looked at.
      if (hasErrorCode(error, "ENOENT", "EINVAL")) return { path, state: { kind: "absent" }, stamp: "" };
      throw error;
    }
  }

  private keepContent(path: string, facts: ExactFacts, known: Seen | undefined): ContentSource {
    if (known?.stamp === facts.stamp && known.state.kind === "file") {
      const { content } = known.state;
      if (content.in === "store" && this.store.hasObject(content.id)) {
        this.addKept(1, facts.size);
        return content;
      }
    }
    const why = this.whyNot(path, facts);
    if (why !== undefined) return this.lose(path, why);
    try {
      this.workMs -= readingMs(facts.size);
      const id = this.store.keepFile(path, facts.size);
      this.copies += 1;
      this.addKept(1, facts.size);
      return { in: "store", id };
    } catch (error) {
      if (!(error instanceof SystemError) || error.code === "ENOENT") throw error;
      this.refusal = REFUSALS[error.code];
      return this.lose(path, this.refusal ?? `it cannot be copied: ${error.code}`, error.code);
    }
  }

  private whyNot(path: string, { allocatedBytes, size }: ExactFacts): string | undefined {
    const { fileBytes, callBytes, callFiles } = this.limits;
    if (this.refusal !== undefined) return this.refusal;
    if (this.rules.isExcluded(path)) return "history.exclude names it";
    if (allocatedBytes > fileBytes) return `it is larger than ${fileBytes / MEBIBYTE} MB (history.maxFileMb)`;
    if (this.bytes + allocatedBytes > callBytes) return "the call would change too much (history.maxCallMb)";
    if (this.files >= callFiles) return "the call would change too many files (history.maxCallFiles)";
    // A file with holes takes as long to read as one without.
    if (size / BYTES_IN_MS > this.workMs) return "it takes too long to read (history.budgetMs)";
    return this.isLate ? "there was no time to copy it (history.budgetMs)" : undefined;
  }
}
