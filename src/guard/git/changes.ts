import {
  changesOfGit,
  commitsWritten,
  runsHooks,
  staysInRepository,
  takesIgnored,
  writtenByGit,
} from "../../programs/index.ts";
import { concatenate, describe, knownText, text, type Value } from "../../shell/index.ts";
import { compileGlob, isInside, join, matchesGlob, relative } from "../../system/index.ts";
import {
  findRepository,
  isIgnoredNow,
  matchesAnyPattern,
  parseIgnoreFile,
  partsBelow,
  type Repository,
  tracksAnything,
  type Workspace,
} from "../../workspace/index.ts";
import type { FootprintRepository, FootprintTarget, TakenWork } from "../footprint.ts";
import { findNewTree, type GitRun } from "./run.ts";

/** What a run of git changes, and where. */
export interface RunChanges {
  readonly repository: FootprintRepository | undefined;
  /** beside what git manages; relative to the directory of the run */
  readonly paths: readonly { readonly path: Value; readonly how: FootprintTarget["how"] }[];
  /** a program of others runs, or files appear whose names are not known */
  readonly isBeyond: boolean;
}

export function changesOfRun(run: GitRun, workspace: Workspace): RunChanges {
  const { repository } = run;
  const { files, state } = changesOfGit(run);
  const commits = commitsWritten(run);
  const takesWork = workTakenBy(run, workspace);
  const paths = [
    ...writtenByGit(run).map(path => ({ path, how: "write" as const })),
    ...otherTrees(run, workspace),
  ];
  if (!files && !state) return { repository: undefined, paths, isBeyond: false };
  const hasHooks = repository !== undefined && runsHooks(run) && hasHook(repository, workspace);
  return {
    repository:
      repository === undefined
        ? undefined
        : {
            top: repository.top,
            gitDirectory: repository.gitDirectory,
            changesFiles: files || hasHooks,
            changesState: state,
            ...(takesIgnored(run) ? { changesIgnored: true } : {}),
            ...(readTaking(run, false)?.takesRepositories === true ? { changesNested: true } : {}),
            ...(commits === undefined ? {} : { commits }),
            ...(takesWork === undefined ? {} : { takesWork: [takesWork] }),
          },
    paths,
    // A new tree is a path of its own; elsewhere a repository that is not found may be anywhere.
    isBeyond: !staysInRepository(run) || (repository === undefined && !/^(clone|init)$/.test(run.subcommand)),
  };
}

/** Work that is in no commit and that a run puts away, throws away, or takes to another branch. */
function workTakenBy(run: GitRun, workspace: Workspace): TakenWork | undefined {
  const { subcommand, options } = run;
  const untracked = untrackedTaken(run);
  if (untracked === undefined) return undefined;
  const operands = options.operandValues.slice(
    isStashWord(run) ? 1 : 0,
    subcommand === "mv" && !options.has("f", "force") ? -1 : undefined,
  );
  const named = operands.flatMap(value => knownText(value) ?? []);
  const isThere = (spec: string) =>
    /[*?[:]|^\.\.?$/.test(spec) || covering(run, spec, workspace) !== undefined;
  // Where a branch is named, all of the tree comes under it.
  const isOfPaths =
    subcommand !== "switch" &&
    subcommand !== "reset" &&
    named.length > 0 &&
    (options.endOfOptions !== undefined || named.some(isThere));
  const isKnown = named.length === operands.length;
  return {
    untracked,
    ignored: ignoredTaken(run),
    covers: path =>
      !isExcluded(run, path) &&
      (!isOfPaths || !isKnown || named.some(spec => coversPath(run, spec, path, workspace))),
  };
}

/** `git clean -e` leaves what matches; with `-X` that goes too. */
function isExcluded({ subcommand, options, repository }: GitRun, path: string): boolean {
  const top = repository?.top;
  if (subcommand !== "clean" || options.has("X") || top === undefined) return false;
  const rules = options.valuesOf("e", "exclude").flatMap(rule => knownText(rule) ?? []);
  const parts = rules.length === 0 ? undefined : partsBelow(top, path);
  return parts !== undefined && matchesAnyPattern(parseIgnoreFile(top, rules.join("\n")), parts);
}

function covering(run: GitRun, spec: string, { disk }: Workspace): string | undefined {
  const start = knownText(run.directory);
  return start === undefined ? undefined : disk.kind(disk.resolve(join(start, spec), false));
}

/** What of the files that git does not track a run takes; undefined when it takes no work at all. */
function untrackedTaken(run: GitRun): TakenWork["untracked"] | undefined {
  const { subcommand, options } = run;
  switch (subcommand) {
    case "reset":
      return options.has("hard", "merge") ? "none" : undefined;
    case "restore":
      return options.has("S", "staged") && !options.has("W", "worktree") ? undefined : "none";
    case "checkout":
    case "switch":
      return "none";
    case "mv":
      return "too";
    case "rm":
      return options.has("f", "force") && !options.has("cached") ? "none" : undefined;
    case "clean":
      return isForcedClean(run, false) ? "only" : undefined;
    case "stash": {
      const [first] = options.operandValues;
      const isPush = first === undefined || isStashWord(run) || options.endOfOptions !== undefined;
      return isPush ? (options.has("u", "a", "include-untracked", "all") ? "too" : "none") : undefined;
    }
    default:
      return undefined;
  }
}

function ignoredTaken({ subcommand, options }: GitRun): TakenWork["ignored"] {
  if (subcommand === "clean") return options.has("X") ? "only" : options.has("x") ? "too" : "none";
  return subcommand === "stash" && options.has("a", "all") ? "too" : "none";
}

function isStashWord({ subcommand, options }: GitRun): boolean {
  const [first] = options.operandValues;
  return subcommand === "stash" && first !== undefined && /^(push|save)$/.test(describe(first));
}

/** Trees that are not the one of the run: new ones, worktrees that go or move, settings of the user. */
function otherTrees(run: GitRun, { home }: Workspace): RunChanges["paths"] {
  const [action, first, second] = run.options.operandValues;
  const tree = findNewTree(run);
  if (tree !== undefined) {
    // In a directory that has files already, `init` only adds its own.
    const isAdded = run.subcommand === "init" && !run.options.has("bare");
    if (isAdded && run.repository?.top === knownText(tree)) return [];
    return [{ path: isAdded ? concatenate([tree, text("/.git")]) : tree, how: "write" }];
  }
  const word = action === undefined ? undefined : describe(action);
  if (run.subcommand === "worktree" && first !== undefined && (word === "remove" || word === "move"))
    return [
      { path: first, how: "delete" },
      ...(second === undefined ? [] : [{ path: second, how: "write" as const }]),
    ];
  if (run.subcommand !== "config" || !changesOfGit(run).state) return [];
  if (run.options.has("global")) return [{ path: text(`${home}/.gitconfig`), how: "write" }];
  const file = run.options.valueOf("f", "file");
  return file === undefined ? [] : [{ path: file, how: "write" }];
}

/** A hook of the repository, or of a directory that its settings name. */
function hasHook({ commonDirectory }: Repository, { disk }: Workspace): boolean {
  if (/hooksPath/i.test(disk.text(`${commonDirectory}/config`, 64 * 1024) ?? "")) return true;
  return disk.names(`${commonDirectory}/hooks`)?.some(name => !name.endsWith(".sample")) === true;
}

/** What a run takes out of the working tree of what git does not track. */
interface Taking {
  /** of what git ignores: nothing, also that, or only that */
  readonly ignored: "none" | "too" | "only";
  /** rules of the command line, beside or instead of those of files */
  readonly rules: readonly string[];
  readonly hasFileRules: boolean;
  /** also repositories that lie inside */
  readonly takesRepositories: boolean;
  /** undefined: the run says it for the whole working tree */
  readonly pathspecs: readonly Value[] | undefined;
}

/** Whether `git clean` deletes at all; its question reads the answer from stdin. */
export function isForcedClean({ options, settings }: GitRun, hasStdin: boolean): boolean {
  const isFree = settings.some(
    ({ key, value }) => key === "clean.requireforce" && /^(false|no|off|0)$/i.test(value),
  );
  return !options.isOn("n") && (options.mayBeOn("f") || isFree || (options.has("i") && hasStdin));
}

/** Whether a run takes away a path that git does not track, with everything in it. */
export function takesUntracked(run: GitRun, path: string, workspace: Workspace, hasStdin: boolean): boolean {
  const top = run.repository?.top;
  const parts = partsBelow(top, path) ?? [];
  const taking = parts.length === 0 || parts[0] === ".git" ? undefined : readTaking(run, hasStdin);
  if (top === undefined || run.repository === undefined || taking === undefined) return false;
  if (!isNamed(run, taking, path, workspace)) return false;
  const { disk } = workspace;
  if (!taking.takesRepositories && findRepository(disk, path)?.top !== top) return false;
  if (tracksAnything(disk, run.repository, parts.join("/")) === true) return false;
  const isRuled =
    (taking.hasFileRules && isIgnoredNow(workspace, top, parts)) ||
    (taking.rules.length > 0 && matchesAnyPattern(parseIgnoreFile(top, taking.rules.join("\n")), parts));
  return taking.ignored === "too" || isRuled === (taking.ignored === "only");
}

function readTaking(run: GitRun, hasStdin: boolean): Taking | undefined {
  const { subcommand, options, directory } = run;
  const operands = options.operandValues;
  // What git ignored and tracks from now on goes with the next stash or branch, of which nobody is asked.
  if (subcommand === "add" && options.has("f") && !options.isOn("n"))
    return {
      ignored: "too",
      rules: [],
      hasFileRules: true,
      takesRepositories: false,
      pathspecs: operands.length === 0 ? undefined : operands,
    };
  if (subcommand === "clean") {
    // Without a path it works where it stands, and goes into no directory of which git knows nothing.
    if (!isForcedClean(run, hasStdin) || (operands.length === 0 && !options.has("d"))) return undefined;
    return {
      ignored: options.has("X") ? "only" : "none",
      rules: options.valuesOf("e", "exclude").flatMap(rule => knownText(rule) ?? []),
      hasFileRules: !options.has("x") || options.has("X"),
      takesRepositories: options.options.filter(({ name }) => name === "f").length > 1,
      pathspecs: operands.length === 0 ? [directory] : operands,
    };
  }
  if (subcommand !== "stash" || !options.has("a", "u")) return undefined;
  const [first] = options.operands;
  const action =
    first === undefined || first.index > (options.endOfOptions ?? first.index) ? undefined : first;
  const word = action === undefined ? "push" : knownText(action.value);
  if (word !== "push" && word !== "save") return undefined;
  const named = word === "save" ? [] : operands.slice(action === undefined ? 0 : 1);
  return {
    ignored: options.has("a") ? "too" : "none",
    rules: [],
    hasFileRules: true,
    takesRepositories: false,
    pathspecs: named.length === 0 ? undefined : named,
  };
}

function isNamed(run: GitRun, { pathspecs }: Taking, path: string, workspace: Workspace): boolean {
  if (pathspecs === undefined) return !isInPackages(run.repository?.top ?? "/", path);
  const known = pathspecs.flatMap(value => knownText(value) ?? []);
  const isLeftOut = (spec: string) => /^:(?:[!^]|\([^)]*exclude)/.test(spec);
  const left = known.filter(isLeftOut).map(spec => spec.replace(/^:(?:[!^]|\([^)]*\))/, ""));
  const named = known.filter(spec => !isLeftOut(spec));
  const covers = (spec: string) => coversPath(run, spec, path, workspace);
  // Only told what to leave, it works where it stands.
  const isCovered = named.length === 0 && left.length > 0 ? covers(".") : named.some(covers);
  return isCovered && !left.some(covers);
}

function coversPath(run: GitRun, spec: string, path: string, { disk }: Workspace): boolean {
  const isFromTop = /^:(?:\/|\([^)]*top)/.test(spec);
  const start = isFromTop ? run.repository?.top : knownText(run.directory);
  if (start === undefined) return false;
  const bare = spec.replace(/^:(?:\/|\([^)]*\))/, "");
  if (!/[*?[]/.test(bare)) {
    const place = disk.resolve(bare.startsWith("/") ? bare : join(start, bare), false);
    return isInside(path, place) || (isInside(place, path) && !isInPackages(place, path));
  }
  // Git's `*` goes through folders.
  const glob = compileGlob(bare, "fnmatch");
  const below = [path, ...(disk.names(path) ?? []).map(name => join(path, name))];
  const around = partsBelow(start, path)?.map((_, index, all) => all.slice(0, index).join("/")) ?? [];
  return [...around, ...below.map(one => relative(start, one))].some(one => matchesGlob(glob, one));
}

/** Packages of a project go and come back together. */
function isInPackages(place: string, path: string): boolean {
  return place.endsWith("/node_modules") || partsBelow(place, path)?.includes("node_modules") === true;
}
