import { components, isAbsolute, joinPath, mayBeAbsolute } from "../../shell/paths.ts";
import type { Place } from "../../shell/place.ts";
import {
  concatenate,
  describe,
  knownPrefix,
  knownText,
  type Piece,
  text,
  type Value,
} from "../../shell/value.ts";
import { normalise } from "../../system/paths.ts";
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

/** `last`: a link at the end counts as what it leads to (reading, writing), not as itself (deleting, moving). */
export interface Resolution {
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
  const drive = onDrive(word);
  if (drive !== undefined) return [driveTarget(drive, place.kind === "remote")];
  if (place.kind === "remote") return [openTarget(joinPath(cwd, word), true)];
  if (place.kind === "container") {
    return mountedParts(joinPath(cwd, word), place, resolution.isReading === true).map(path =>
      localTarget(disk, path, resolution),
    );
  }
  return [localTarget(disk, absoluteFrom(cwd, word), resolution)];
}

/** `C:\\Users` and `C:/Users` are absolute in their own way: `/C:/Users` here. */
function onDrive(word: Value): Value | undefined {
  if (!/^[A-Za-z]:[\\/]/.test(knownPrefix(word))) return undefined;
  const pieces = word.pieces.map(piece =>
    piece.kind === "text" ? { ...piece, text: piece.text.replaceAll("\\", "/") } : piece,
  );
  return concatenate([text("/"), { ...word, pieces }]);
}

function driveTarget(path: Value, isRemote: boolean): Target {
  const known = knownText(path);
  return known === undefined ? openTarget(path, isRemote) : literalTarget(normalise(known), isRemote);
}

/** Not normalised: `link/..` is resolved on the disk, as the kernel does. */
function absoluteFrom(cwd: Value, word: Value): Value {
  if (isAbsolute(word) || mayBeAbsolute(word)) return word;
  return concatenate([cwd, text("/"), word]);
}

export function localTarget(disk: Disk, path: Value, resolution: Resolution): Target {
  const known = knownText(path);
  if (known?.startsWith("/") === true) return literalTarget(disk.resolve(known, resolution.followsLast));
  if (!isAbsolute(path)) return openTarget(path, false);
  const parts = components(path);
  const open = parts.findIndex(part => plainName(part) === undefined);
  const front = parts.slice(0, open).map(part => plainName(part) ?? "");
  const base = disk.resolve(`/${front.join("/")}`, true);
  const rest = parts
    .slice(open)
    .filter((part, index) => index === 0 || !["", "."].includes(plainName(part) ?? "x"));
  return { path: undefined, base, rest, shown: showOpen(base, rest), isRemote: false };
}

export function literalTarget(path: string, isRemote = false): Target {
  return { path, base: path, rest: [], shown: path, isRemote };
}

function openTarget(path: Value, isRemote: boolean): Target {
  const known = knownText(path);
  if (known?.startsWith("/") === true) return literalTarget(known, isRemote);
  const parts = components(path).filter(part => part.length > 0);
  if (!isAbsolute(path))
    return { path: undefined, base: undefined, rest: parts, shown: describe(path), isRemote };
  const open = parts.findIndex(part => plainName(part) === undefined);
  const base = `/${parts
    .slice(0, open)
    .map(part => plainName(part) ?? "")
    .join("/")}`;
  return { path: undefined, base, rest: parts.slice(open), shown: describe(path), isRemote };
}

function showOpen(base: string, rest: readonly (readonly Piece[])[]): string {
  const shown = rest.map(pieces => describe({ pieces, origins: [] })).join("/");
  return base === "/" ? `/${shown}` : `${base}/${shown}`;
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
      reached.push(concatenate([mount.host, dropCharacters(path, inside.length)]));
    } else if (wanted === "/" || inside.startsWith(`${wanted.replace(/\/+$/, "")}/`) || wanted === "/*") {
      reached.push(mount.host);
    }
  }
  return reached;
}

/** The value without its first characters, which are known text. */
function dropCharacters(value: Value, count: number): Value {
  let left = count;
  const pieces: Piece[] = [];
  for (const piece of value.pieces) {
    if (left === 0 || piece.kind !== "text") pieces.push(piece);
    else if (piece.text.length > left) {
      pieces.push({ kind: "text", text: piece.text.slice(left) });
      left = 0;
    } else left -= piece.text.length;
  }
  return { pieces, origins: value.origins };
}
