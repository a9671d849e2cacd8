import {
  components,
  concatenate,
  describe,
  dropKnown,
  isAbsolute,
  joinPath,
  knownPrefix,
  knownText,
  leaveProcess,
  mayBeAbsolute,
  normalisePath,
  type Piece,
  type Place,
  REMOTE_HOME,
  text,
  type Value,
} from "../shell/index.ts";
import { compileGlob, createGlob, type Glob, type GlobToken, join, matchesGlob } from "../system/index.ts";
import type { Disk } from "./disk.ts";

/**
 * A path the way rules see it. `path` when every character is known. Otherwise `base`, the directory of the
 * known components in front, and `rest`, what follows; no `base` when not even the beginning is known.
 */
export interface Target {
  readonly path: string | undefined;
  readonly base: string | undefined;
  readonly rest: readonly (readonly Piece[])[];
  /** for people: resolved as far as possible */
  readonly shown: string;
  /** on another machine: nothing can be looked up, and home, project and cwd are not ours */
  readonly isRemote: boolean;
}

export interface Resolution {
  /** a link at the end counts as what it leads to (reading, writing), not as itself (deleting, moving) */
  readonly followsLast: boolean;
  /** what is mounted for reading only counts too */
  readonly isReading?: boolean;
}

/** What a word names, seen from a directory. In a container only what is mounted concerns us: maybe nothing. */
export function resolveTargets(
  disk: Disk,
  word: Value,
  cwd: Value,
  place: Place,
  resolution: Resolution,
): readonly Target[] {
  if (word.pieces.length === 0) return [];
  const isRemote = place.kind === "remote";
  const drive = onDrive(word);
  if (drive !== undefined) return [unresolvedTarget(drive, isRemote)];
  if (isRemote) return [unresolvedTarget(joinPath(cwd, word), true)];
  if (place.kind === "local") return [localTarget(disk, absoluteFrom(cwd, word), resolution)];
  const mounted = mountedParts(joinPath(cwd, word), place, resolution.isReading === true);
  return mounted.map(path => localTarget(disk, path, resolution));
}

/** `C:\\Users` and `C:/Users` are absolute in their own way: `/C:/Users` here. */
function onDrive(word: Value): Value | undefined {
  if (!/^[A-Za-z]:[\\/]/.test(knownPrefix(word))) return undefined;
  const pieces = word.pieces.map(piece =>
    piece.kind === "text" ? { ...piece, text: piece.text.replaceAll("\\", "/") } : piece,
  );
  return normalisePath(concatenate([text("/"), { ...word, pieces }]));
}

/** Not normalised: `link/..` is resolved on the disk, as the kernel does. */
function absoluteFrom(cwd: Value, word: Value): Value {
  if (isAbsolute(word) || mayBeAbsolute(word)) return leaveProcess(cwd, word);
  return concatenate([cwd, text("/"), word]);
}

function localTarget(disk: Disk, path: Value, resolution: Resolution): Target {
  const known = knownText(path);
  if (known?.startsWith("/") === true)
    return literalTarget(disk.resolve(known, resolution.followsLast), false);
  if (!isAbsolute(path)) return unresolvedTarget(path, false);
  const [front, open] = splitKnown(components(path));
  const base = disk.resolve(front, true);
  const rest = open.filter((part, index) => index === 0 || !["", "."].includes(plainName(part) ?? "x"));
  const shown = rest.map(pieces => describe({ pieces, origins: [] })).join("/");
  return {
    path: undefined,
    base,
    rest,
    shown: base === "/" ? `/${shown}` : `${base}/${shown}`,
    isRemote: false,
  };
}

export function literalTarget(path: string, isRemote = false): Target {
  return { path, base: path, rest: [], shown: path, isRemote };
}

/** Nothing is looked up. */
function unresolvedTarget(path: Value, isRemote: boolean): Target {
  const known = knownText(path);
  const shown = isRemote ? describe(path).replace(REMOTE_HOME, "~") : describe(path);
  if (known?.startsWith("/") === true) return { ...literalTarget(known, isRemote), shown };
  const parts = components(path).filter(part => part.length > 0);
  if (!isAbsolute(path)) return { path: undefined, base: undefined, rest: parts, shown, isRemote };
  const [base, rest] = splitKnown(parts);
  return { path: undefined, base, rest, shown, isRemote };
}

/** The directory of the known components in front, and the components from the first unknown one on. */
function splitKnown(parts: Target["rest"]): readonly [string, Target["rest"]] {
  const open = parts.findIndex(part => plainName(part) === undefined);
  const front = parts.slice(0, open).map(part => plainName(part) ?? "");
  return [`/${front.join("/")}`, parts.slice(open)];
}

/** Host paths that a container path reaches through its mounts: one below a mount, or every mount below it. */
function mountedParts(
  path: Value,
  place: Extract<Place, { kind: "container" }>,
  isReading: boolean,
): readonly Value[] {
  const wanted = describe(path);
  const reached: Value[] = [];
  for (const mount of place.mounts) {
    if (mount.isReadOnly && !isReading) continue;
    const inside = describe(mount.inside).replace(/(?<!\/)\/+$/, "");
    if (wanted === inside || wanted.startsWith(`${inside}/`)) {
      reached.push(concatenate([mount.host, dropKnown(path, inside.length)]));
    } else if (
      wanted === "/" ||
      inside.startsWith(`${wanted.replace(/(?<!\/)\/+$/, "")}/`) ||
      wanted === "/*"
    ) {
      reached.push(mount.host);
    }
  }
  return reached;
}

/**
 * Could this path component, partly pattern or unknown, name exactly `name`? Shell rules: a pattern in front
 * does not match a leading dot.
 */
export function componentCouldBe(component: readonly Piece[], name: string): boolean {
  const [first] = component;
  const last = component.at(-1);
  const isDotted = name.startsWith(".");
  switch (first?.kind) {
    case "glob":
      if (isDotted && !opensWithDot(first.pattern)) return false;
      break;
    case "unknown":
      if (isDotted && first.shape === "token") return false;
      break;
    // Text at its begin or end rules most names out, before any pattern is read.
    case "text":
      if (!name.startsWith(first.text)) return false;
      break;
    default:
  }
  if (last?.kind === "text" && !name.endsWith(last.text)) return false;
  return matchesGlob(getGlob(component), name);
}

const known = new WeakMap<readonly Piece[], Glob>();

/** One word is compared with many names. */
function getGlob(component: readonly Piece[]): Glob {
  const glob = known.get(component) ?? createGlob(component.flatMap(toGlobTokens));
  known.set(component, glob);
  return glob;
}

/** The same under any options that a shell may have: a leading dot is no exception, and case makes no difference. */
export function componentCouldBeInAnyShell(component: readonly Piece[], name: string): boolean {
  const tokens = component.flatMap(toGlobTokens).map((token): GlobToken => {
    if (token.kind === "text") return { kind: "text", text: token.text.toLowerCase() };
    return token.kind === "one" ? token : { kind: "many" };
  });
  return matchesGlob(createGlob(tokens), name.toLowerCase());
}

/** The component when it is plain text, else undefined. */
export function plainName(component: readonly Piece[]): string | undefined {
  let name = "";
  for (const piece of component) {
    if (piece.kind !== "text") return undefined;
    name += piece.text;
  }
  return name;
}

function toGlobTokens(piece: Piece): readonly GlobToken[] {
  if (piece.kind === "text") return [piece];
  return piece.kind === "unknown" ? [{ kind: "many" }] : compileGlob(piece.pattern, "shell").tokens;
}

function opensWithDot(pattern: string): boolean {
  return pattern.startsWith(".") || pattern.startsWith("\\.");
}

const MAX_ENTRIES = 20_000;
const MAX_PATHS = 4096;

/** What a target names on the disk. */
export interface Expansion {
  readonly paths: readonly string[];
  /** directories with everything in them, because a pattern reaches any depth or names too much to list */
  readonly trees: readonly string[];
}

type CouldBe = typeof componentCouldBe;

/**
 * The paths that a target names, links in front resolved; undefined when a part of it is not known. `couldBe` tells
 * which names a pattern finds.
 */
export function expandTarget(
  disk: Disk,
  target: Target,
  followsLast: boolean,
  couldBe: CouldBe = componentCouldBe,
): Expansion | undefined {
  const { path, base, rest } = target;
  if (path !== undefined) return { paths: [path], trees: [] };
  if (base === undefined || rest.flat().some(piece => piece.kind === "unknown")) return undefined;
  let reached: readonly string[] = [base];
  for (const [index, component] of rest.entries()) {
    const directories = index === 0 ? reached : reached.map(directory => disk.resolve(directory, true));
    const name = plainName(component);
    const next =
      name === undefined
        ? namesIn(disk, directories, component, couldBe)
        : directories.map(at => join(at, name));
    if (next === undefined || next.length > MAX_PATHS) return { paths: [], trees: directories };
    reached = next;
  }
  return { paths: reached.map(found => disk.resolve(found, followsLast)), trees: [] };
}

function namesIn(
  disk: Disk,
  directories: readonly string[],
  component: Target["rest"][number],
  couldBe: CouldBe,
): readonly string[] | undefined {
  if (component.some(piece => piece.kind === "glob" && piece.pattern.includes("**"))) return undefined;
  const found: string[] = [];
  for (const directory of directories) {
    if (disk.kind(directory) !== "directory") continue;
    const names = disk.names(directory, MAX_ENTRIES);
    if (names === undefined) return undefined;
    for (const name of names) if (couldBe(component, name)) found.push(join(directory, name));
  }
  return found;
}
