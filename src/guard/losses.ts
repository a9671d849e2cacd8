import type { RuleId } from "../config/index.ts";
import {
  isDistinctiveName,
  isJunkName,
  isRegenerableName,
  isRegenerablePattern,
  movedByGit,
  tellsAllChanges,
} from "../programs/index.ts";
import { knownText, type Piece, type Value, wordSet } from "../shell/index.ts";
import { ancestors, basename, components, dirname, isInside, join, relative } from "../system/index.ts";
import {
  classifyPath,
  componentCouldBe,
  componentCouldBeInAnyShell,
  type Disk,
  expandTarget,
  partsBelow,
  plainName,
  resolveTargets,
  SYSTEM_TOPS,
  type Target,
  type Workspace,
  type Zone,
} from "../workspace/index.ts";
import { type Actor, type CommandEffect, type RuleContext, targetsForWord } from "./rule-context.ts";

/** Why losing a target matters: the rule, and what of it would go. */
export interface Loss {
  readonly rule: Extract<RuleId, `fs.${string}`>;
  readonly target: string;
  /** the working directory that would vanish */
  readonly held?: string;
  /** each of the things in the project by itself, and not the project */
  readonly isChildren?: boolean;
}

type Component = readonly Piece[];

const LOSS_OF_ZONE: Readonly<Partial<Record<Zone, Loss["rule"]>>> = {
  root: "fs.root",
  system: "fs.system-write",
  home: "fs.home",
  project: "fs.project",
  history: "fs.project",
  source: "fs.source",
  "temp-root": "fs.outside",
  "local-software": "fs.outside",
  outside: "fs.outside",
};

/** What is lost when the target and everything below it goes. */
export function lossOfTree(workspace: Workspace, target: Target): readonly Loss[] {
  const { path, base, shown } = target;
  if (target.isRemote) return lossElsewhere(target);
  if (path !== undefined) return lossOfPath(workspace, path);
  if (base !== undefined) return lossOfPattern(workspace, target, base);
  return endsRegenerable(target) ? [] : [{ rule: "fs.unresolved", target: shown }];
}

function lossOfPath(workspace: Workspace, path: string): readonly Loss[] {
  const rule = LOSS_OF_ZONE[classifyPath(workspace, path)];
  const held = workspace.heldDirectories.find(directory => isInside(path, directory));
  const losses: Loss[] =
    rule === undefined || (rule === "fs.source" && isFile(workspace, path)) ? [] : [{ rule, target: path }];
  if (held === undefined) return losses;
  const vanished: Loss = { rule: "fs.cwd", target: path, held };
  return rule === "fs.root" || rule === "fs.home" ? [...losses, vanished] : [vanished, ...losses];
}

/** A single file of the project, by what it is or, when it is not there, by its name. */
function isFile({ disk }: Workspace, path: string): boolean {
  const kind = disk.kind(path);
  return kind === undefined ? /[^/]\.[A-Za-z][A-Za-z0-9]{0,5}$/.test(path) : kind !== "directory";
}

/** Directories whose children count as the system, too, on another machine. */
const DEEP_TOPS = wordSet("home usr var etc lib Users");

/** On another machine only the general sets are known; the rest of an absolute path may be data of others. */
function lossElsewhere(target: Target): readonly Loss[] {
  const { path, base, shown } = target;
  if (path === undefined && endsRegenerable(target)) return [];
  if (path === undefined && base === undefined)
    return /^[^$/]*~/.test(shown) ? [] : [{ rule: "fs.unresolved", target: shown }];
  const parts = components(path ?? join(base ?? "/", "x"));
  if (/^\/(tmp|var\/tmp)\/./.test(path ?? shown) || parts.some(isDistinctiveName)) return [];
  const [top = "", second] = parts;
  const isTop = parts.length <= 1 || (parts.length === 2 && DEEP_TOPS.has(top) && second !== "www");
  const isSystem = isTop && (top === "" || SYSTEM_TOPS.has(top) || base === "/");
  return [{ rule: isSystem ? "fs.root" : "fs.outside", target: shown }];
}

const FREE_ZONES: ReadonlySet<Zone> = new Set(["temp", "regenerable"]);

/** Patterns and unknown parts below a known directory: judged by what they could name. */
function lossOfPattern(workspace: Workspace, target: Target, base: string): readonly Loss[] {
  const { rest, shown } = target;
  const unknowns = rest.flat().filter(piece => piece.kind === "unknown");
  // An unknown name is one name that cannot be foreseen; a pattern takes whatever is there.
  const reached = unknowns.length > 0 ? [] : reachedPlaces(workspace, base, rest);
  if (reached.length > 0) {
    const placesOf = (rule: Loss["rule"]) => reached.filter(place => place.rule === rule);
    const worst = (["fs.root", "fs.home", "fs.project"] as const).find(rule => placesOf(rule).length > 0);
    const held: Loss[] =
      placesOf("fs.cwd").length > 0 ? [{ rule: "fs.cwd", target: shown, held: workspace.cwd }] : [];
    if (worst === undefined) return held;
    const isChildren = placesOf(worst).every(({ paths }) => paths.length > 1);
    return [...held, { rule: worst, target: shown, isChildren }];
  }
  if (rest.some(part => plainName(part) === "..")) return lossOfPath(workspace, base);
  const zone = classifyPath(workspace, base);
  if (FREE_ZONES.has(zone) || zone === "temp-root") return [];
  if (classifyPath(workspace, join(base, ANYTHING[0])) === "regenerable") return [];
  if (zone !== "root" && zone !== "system" && endsRegenerable(target)) return [];
  if (unknowns.some(piece => piece.shape !== "token")) return [{ rule: "fs.unresolved", target: shown }];
  const [first] = rest;
  if (rest.length === 1 && first !== undefined) {
    const names = workspace.disk.names(base)?.filter(name => componentCouldBe(first, name)) ?? [];
    const paths = names.map(name => join(base, name));
    if (paths.length > 0 && !isAnyName(first)) return lossOfPaths(workspace, paths, shown);
    if (paths.length > 0 && paths.every(path => FREE_ZONES.has(classifyPath(workspace, path)))) return [];
  }
  return lossOfChildren(workspace, zone, target, base);
}

/** One loss of each rule, told as the loss of the pattern. */
function lossOfPaths(workspace: Workspace, paths: readonly string[], target: string): readonly Loss[] {
  const byRule = new Map<string, Loss>();
  for (const loss of paths.flatMap(path => lossOfPath(workspace, path)))
    if (!byRule.has(loss.rule)) byRule.set(loss.rule, { ...loss, target });
  return [...byRule.values()];
}

function lossOfChildren(workspace: Workspace, zone: Zone, target: Target, base: string): readonly Loss[] {
  const { rest, shown } = target;
  const isPartOfHome = zone === "home" && base !== workspace.home && !isAnyName(rest.at(-1) ?? []);
  const rule = zone === "project" ? "fs.source" : isPartOfHome ? "fs.outside" : LOSS_OF_ZONE[zone];
  return rule === undefined ? [] : [{ rule, target: shown }];
}

/** A directory, or names of which a pattern that takes everything there matches each. */
interface ProtectedPlace {
  readonly paths: readonly string[];
  readonly rule: Loss["rule"];
}

const knownPlaces = new WeakMap<Workspace, readonly ProtectedPlace[]>();

/** The directories that a pattern can reach. */
function reachedPlaces(workspace: Workspace, base: string, rest: readonly Component[]) {
  const places = knownPlaces.get(workspace) ?? listPlaces(workspace);
  knownPlaces.set(workspace, places);
  return places.filter(({ paths }) => paths.every(path => couldName(base, rest, path)));
}

/** The directories a pattern must not reach. Names that stand for "everything here" reveal `*`. */
function listPlaces({ home, project, heldDirectories }: Workspace): readonly ProtectedPlace[] {
  const placesOf = (rule: Loss["rule"], paths: readonly string[]) =>
    paths.map(path => ({ paths: [path], rule }));
  const everythingIn = (rule: Loss["rule"], path: string) => ({
    paths: ANYTHING.map(name => `${path}/${name}`),
    rule,
  });
  const tops = SYSTEM_TOPS.list.map(top => `/${top}`);
  return [
    ...placesOf("fs.cwd", heldDirectories.flatMap(ancestors)),
    ...placesOf("fs.root", [...tops, "/usr/lib", "/usr/bin", "/etc/passwd", "/var/lib"]),
    ...placesOf("fs.home", [home, `${home}/Documents`, `${home}/.ssh`]),
    everythingIn("fs.home", "/home"),
    everythingIn("fs.home", "/Users"),
    ...(project === undefined
      ? []
      : [...placesOf("fs.project", [project, `${project}/.git`]), everythingIn("fs.project", project)]),
  ];
}

/** Names that have nothing in common: only a pattern for everything matches both. */
const ANYTHING = ["qzx7qzx", "k_5-wvu"] as const;

function couldName(base: string, rest: readonly Component[], path: string): boolean {
  const parts = partsBelow(base, path);
  return parts !== undefined && restCouldBe(rest, parts);
}

function restCouldBe(rest: readonly Component[], parts: readonly string[]): boolean {
  const [first, ...others] = rest;
  if (first === undefined) return parts.length === 0;
  const [head, ...tail] = parts;
  if (head === undefined) return false;
  if (patternText(first) === "**" && restCouldBe(rest, tail)) return true;
  return componentCouldBe(first, head) && restCouldBe(others, tail);
}

/** The last components name build output or junk, whatever stands in front. */
export function endsRegenerable({ rest }: Target): boolean {
  const isWide = rest.length > 0 && isAnyName(rest.at(-1) ?? []);
  return (isWide ? rest.slice(0, -1) : rest).some((part, index) => {
    const name = plainName(part);
    if (name !== undefined)
      return isDistinctiveName(name) || (index > 0 && isRegenerableName(name)) || isJunkName(name);
    const pattern = patternText(part);
    return pattern !== undefined && isRegenerablePattern(pattern);
  });
}

export function isAnyName(component: Component): boolean {
  return ANYTHING.every(name => componentCouldBe(component, name));
}

/** The component as a pattern text; undefined when something in it is unknown. */
function patternText(component: Component): string | undefined {
  let pattern = "";
  for (const piece of component) {
    if (piece.kind === "unknown") return undefined;
    pattern += piece.kind === "text" ? piece.text : piece.pattern;
  }
  return pattern;
}

/**
 * Deleting or moving this loses nothing, as was seen on the disk: nothing is there, or an empty directory, or a link,
 * which is only itself. What the command makes before it deletes it is not there yet.
 */
export function losesNothing(context: RuleContext, effect: CommandEffect): boolean {
  if ((effect.kind !== "delete" && effect.kind !== "move") || effect.by.place.kind !== "local") return false;
  // What is shredded is what a link leads to.
  const isFollowed = effect.kind === "delete" && effect.isShredded === true;
  const word = effect.kind === "delete" ? effect.path : effect.from;
  // What another program lists is judged by what it may list.
  const isListed = effect.kind === "delete" && effect.selection !== undefined;
  const targets = targetsForWord(context, word, effect.by, isFollowed);
  const isNothing = (target: Target) => {
    if (target.isRemote) return false;
    if (target.path !== undefined) return isNothingAt(context, target.path, effect.by);
    return !isListed && findsNothing(context, target, effect.by);
  };
  return targets.length > 0 && targets.every(isNothing);
}

/** A pattern that finds no name, in no shell, or only names of nothing. */
function findsNothing(context: RuleContext, target: Target, by: Actor): boolean {
  const { disk } = context.workspace;
  const { base } = target;
  if (base === undefined || NOT_PLAIN.test(base)) return false;
  // A directory that cannot be looked at may hold anything, and so may one that comes to be.
  if (!disk.isAbsent(base) && disk.kind(base) !== "directory") return false;
  if (movedTo(context, base, by).length > 0 || mayAppear(context, base, by)) return false;
  const found = expandTarget(disk, target, false, componentCouldBeInAnyShell);
  if (found === undefined || found.trees.length > 0) return false;
  return found.paths.every(path => isNothingAt(context, path, by));
}

function isNothingAt(context: RuleContext, path: string, by: Actor): boolean {
  const { disk } = context.workspace;
  if (NOT_PLAIN.test(path)) return false;
  if (movedTo(context, path, by).length > 0) return false;
  if (disk.isAbsent(path)) return !mayAppear(context, path, by);
  return disk.kind(path) === "symlink" || holdsNothing(disk, path);
}

/** Nothing is there, or an empty directory. */
export function holdsNothing(disk: Disk, path: string | undefined): boolean {
  if (path === undefined) return false;
  return disk.isAbsent(path) || (disk.kind(path) === "directory" && disk.names(path)?.length === 0);
}

/** Outside the project an earlier program of the command may bring there what is of others: it mounts, it fetches. */
function mayAppear({ workspace, facts }: RuleContext, path: string, { invocation }: Actor): boolean {
  const zone = classifyPath(workspace, path);
  if (zone !== "outside" && zone !== "home") return false;
  return facts.invocations.some(other => other.id < (invocation?.id ?? 0) && !tellsAllChanges(other));
}

/** `C:Users`, `*`, `%X%`, `{{name}}` and unseen characters may mean more to other shells and systems than a name. */
const NOT_PLAIN = /\/[A-Za-z]:|[*?%!{}$]|[^ -~\u00a0-\ud7ff]/;

const MAX_MOVES = 16;

/**
 * Where the content of a path comes from when earlier parts of the same command moved it there: after `mv src x`,
 * losing `x` is losing `src`.
 */
export function movedTo(context: RuleContext, path: string, by: Actor, depth = 0): readonly string[] {
  if (depth > MAX_MOVES) return [];
  return listMoves(context).flatMap(({ effect, ...move }) => {
    if (!isEarlier(effect, by)) return [];
    const source = isInside(path, move.to)
      ? move.from
      : isInside(move.to, path)
        ? join(move.from, relative(move.to, path))
        : undefined;
    if (source === undefined || source === path) return [];
    const further = movedTo(context, source, effect.by, depth + 1);
    return further.length > 0 ? further : [source];
  });
}

/**
 * The directory of which earlier calls of the session moved files to a place that is made again. They are not, and
 * they are gone from where they were.
 */
export function movedEarlier({ workspace }: RuleContext, path: string): readonly string[] {
  const { given } = workspace;
  if (given.written === undefined || classifyPath(workspace, path) !== "regenerable") return [];
  const sources = given.written()?.movedInto(path) ?? [];
  const lost = sources.map(dirname).find(directory => classifyPath(workspace, directory) === "source");
  return lost === undefined ? [] : [lost];
}

function isEarlier(effect: CommandEffect, { invocation }: Actor): boolean {
  const id = effect.by.invocation?.id;
  return id !== undefined && invocation !== undefined && id < invocation.id;
}

interface Move {
  readonly effect: CommandEffect;
  readonly from: string;
  readonly to: string;
}

const knownMoves = new WeakMap<readonly CommandEffect[], readonly Move[]>();

/** Found once: thousands of words may be deleted by one command. */
function listMoves(context: RuleContext): readonly Move[] {
  const { effects } = context;
  const moves = knownMoves.get(effects) ?? effects.flatMap(effect => movesIn(effect, context));
  knownMoves.set(effects, moves);
  return moves;
}

function movesIn(effect: CommandEffect, { workspace }: RuleContext): readonly Move[] {
  const { disk } = workspace;
  const { place } = effect.by;
  return wordsOfMoves(effect).flatMap(words => {
    const [to] = resolveTargets(disk, words.to, words.cwd, place, { followsLast: false });
    const sources = resolveTargets(disk, words.from, words.cwd, place, { followsLast: false });
    const path = to?.path;
    if (path === undefined) return [];
    const isInto =
      knownText(words.to)?.endsWith("/") === true || disk.kind(disk.resolve(path, true)) === "directory";
    return sources.flatMap(sourcePlaces(disk)).map(from => ({
      effect,
      from,
      to: isInto || knownText(words.from) === undefined ? join(path, basename(from)) : path,
    }));
  });
}

const MAX_SOURCES = 64;

/** The paths that a source names; of one that is only known in part, the directory that it is in. */
function sourcePlaces(disk: Disk): (source: Target) => readonly string[] {
  return source => {
    if (source.isRemote) return [];
    const found = expandTarget(disk, source, false);
    if (found !== undefined && found.trees.length === 0 && found.paths.length <= MAX_SOURCES)
      return found.paths;
    return source.base === undefined ? [] : [source.base];
  };
}

interface MoveWords {
  readonly from: Value;
  readonly to: Value;
  readonly cwd: Value;
}

function wordsOfMoves(effect: CommandEffect): readonly MoveWords[] {
  if (effect.kind === "move")
    return effect.to === undefined ? [] : [{ from: effect.from, to: effect.to, cwd: effect.by.cwd }];
  if (effect.kind !== "git") return [];
  return movedByGit(effect.run).map(({ directory, ...words }) => ({ ...words, cwd: directory }));
}
