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
import type { Disk } from "./disk.ts";
import { plainName } from "./match.ts";

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
    const inside = describe(mount.inside).replace(/\/+$/, "");
    if (wanted === inside || wanted.startsWith(`${inside}/`)) {
      reached.push(concatenate([mount.host, dropKnown(path, inside.length)]));
    } else if (wanted === "/" || inside.startsWith(`${wanted.replace(/\/+$/, "")}/`) || wanted === "/*") {
      reached.push(mount.host);
    }
  }
  return reached;
}
