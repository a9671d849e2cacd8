import { MANAGED_DIRECTORIES, WIRING_FILES, WIRING_TREES } from "../hosts/index.ts";
import { belongsToLog } from "../state/index.ts";
import { components, globMatches, isInside } from "../system/index.ts";
import { partsBelow } from "./below.ts";
import { isHookProgram } from "./hook-program.ts";
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

export const WIRING_PATTERNS: readonly WiringPattern[] = [...WIRING_FILES, ...WIRING_TREES].map(readPattern);
const OWN_FOLDER = ".amplihack";
/** First names of wiring below its root: a path without any of them is none. */
const TOPS: ReadonlySet<string> = new Set([
  OWN_FOLDER,
  ...[...WIRING_PATTERNS.map(({ parts }) => parts), ...WIRING_TREES.map(components)].map(([top = ""]) =>
    top.toLowerCase(),
  ),
]);

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
    if (WIRING_PATTERNS.some(pattern => coversParts(pattern, below))) return "hooks";
  }
  return undefined;
}

/** Whether a text holds a name that wiring begins with; nothing is looked up. */
export function mayNameWiring(text: string): boolean {
  return text
    .toLowerCase()
    .split("/")
    .some(part => TOPS.has(part));
}

export interface WiringRoot {
  readonly root: string;
  /** what the root itself stands for below a home directory */
  readonly folder: readonly string[];
}

const knownRoots = new WeakMap<Workspace, readonly WiringRoot[]>();

/** The directories below which hosts look for their settings. */
export function wiringRoots(workspace: Workspace): readonly WiringRoot[] {
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

export function partMatches(pattern: string, name: string): boolean {
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
