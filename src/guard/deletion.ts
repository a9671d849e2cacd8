import { isDistinctiveName, isJunkName, isRegenerableName, isRegenerablePattern } from "../programs/index.ts";
import { type Piece, wordSet } from "../shell/index.ts";
import { ancestors, components, isInside, join } from "../system/index.ts";
import {
  componentCouldBe,
  partsBelow,
  plainName,
  SYSTEM_TOPS,
  type Target,
  type Workspace,
  type Zone,
  zoneOf,
} from "../workspace/index.ts";
import type { RuleId } from "./rules.ts";

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
  const rule = LOSS_OF_ZONE[zoneOf(workspace, path)];
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
  const zone = zoneOf(workspace, base);
  if (FREE_ZONES.has(zone) || zone === "temp-root") return [];
  if (zoneOf(workspace, join(base, ANYTHING[0])) === "regenerable") return [];
  if (zone !== "root" && zone !== "system" && endsRegenerable(target)) return [];
  if (unknowns.some(piece => piece.shape !== "token")) return [{ rule: "fs.unresolved", target: shown }];
  const [first] = rest;
  if (rest.length === 1 && first !== undefined) {
    const names = workspace.disk.names(base)?.filter(name => componentCouldBe(first, name)) ?? [];
    const paths = names.map(name => join(base, name));
    if (paths.length > 0 && !isAnyName(first)) return lossOfPaths(workspace, paths, shown);
    if (paths.length > 0 && paths.every(path => FREE_ZONES.has(zoneOf(workspace, path)))) return [];
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
