import { readText } from "../state/index.ts";
import { dirname, isInside, join, relative, type System } from "../system/index.ts";
import { createDisk, findRepository, type Repository, tracksAnything } from "../workspace/index.ts";
import type { HistoryContext } from "./context.ts";
import { type KnownModes, readModes, rememberModes } from "./file-modes.ts";
import { parseStatus, type WorkTreeStatus } from "./git-status.ts";
import { cachedRegenerable, Keeper, keeperLimits } from "./keeper.ts";
import { isSmallTree, readKnownStatus } from "./known-status.ts";
import { NOTHING_OVERWRITTEN, type OverwrittenIgnored, overwrittenIgnored } from "./overwritten-ignored.ts";
import { factsAt, type Seen } from "./path-state.ts";
import { removeLeftovers } from "./perform.ts";
import { noteUsage } from "./prune.ts";
import {
  type KnownSweep,
  openSeenCache,
  recallSweep,
  rememberSweep,
  type SeenCache,
  type Sweep,
} from "./sweep-cache.ts";
import { findFolders } from "./tree-folders.ts";
import { isGitEntry, walkTree } from "./walk.ts";

export interface SweepOptions {
  /** a git command is about to run */
  readonly isOfGit: boolean;
  /** ignored files are kept too, less what is regenerable */
  readonly withIgnored: boolean;
  /** files of these commits come over ignored ones, as a footprint names them */
  readonly commits?: readonly string[] | undefined;
}

const MAX_DEPTH = 4;
const MAX_GITMODULES = 256 * 1024;
const MAX_IGNORED_FILES = 20_000;

/** The work at risk around a directory, of submodules and repositories inside too. */
export async function sweepAround(
  keeper: Keeper,
  directory: string,
  project: string,
  options: SweepOptions,
): Promise<readonly Sweep[]> {
  const { system } = keeper.store;
  const repository = findRepository(createDisk(system), directory);
  if (repository?.top !== undefined) return sweepRepository(keeper, repository, options);
  if (repository !== undefined) return [];
  const root = isInside(project, directory) ? project : directory;
  return [sweepPlain(keeper, root)];
}

/** The working tree of a repository with the submodules that are checked out. */
export async function sweepRepository(
  keeper: Keeper,
  repository: Repository,
  asked: SweepOptions,
  depth = 0,
): Promise<readonly Sweep[]> {
  const { system } = keeper.store;
  const { top } = repository;
  if (top === undefined) return [];
  // An agent does not decide what is worth keeping by a line in `.gitignore`.
  const options = { ...asked, withIgnored: asked.withIgnored || keeper.rules.hasNewIgnoreRules() };
  const result = await readKnownStatus(keeper.store, repository, () =>
    keeper.msForGit(repository.gitDirectory),
  );
  if (!result.ok) {
    // Without an answer of git, all files are as good as untracked. What git itself changes needs git to come back.
    if (!keeper.isLate && !options.isOfGit) return [sweepPlain(keeper, top)];
    keeper.lose(top, result.problem);
    return [unfinished(repository, top)];
  }
  const { sweep, nested } =
    recallWork(keeper, repository, result.text, options) ??
    (await captureAnew(keeper, repository, result.text, options));
  const own: Sweep = { ...sweep, modes: findKnownModes(keeper, repository, result.isKnown === true) };
  if (depth >= MAX_DEPTH) return [own];
  const inner: Sweep[] = [];
  for (const path of [...listSubmodules(system, top), ...nested]) {
    const directory = join(top, path);
    const found = findRepository(createDisk(system), directory);
    if (found?.top === directory) inner.push(...(await sweepRepository(keeper, found, options, depth + 1)));
  }
  return [own, ...inner];
}

function findKnownModes({ store }: Keeper, repository: Repository, isKnown: boolean): KnownModes | undefined {
  if (isKnown) return readModes(store, repository.top ?? "");
  return isSmallTree(store.system, repository) ? rememberModes(store, repository) : undefined;
}

function unfinished({ gitDirectory }: Repository, root: string): Sweep {
  return {
    root,
    gitDirectory,
    head: undefined,
    seen: [],
    ignored: [],
    hasDirectories: false,
    isComplete: false,
  };
}

/** Undefined when something may be new. */
function recallWork(
  keeper: Keeper,
  { top = "", gitDirectory }: Repository,
  text: string,
  options: SweepOptions,
): KnownSweep | undefined {
  if (!isPlain(options)) return undefined;
  const known = recallSweep(keeper, top, text);
  if (known?.sweep.gitDirectory !== gitDirectory) return undefined;
  return known.sweep.hasDirectories && keeper.countKept(known.files, known.bytes) ? known : undefined;
}

/** Only what is asked for before most calls is remembered. */
function isPlain({ withIgnored, commits }: SweepOptions): boolean {
  return !withIgnored && commits === undefined;
}

async function captureAnew(
  keeper: Keeper,
  repository: Repository,
  text: string,
  options: SweepOptions,
): Promise<Pick<KnownSweep, "sweep" | "nested">> {
  const { commits, withIgnored } = options;
  const overwritten =
    commits === undefined || withIgnored
      ? NOTHING_OVERWRITTEN
      : await overwrittenIgnored(keeper, repository, parseStatus(text).ignored, commits);
  return captureWork(keeper, repository, text, options, overwritten);
}

function captureWork(
  keeper: Keeper,
  repository: Repository,
  text: string,
  options: SweepOptions,
  overwritten: OverwrittenIgnored,
): Pick<KnownSweep, "sweep" | "nested"> {
  const { top = "", gitDirectory } = repository;
  const status = parseStatus(text);
  const cache = openSeenCache(keeper.store, top);
  const { files, bytes } = keeper;
  const timeMs = keeper.store.system.clock.nowMs();
  const lostBefore = keeper.lost.length;
  const seen = new Map<string, Seen>();
  const paths = workPaths(keeper, top, status);
  const untouched = cache.findUntouched(paths);
  const capture = (path: string) => {
    if (seen.has(path)) return;
    const known = untouched.get(path);
    if (known?.state.kind === "file") keeper.addKept(1, known.state.size);
    seen.set(path, known ?? keeper.capture(path, undefined, cache.find(path)));
  };
  for (const path of paths) capture(path);
  // Of a submodule or linked worktree it is a file, which leads to the repository.
  if (factsAt(keeper.store.system.files, `${top}/.git`)?.kind === "file") capture(`${top}/.git`);
  const { kept, left, folders } = sortIgnored(keeper, repository, status.ignored, options.withIgnored);
  for (const path of [...kept, ...overwritten.paths]) capture(path);
  const leftOut = new Set(left);
  const leftKey = keyOfLeftOut(keeper, status, options);
  const lostFiles = keeper.lost.length;
  const directories = findFolders(keeper.store.system.files, top, cache.findFolders(leftKey), {
    isLeftOut: path => leftOut.has(path) || keeper.rules.isRegenerable(path),
    fail: (path, why) => keeper.lose(path, why),
    isLate: () => keeper.isLateInWalk(),
  });
  const hasDirectories = keeper.lost.length === lostFiles;
  for (const one of directories) if (!seen.has(one.path)) seen.set(one.path, one);
  const isComplete = keeper.lost.length === lostBefore;
  const others = seen.size;
  for (const one of captureConverted(keeper, top, status, cache))
    if (!seen.has(one.path)) seen.set(one.path, one);
  const all = [...seen.values()];
  const sweep: Sweep = {
    root: top,
    gitDirectory,
    head: status.head,
    seen: cache.save(all, hasDirectories ? leftKey : undefined),
    changed: changedFiles(status).length,
    converted: seen.size - others,
    ignored: left.filter(path => !overwritten.whole.includes(path)),
    hasDirectories,
    isComplete,
  };
  const { nested } = status;
  if (isPlain(options) && isComplete && folders !== undefined) {
    const known = { sweep, nested, files: keeper.files - files, bytes: keeper.bytes - bytes };
    rememberSweep(keeper, known, text, all, folders, timeMs);
  }
  return { sweep, nested };
}

/** What is larger or more than this is left to git. */
const MAX_CONVERTED_BYTES = 1024 * 1024;
const MAX_CONVERTED = 1_000;

/** Clean files that git need not bring back as they are on the disk. What cannot be kept here is not lost by that. */
function captureConverted(
  keeper: Keeper,
  top: string,
  { converted }: WorkTreeStatus,
  cache: SeenCache,
): readonly Seen[] {
  const { files } = keeper.store.system;
  return converted.slice(0, MAX_CONVERTED).flatMap(name => {
    const path = join(top, name);
    const facts = factsAt(files, path);
    if (facts?.kind !== "file" || facts.size > MAX_CONVERTED_BYTES) return [];
    const lost = keeper.lost.length;
    const found = keeper.capture(path, facts, cache.find(path));
    return keeper.lost.splice(lost).length === 0 ? found : [];
  });
}

/** Changed and untracked files; what has the name of build output counts only when it is tracked. */
export function workPaths(
  keeper: Pick<Keeper, "rules">,
  top: string,
  status: WorkTreeStatus,
): readonly string[] {
  const isOutput = cachedRegenerable(keeper, top);
  // Git gives clean paths, and there may be thousands.
  const start = top === "/" ? "/" : `${top}/`;
  return [
    ...changedFiles(status).map(({ path }) => start + path),
    ...status.untracked.map(path => start + path).filter(path => isOutput(parentPath(path)) === undefined),
  ];
}

/** Without submodules. */
function changedFiles({ changed }: WorkTreeStatus): WorkTreeStatus["changed"] {
  return changed.filter(({ mode }) => mode !== "160000");
}

/** As `dirname`, of a path that is clean and not the root. */
function parentPath(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

interface IgnoredPaths {
  readonly kept: readonly string[];
  readonly left: readonly string[];
  /** directories that were listed, with the stamps from before that; undefined when there were too many */
  readonly folders: ReadonlyMap<string, string> | undefined;
}

/** Ignored paths that are kept, and those that are not. */
function sortIgnored(
  keeper: Keeper,
  repository: Repository,
  ignored: readonly string[],
  keepsAll: boolean,
): IgnoredPaths {
  const { rules, store } = keeper;
  const { top = "" } = repository;
  // Git names what is ignored one by one where a rule in a directory speaks of its content.
  const isOutput = cachedRegenerable(keeper, top);
  const holdsTracked = trackedIn(keeper, repository);
  const kept: string[] = [];
  const left: string[] = [];
  const folders = new Map<string, string>();
  let isWhole = true;
  for (const name of ignored) {
    const path = join(top, name);
    if (!name.endsWith("/")) {
      const output = keepsAll ? isOutput(dirname(path)) : undefined;
      const isKept = rules.isPrecious(path) || (keepsAll && (output === undefined || holdsTracked(output)));
      (isKept ? kept : left).push(path);
      continue;
    }
    const above = isOutput(path);
    // Git names a directory as a whole only where it tracks nothing.
    const isLeft = above !== undefined && !(keepsAll && above !== path && holdsTracked(above));
    if (isLeft) {
      left.push(path);
      continue;
    }
    if (!keepsAll) left.push(path);
    let count = 0;
    folders.set(path, factsAt(store.system.files, path)?.stamp ?? "");
    const isWalked = walkTree(store.system.files, path, {
      visit(inner, facts) {
        if (facts.kind === "directory") {
          const isOutput = rules.isRegenerable(inner);
          if (keepsAll && !isOutput) kept.push(inner);
          if (isOutput || isGitEntry(inner)) return false;
          folders.set(inner, facts.stamp);
          return true;
        }
        if (keepsAll || rules.isPrecious(inner)) kept.push(inner);
        return true;
      },
      fail: (inner, why) => keepsAll && keeper.lose(inner, why),
      isLate: () => keeper.isLateInWalk() || ++count > MAX_IGNORED_FILES,
    });
    isWhole &&= isWalked;
    if (keepsAll) kept.push(path);
  }
  return { kept, left, folders: isWhole ? folders : undefined };
}

/** A directory in which git tracks something is not regenerable, whatever its name. */
function trackedIn({ store }: Keeper, repository: Repository): (directory: string) => boolean {
  const disk = createDisk(store.system);
  const known = new Map<string, boolean>();
  return directory => {
    const found =
      known.get(directory) ??
      tracksAnything(disk, repository, relative(repository.top ?? "", directory)) !== false;
    known.set(directory, found);
    return found;
  };
}

/** The same while the same directories are left out. */
function keyOfLeftOut({ rules }: Keeper, { ignored }: WorkTreeStatus, { withIgnored }: SweepOptions): string {
  return [rules.key, withIgnored, ...ignored.filter(path => path.endsWith("/"))].join("\0");
}

/** A project without git: all of its files, less what is regenerable. */
function sweepPlain(keeper: Keeper, root: string): Sweep {
  const { rules, store } = keeper;
  const cache = openSeenCache(store, root);
  const lostBefore = keeper.lost.length;
  const seen: Seen[] = [];
  walkTree(store.system.files, root, {
    visit(path, facts) {
      if (facts.kind === "directory" && (isGitEntry(path) || rules.isRegenerable(path))) return false;
      if (rules.isOutOfReach(path)) return false;
      seen.push(keeper.capture(path, facts, cache.find(path)));
      return true;
    },
    fail: (path, why) => keeper.lose(path, why),
    isLate: () => keeper.isLateInWalk(),
  });
  return {
    root,
    gitDirectory: undefined,
    head: undefined,
    seen: cache.save(seen),
    ignored: [],
    hasDirectories: true,
    isComplete: keeper.lost.length === lostBefore,
  };
}

/** Paths of submodules below the top, as `.gitmodules` names them. */
function listSubmodules(system: System, top: string): readonly string[] {
  if (factsAt(system.files, `${top}/.gitmodules`)?.kind !== "file") return [];
  const text = readText(system, `${top}/.gitmodules`, MAX_GITMODULES) ?? "";
  return [...text.matchAll(/^[ \t]*path[ \t]*=(.+)$/gm)].flatMap(([, path]) => path?.trim() || []);
}

/** Nobody waits for a call here, so that a first sweep can take longer. */
const PATIENCE = 10;

/** Keeps the work at risk around a directory ahead of the calls that may change it. */
export async function sweepProject(context: HistoryContext, directory: string): Promise<void> {
  const { store, rules, settings, places, system } = context;
  if (rules.isOutOfReach(directory) || isInside(directory, places.home)) return;
  removeLeftovers(store);
  const keeper = new Keeper(store, rules, keeperLimits(settings, PATIENCE));
  await sweepAround(keeper, directory, places.project, {
    isOfGit: false,
    withIgnored: false,
  });
  const repository = findRepository(createDisk(system), directory);
  if (repository !== undefined) rememberModes(store, repository);
  noteUsage(store);
}
