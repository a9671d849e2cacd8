import type { Piece } from "../../shell/value.ts";
import { ancestors, components, isInside, join } from "../../system/paths.ts";
import { SYSTEM_TOPS, type Workspace } from "../context.ts";
import { componentCouldBe, plainName } from "./match.ts";
import { isDistinctiveName, isJunkName, isRegenerableName, isRegenerablePattern } from "./regenerable.ts";
import type { Target } from "./target.ts";
import { type Zone, zoneOf } from "./zones.ts";

/** Why losing a target matters: the rule, and what of it would go. */
export interface Loss {
  readonly rule:
    | "fs.root"
    | "fs.home"
    | "fs.project"
    | "fs.cwd"
    | "fs.outside"
    | "fs.source"
    | "fs.unresolved"
    | "fs.system-write";
  readonly target: string;
  readonly held?: string;
}

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
  if (target.isRemote) return lossElsewhere(target);
  if (target.path !== undefined) return lossOfPath(workspace, target.path);
  if (target.base === undefined)
    return endsRegenerable(target) ? [] : [{ rule: "fs.unresolved", target: target.shown }];
  return lossOfPattern(workspace, target, target.base);
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

/** On another machine only the general sets are known; the rest of an absolute path is somebody's data. */
function lossElsewhere(target: Target): readonly Loss[] {
  const { path, shown } = target;
  if (path === undefined && target.base === undefined) {
    return endsRegenerable(target) || /^[^$/]*~/.test(shown)
      ? []
      : [{ rule: "fs.unresolved", target: shown }];
  }
  const place = path ?? join(target.base ?? "/", "x");
  const parts = components(place);
  if (/^\/(tmp|var\/tmp)\/./.test(path ?? shown) || parts.some(isDistinctiveName)) return [];
  if (path === undefined && endsRegenerable(target)) return [];
  const [top] = parts;
  const isTop =
    parts.length <= 1 ||
    (parts.length === 2 &&
      ["home", "usr", "var", "etc", "lib", "Users"].includes(top ?? "") &&
      parts[1] !== "www");
  if (isTop && (top === undefined || SYSTEM_TOPS.has(top) || target.base === "/"))
    return [{ rule: "fs.root", target: shown }];
  return [{ rule: "fs.outside", target: shown }];
}

/** Patterns and unknown parts below a known directory: judged by what they could name. */
function lossOfPattern(workspace: Workspace, target: Target, base: string): readonly Loss[] {
  const { rest, shown } = target;
  // An unknown name is one name that nobody can foresee; a pattern takes whatever is there.
  const reached = hasUnknown(rest)
    ? []
    : protectedPlaces(workspace).filter(place => couldName(base, rest, place.path));
  if (reached.length > 0) {
    const held = reached.find(place => place.rule === "fs.cwd");
    const others = reached.filter(place => place.rule !== "fs.cwd");
    const losses: Loss[] = held === undefined ? [] : [{ rule: "fs.cwd", target: shown, held: workspace.cwd }];
    const strongest = ["fs.root", "fs.home", "fs.project"].find(rule =>
      others.some(place => place.rule === rule),
    );
    if (strongest !== undefined) losses.push({ rule: strongest as Loss["rule"], target: shown });
    return losses;
  }
  if (rest.some(part => plainName(part) === "..")) return lossOfPath(workspace, base);
  const zone = zoneOf(workspace, base);
  if (zone === "temp" || zone === "temp-root" || zone === "regenerable") return [];
  if (zoneOf(workspace, join(base, ANYTHING)) === "regenerable") return [];
  if (zone !== "root" && zone !== "system" && endsRegenerable(target)) return [];
  if (hasFreeUnknown(rest)) return [{ rule: "fs.unresolved", target: shown }];
  const [first] = rest;
  if (rest.length === 1 && first !== undefined) {
    const names = workspace.disk.names(base)?.filter(name => componentCouldBe(first, name));
    if (names !== undefined && names.length > 0 && isAnyName(first)) {
      const isFree = names.every(name =>
        ["regenerable", "temp"].includes(zoneOf(workspace, join(base, name))),
      );
      return isFree ? [] : lossOfChildren(workspace, zone, target, base);
    }
    if (names !== undefined && names.length > 0) {
      return firstOfEachRule(
        names.flatMap(name => lossOfPath(workspace, join(base, name))),
        shown,
      );
    }
  }
  return lossOfChildren(workspace, zone, target, base);
}

function lossOfChildren(
  workspace: Workspace,
  zone: Zone,
  { rest, shown: target }: Target,
  base: string,
): readonly Loss[] {
  if (zone === "project") return [{ rule: "fs.source", target }];
  if (zone === "home" && base !== workspace.home && !isAnyName(rest.at(-1) ?? []))
    return [{ rule: "fs.outside", target }];
  const rule = LOSS_OF_ZONE[zone];
  return rule === undefined ? [] : [{ rule, target }];
}

function firstOfEachRule(losses: readonly Loss[], target: string): readonly Loss[] {
  const byRule = new Map<string, Loss>();
  for (const loss of losses) if (!byRule.has(loss.rule)) byRule.set(loss.rule, { ...loss, target });
  return [...byRule.values()];
}

interface ProtectedPlace {
  readonly path: string;
  readonly rule: Loss["rule"];
}

const knownPlaces = new WeakMap<Workspace, readonly ProtectedPlace[]>();

function protectedPlaces(workspace: Workspace): readonly ProtectedPlace[] {
  const known = knownPlaces.get(workspace) ?? listPlaces(workspace);
  knownPlaces.set(workspace, known);
  return known;
}

/** The directories a pattern must not reach. Names that stand for "everything here" reveal `*`. */
function listPlaces(workspace: Workspace): readonly ProtectedPlace[] {
  const { home, project, heldDirectories } = workspace;
  const places: ProtectedPlace[] = [];
  for (const held of heldDirectories)
    for (const path of ancestors(held)) places.push({ path, rule: "fs.cwd" });
  for (const top of SYSTEM_TOPS) places.push({ path: `/${top}`, rule: "fs.root" });
  for (const path of ["/usr/lib", "/usr/bin", "/etc/passwd", "/var/lib"])
    places.push({ path, rule: "fs.root" });
  for (const name of ["", "/Documents", "/.ssh"]) places.push({ path: `${home}${name}`, rule: "fs.home" });
  places.push({ path: "/home/somebody", rule: "fs.home" }, { path: "/Users/somebody", rule: "fs.home" });
  if (project !== undefined) {
    places.push({ path: project, rule: "fs.project" }, { path: `${project}/.git`, rule: "fs.project" });
    places.push({ path: `${project}/${ANYTHING}`, rule: "fs.project" });
  }
  return places;
}

/** A name only a pattern for everything can match. */
const ANYTHING = "qzx7qzx";

function couldName(base: string, rest: readonly (readonly Piece[])[], path: string): boolean {
  if (!isInside(base, path)) return false;
  const parts = components(path).slice(components(base).length);
  return restCouldBe(rest, parts);
}

function restCouldBe(rest: readonly (readonly Piece[])[], parts: readonly string[]): boolean {
  const [first, ...others] = rest;
  if (first === undefined) return parts.length === 0;
  const [head, ...tail] = parts;
  if (isGlobStar(first) && head !== undefined && restCouldBe(rest, tail)) return true;
  return head !== undefined && componentCouldBe(first, head) && restCouldBe(others, tail);
}

function isGlobStar(component: readonly Piece[]): boolean {
  const [only] = component;
  return component.length === 1 && only?.kind === "glob" && only.pattern === "**";
}

function hasUnknown(rest: readonly (readonly Piece[])[]): boolean {
  return rest.some(part => part.some(piece => piece.kind === "unknown"));
}

function hasFreeUnknown(rest: readonly (readonly Piece[])[]): boolean {
  return rest.some(part => part.some(piece => piece.kind === "unknown" && piece.shape !== "token"));
}

/** The last components name build output or junk, whatever stands in front. */
export function endsRegenerable(target: Target): boolean {
  const { rest } = target;
  const isWide = rest.length > 0 && isAnyName(rest.at(-1) ?? []);
  const considered = isWide ? rest.slice(0, -1) : rest;
  return considered.some((part, index) => {
    const name = plainName(part);
    if (name !== undefined)
      return isDistinctiveName(name) || (index > 0 && isRegenerableName(name)) || isJunkName(name);
    const pattern = patternText(part);
    return pattern !== undefined && isRegenerablePattern(pattern);
  });
}

function isAnyName(component: readonly Piece[]): boolean {
  return componentCouldBe(component, ANYTHING);
}

/** The component as a pattern text; undefined when something in it is unknown. */
export function patternText(component: readonly Piece[]): string | undefined {
  let pattern = "";
  for (const piece of component) {
    if (piece.kind === "unknown") return undefined;
    pattern += piece.kind === "text" ? piece.text : piece.pattern;
  }
  return pattern;
}
