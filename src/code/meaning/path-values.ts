import { joinPath, normalisePath } from "../../shell/paths.ts";
import type { Piece } from "../../shell/value.ts";
import { unknown } from "../../shell/value.ts";
import type { Datum } from "./datum.ts";
import { choiceOf, firstValue, joined, knownTextOf, literal, optionsOf, textDatum } from "./datum.ts";
import type { Model, Run } from "./run.ts";
import { currentDirectory } from "./run.ts";

/** Path pieces put together with slashes; an absolute piece starts anew, as Python and Node's resolve do. */
export function joinsPath(type: string, restartsAtRoot = true): Model {
  return call => {
    const parts = call.positional;
    let start = 0;
    if (restartsAtRoot) {
      parts.forEach((part, index) => {
        if (knownTextOf(part)?.startsWith("/") === true) start = index;
      });
    }
    const pieces = parts.slice(start).flatMap((part, index) => (index === 0 ? [part] : [literal("/"), part]));
    const path = pieces.length === 0 ? literal(".") : joined(pieces, type);
    return call.isOpenEnded ? joined([path, textDatum(unknown("any", "…"))], type) : path;
  };
}

/** The same path, absolute and without dots. */
export function absolute(run: Run, path: Datum): Datum {
  return choiceOf(
    optionsOf(path).map(option => {
      const type = option.kind === "text" ? option.type : "text";
      return textDatum(joinPath(currentDirectory(run), firstValue(option)), type);
    }),
  );
}

export function normalised(path: Datum): Datum {
  return choiceOf(
    optionsOf(path).map(option => {
      const type = option.kind === "text" ? option.type : "text";
      return textDatum(normalisePath(firstValue(option)), type);
    }),
  );
}

/** A fresh name below the directory for temporary files. */
export function temporaryPath(run: Run, type = "text"): Datum {
  const name: Piece = { kind: "unknown", shape: "token", label: "temporary", mayBeMany: false };
  const base: Piece = { kind: "text", text: `${run.context.tmpdir.replace(/\/$/, "")}/` };
  return textDatum({ pieces: [base, name], origins: [] }, type);
}

/** A number or an identifier: never empty, no slash, no blank. */
export const givesToken: Model = call =>
  textDatum({
    pieces: [{ kind: "unknown", shape: "token", label: `${call.path}()`, mayBeMany: false }],
    origins: [],
  });

const WILDCARDS = /\*+|\?|\[[^\]/]{1,40}\]/g;

/** A text in which `*`, `?` and `[…]` are a pattern, as a value with active patterns. */
export function patternOf(pattern: Datum, type = "matches"): Datum {
  const options = optionsOf(pattern).map(option => {
    const value = firstValue(option);
    return textDatum({ pieces: value.pieces.flatMap(patternPieces), origins: value.origins }, type);
  });
  return choiceOf(options);
}

function patternPieces(piece: Piece): Piece[] {
  if (piece.kind !== "text") return [piece];
  const pieces: Piece[] = [];
  let start = 0;
  for (const match of piece.text.matchAll(WILDCARDS)) {
    if (match.index > start) pieces.push({ kind: "text", text: piece.text.slice(start, match.index) });
    pieces.push({ kind: "glob", pattern: match[0] });
    start = match.index + match[0].length;
  }
  if (start < piece.text.length) pieces.push({ kind: "text", text: piece.text.slice(start) });
  return pieces;
}

/** Everything directly in a directory. */
export function childrenOf(directory: Datum, type: string): Datum {
  return joined([directory, textDatum({ pieces: SLASH_ANY, origins: [] })], type);
}

const SLASH_ANY: readonly Piece[] = [
  { kind: "text", text: "/" },
  { kind: "glob", pattern: "*" },
];

/** A name with no directory, any at all. */
export function anyName(type: string): Datum {
  return textDatum({ pieces: [{ kind: "glob", pattern: "*" }], origins: [] }, type);
}
