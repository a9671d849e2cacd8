import { MANAGED_DIRECTORIES, WIRING_FILES, WIRING_TREES } from "../hosts/index.ts";
import { belongsToLog } from "../state/index.ts";
import { components, dirname, globMatches, isInside, join } from "../system/index.ts";
import { type Disk, partsBelow } from "./disk.ts";
import { isHookProgram, ownProgramFolders } from "./own-files.ts";
import { componentCouldBe, expandTarget, plainName, type Target } from "./target.ts";
import type { Workspace } from "./workspace.ts";

/** `own` is the guard's own configuration, grants, keys and programs, `hooks` the hosts' registrations. */
export type WiringPart = "own" | "hooks";

/** Wiring below a home directory or a project. */
export interface WiringPattern {
  readonly names: readonly string[];
  /** the names in lower case: some file systems know no other */
  readonly parts: readonly string[];
  /** everything below it as well */
  readonly isTree: boolean;
}

function readPattern(written: string): WiringPattern {
  const isTree = written.endsWith("/**");
  const names = components(isTree ? written.slice(0, -3) : written);
  return { names, parts: names.map(name => name.toLowerCase()), isTree };
}

let patterns: readonly WiringPattern[] | undefined;

/** Read when they are first asked for: most calls change no file. */
function wiringPatterns(): readonly WiringPattern[] {
  patterns ??= [...WIRING_FILES, ...WIRING_TREES].map(readPattern);
  return patterns;
}

const OWN_FOLDER = ".amplihack";
let tops: ReadonlySet<string> | undefined;

/** First names of wiring below its root: a path without any of them is none. */
function topNames(): ReadonlySet<string> {
  tops ??= new Set([OWN_FOLDER, ...wiringPatterns().map(({ parts: [top = ""] }) => top)]);
  return tops;
}

/** What a path is to the guard, by its name alone. */
export function wiringPart(workspace: Workspace, path: string): WiringPart | undefined {
  if (isOwnState(workspace, path) || isHookProgram(workspace, path)) return "own";
  if (MANAGED_DIRECTORIES.some(directory => path.startsWith(`${directory}/`))) return "hooks";
  const isMoved = workspace.given.hostFolders?.some(folder => isInside(folder.path, path)) === true;
  if (!isMoved && !mayNameWiring(path)) return undefined;
  for (const { root, folder } of wiringRoots(workspace)) {
    const parts = partsBelow(root, path);
    if (parts === undefined) continue;
    const below = [...folder, ...parts].map(part => part.toLowerCase());
    if (below[0] === OWN_FOLDER && (below.length === 1 || below[1]?.startsWith("config.json") === true))
      return "own";
    if (wiringPatterns().some(pattern => coversParts(pattern, below))) return "hooks";
  }
  return undefined;
}

/** Whether a text holds a name that wiring begins with; nothing is looked up. */
export function mayNameWiring(text: string): boolean {
  return text
    .toLowerCase()
    .split("/")
    .some(part => topNames().has(part));
}

export interface WiringRoot {
  readonly root: string;
  /** what the root itself stands for below a home directory */
  readonly folder: readonly string[];
}

const knownRoots = new WeakMap<Workspace, readonly WiringRoot[]>();

/** The directories below which hosts look for their settings. */
function wiringRoots(workspace: Workspace): readonly WiringRoot[] {
  const known = knownRoots.get(workspace);
  if (known !== undefined) return known;
  const { home, project = home, cwd, directory, given } = workspace;
  const roots: readonly WiringRoot[] = [
    ...[...new Set([home, project, cwd, directory])].map(root => ({ root, folder: [] })),
    ...(given.hostFolders ?? []).map(({ path, folder }) => ({ root: path, folder: components(folder) })),
  ];
  knownRoots.set(workspace, roots);
  return roots;
}

function coversParts({ parts, isTree }: WiringPattern, below: readonly string[]): boolean {
  if (isTree ? below.length < parts.length : below.length !== parts.length) return false;
  return parts.every((part, index) => partMatches(part, below[index] ?? ""));
}

function partMatches(pattern: string, name: string): boolean {
  return pattern.includes("*") ? globMatches(pattern, name) : pattern === name;
}

/** The history is in no history itself, and what people noted is not all with their team yet. */
const OWN_STATE =
  /^(guard|\.claude|versions|config\..*|policies|mcp|hooks|hooks\..*|logs|history|memory\.db.*|)$/;

/** The rest of the state home, runs of recipes and caches, gives no access and can be had again. */
function isOwnState({ stateHomes, auditLogs }: Workspace, path: string): boolean {
  if (auditLogs.some(log => belongsToLog(log, path))) return true;
  for (const home of stateHomes) {
    const parts = partsBelow(home, path);
    if (parts !== undefined) return OWN_STATE.test(parts[0] ?? "");
  }
  return (
    path.includes("amplihack") &&
    /\/(amplihack|amplihack-hooks)(\.cjs)?$/.test(path) &&
    /\/(bin|node_modules)\//.test(path)
  );
}

type Component = Target["rest"][number];

/** What a target is to the guard, or could be where parts of it are patterns or not known. */
export function findWiring(workspace: Workspace, target: Target): WiringPart | undefined {
  const { path, base, rest } = target;
  if (target.isRemote) return undefined;
  if (path !== undefined) return wiringPart(workspace, path);
  if (base === undefined) return endsAsWiring(rest) ? "hooks" : undefined;
  const part = wiringPart(workspace, base);
  if (part === "own" || (part !== undefined && isInTree(workspace, base))) return part;
  const open = [...components(base).map(plainComponent), ...rest];
  if (auditFiles(workspace).some(path => namesExisting(open, components(path)))) return "own";
  if (rest.some(isDeep))
    return existingWiring(workspace).some(path =>
      namesExisting(open.filter(isNoRepetition), components(path)),
    )
      ? "hooks"
      : undefined;
  if (!wiringRoots(workspace).some(root => couldBeBelow(open, root))) return undefined;
  const found = expandTarget(workspace.disk, target, true);
  if (found === undefined || found.trees.length > 0) return "hooks";
  return found.paths.map(one => wiringPart(workspace, one)).find(one => one !== undefined);
}

function plainComponent(name: string): Component {
  return [{ kind: "text", text: name }];
}

/** In a directory that is wiring as a whole. */
function isInTree(workspace: Workspace, path: string): boolean {
  return wiringRoots(workspace).some(({ root }) => {
    const below = partsBelow(root, path);
    return (
      below !== undefined && wiringPatterns().some(({ names, isTree }) => isTree && beginsWith(below, names))
    );
  });
}

function beginsWith(parts: readonly string[], names: readonly string[]): boolean {
  return names.every((name, index) => parts[index] === name);
}

/** An unknown part may be any name but the first below a root, which must be there to be seen. */
function couldBeBelow(open: readonly Component[], { root, folder }: WiringRoot): boolean {
  const front = components(root);
  const isSeen = (index: number) => open[index]?.some(piece => piece.kind === "unknown") === false;
  if (!front.every((name, index) => isSeen(index) && openCouldBe(open, index, name))) return false;
  return wiringPatterns().some(({ parts, isTree }) => {
    const length = front.length + parts.length - folder.length;
    if (isTree ? open.length < length : open.length !== length) return false;
    if (folder.some((name, index) => parts[index] !== name.toLowerCase())) return false;
    for (let index = front.length; index < length; index += 1) {
      if (index === front.length && !isSeen(index)) return false;
      if (!openCouldBe(open, index, parts[index - front.length + folder.length] ?? "")) return false;
    }
    return true;
  });
}

function openCouldBe(open: readonly Component[], index: number, name: string): boolean {
  return samples(name).some(sample => nameCouldBe(open[index] ?? [], sample));
}

/** What `**` names is looked for among what is there: it goes through no name with a dot in front. */
function namesExisting(open: readonly Component[], parts: readonly string[]): boolean {
  const [part, ...others] = open;
  const [name, ...rest] = parts;
  if (part === undefined || name === undefined) return part === undefined && name === undefined;
  if (isDeep(part) && (namesExisting(others, parts) || (!name.startsWith(".") && namesExisting(open, rest))))
    return true;
  return nameCouldBe(part, name.toLowerCase()) && namesExisting(others, rest);
}

/** `**` behind `**` names nothing more. */
function isNoRepetition(part: Component, index: number, all: readonly Component[]): boolean {
  return !isDeep(part) || !isDeep(all[index - 1] ?? []);
}

function isDeep(component: Component): boolean {
  return component.some(piece => piece.kind === "glob" && piece.pattern.includes("**"));
}

/** Names that a part of a pattern stands for. */
function samples(name: string): readonly string[] {
  return name.includes("*") ? ["", ".local", ".x"].map(middle => name.replace("*", middle)) : [name];
}

function nameCouldBe(component: Component, name: string): boolean {
  const plain = plainName(component);
  return plain === undefined ? componentCouldBe(component, name) : plain.toLowerCase() === name;
}

/** `$DIR/.claude/settings.json`: wherever it begins, it ends as wiring does. */
function endsAsWiring(rest: readonly Component[]): boolean {
  const names = rest.map(part => plainName(part)?.toLowerCase());
  return wiringPatterns().some(({ parts, isTree }) => {
    if (parts.length < 2) return false;
    const last = names.length - parts.length;
    const starts = isTree ? Array.from({ length: Math.max(last + 1, 0) }, (_, at) => at) : [last];
    return starts.some(
      start => start >= 0 && parts.every((part, index) => partMatches(part, names[start + index] ?? "/")),
    );
  });
}

const MAX_TOPS = 5000;
const MAX_IN_TREE = 200;
const MAX_DEPTH = 3;

const existing = new WeakMap<Workspace, readonly string[]>();

/** The wiring that is there: files, and the directories that are wiring as a whole. */
export function existingWiring(workspace: Workspace): readonly string[] {
  const known = existing.get(workspace);
  if (known !== undefined) return known;
  const found = new Set(auditFiles(workspace));
  for (const { root, folder } of wiringRoots(workspace)) {
    const tops = new Set(folder.length === 0 ? workspace.disk.names(root, MAX_TOPS) : undefined);
    for (const { names, isTree } of wiringPatterns()) {
      if (folder.some((name, index) => names[index] !== name)) continue;
      if (tops.size > 0 && !tops.has(names[0] ?? "")) continue;
      let reached: readonly string[] = [root];
      for (const part of names.slice(folder.length))
        reached = reached.flatMap(at => namesAt(workspace, at, part));
      for (const path of reached) {
        found.add(path);
        if (isTree) addTree(workspace.disk, path, found, MAX_DEPTH);
      }
    }
  }
  const paths = [...found];
  existing.set(workspace, paths);
  return paths;
}

/** Wiring by its names alone, whether it is there or not; patterns for names that vary are left out. */
export function wiringNames(workspace: Workspace): readonly string[] {
  return wiringRoots(workspace).flatMap(({ root, folder }) => {
    const front = folder.map(name => `${name}/`).join("");
    return wiringPatterns().flatMap(({ names }) => {
      const name = names.join("/");
      if (name.includes("*")) return [];
      if (name.startsWith(front)) return join(root, name.slice(front.length));
      return `${name}/` === front ? root : [];
    });
  });
}

/**
 * Wiring below a directory: what is there, and names that would be wiring if something were there. It is also looked at as from each
 * folder in `above`: who works in `.claude` has another project than who works in the folder around it.
 */
export function wiringBelow(
  workspace: Workspace,
  directory: string,
  above: readonly string[],
): { readonly existing: readonly string[]; readonly missing: readonly string[] } {
  const views: readonly Workspace[] = [
    workspace,
    ...above.map(value => Object.create(workspace, { cwd: { value }, directory: { value } }) as Workspace),
  ];
  const isBelow = (path: string) => isInside(directory, path);
  const isMissing = (path: string) => isBelow(path) && workspace.disk.kind(path) === undefined;
  return {
    existing: [...new Set(views.flatMap(existingWiring).filter(isBelow))],
    missing: [...new Set(views.flatMap(wiringNames).filter(isMissing))],
  };
}

const MAX_SETTINGS_BYTES = 256 * 1024;

/** What the hooks here consist of: the folders of the program, and the files that tell a host to start it. */
export function hookFiles(workspace: Workspace): readonly string[] {
  const { disk } = workspace;
  const isRegistration = (path: string) =>
    disk.kind(path) === "file" && disk.text(path, MAX_SETTINGS_BYTES)?.includes("amplihack-hooks") === true;
  return [...ownProgramFolders(workspace), ...existingWiring(workspace).filter(isRegistration)];
}

/** An audit log that lies outside the state home, with what belongs to it. */
function auditFiles({ disk, auditLogs }: Workspace): readonly string[] {
  return auditLogs.flatMap(log => {
    const names = disk.kind(dirname(log)) === "directory" ? (disk.names(dirname(log)) ?? []) : [];
    return names.map(name => join(dirname(log), name)).filter(path => belongsToLog(log, path));
  });
}

function namesAt({ disk }: Workspace, directory: string, part: string): readonly string[] {
  if (!part.includes("*")) {
    const path = join(directory, part);
    return disk.kind(path) === undefined ? [] : [path];
  }
  const names = disk.kind(directory) === "directory" ? (disk.names(directory) ?? []) : [];
  return names.filter(name => partMatches(part, name)).map(name => join(directory, name));
}

function addTree(disk: Disk, path: string, found: Set<string>, depth: number): void {
  if (depth === 0 || disk.kind(path) !== "directory") return;
  for (const name of disk.names(path) ?? []) {
    if (found.size > MAX_IN_TREE) return;
    const inner = join(path, name);
    found.add(inner);
    addTree(disk, inner, found, depth - 1);
  }
}

/** Another name of a file that is wiring: a hard link to it. */
export function isLinkedWiring(workspace: Workspace, path: string): boolean {
  const { disk } = workspace;
  const identity = disk.kind(path) === "file" ? disk.identity(path) : undefined;
  if (identity === undefined) return false;
  return existingWiring(workspace).some(
    other => other !== path && disk.kind(other) === "file" && disk.identity(other) === identity,
  );
}

/** The target is, or may be, a directory in which wiring lies, so that both go together. */
export function holdsWiring(workspace: Workspace, { path, base, rest }: Target): boolean {
  if (path === undefined) return base !== undefined && mayHoldAudit(workspace, base, rest);
  if (workspace.disk.kind(path) !== "directory") return false;
  if (auditFiles(workspace).some(file => isInside(path, file))) return true;
  const isOnTheWay = wiringRoots(workspace).some(({ root, folder }) => {
    const parts = partsBelow(root, path) ?? [];
    return parts.length > 0 && wiringPatterns().some(({ names }) => goesThrough(names, folder.length, parts));
  });
  return isOnTheWay && existingWiring(workspace).some(file => isInside(path, file));
}

function mayHoldAudit(workspace: Workspace, base: string, rest: readonly Component[]): boolean {
  const open = [...components(base).map(plainComponent), ...rest];
  return auditFiles(workspace).some(file => {
    const parts = components(file);
    return parts.some((_, index) => namesExisting(open, parts.slice(0, index)));
  });
}

/** The names from `front` on begin with all of the parts, and go on behind them. */
function goesThrough(names: readonly string[], front: number, parts: readonly string[]): boolean {
  if (names.length - front <= parts.length) return false;
  return parts.every((part, index) => names[front + index] === part);
}
