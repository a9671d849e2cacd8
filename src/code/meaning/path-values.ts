import {
  concatenate,
  dropKnown,
  joinPath,
  knownPrefix,
  normalisePath,
  type Piece,
  unknown,
} from "../../shell/index.ts";
import { currentDirectory, type EvaluationContext, homeDatum } from "./context.ts";
import type { Datum } from "./datum.ts";
import { firstValue, joined, knownTextOf, literal, mapValue, separatedBy, textDatum } from "./datum.ts";

/** Path pieces put together with slashes; an absolute piece starts anew, as Python and Node's resolve do. */
export function joinPaths(
  parts: readonly Datum[],
  type = "text",
  restartsAtRoot = true,
  isOpenEnded = false,
): Datum {
  const areRoots = parts.map(part => knownTextOf(part)?.startsWith("/") === true);
  const start = restartsAtRoot ? Math.max(0, areRoots.lastIndexOf(true)) : 0;
  const pieces = separatedBy(literal("/"), parts.slice(start));
  const path = joined(pieces.length === 0 ? [literal(".")] : pieces, type);
  return isOpenEnded ? joined([path, textDatum(unknown("any", "…"))], type) : path;
}

/** The same path, absolute and without dots. */
export function absolute(path: Datum, context: EvaluationContext): Datum {
  return mapValue(path, value => joinPath(currentDirectory(context), value));
}

export function normalised(path: Datum): Datum {
  return mapValue(path, normalisePath);
}

/** `~` and `~/x` at the start of a path stand for the home directory. */
export function expandTilde(path: Datum, context: EvaluationContext): Datum {
  return mapValue(path, value => {
    const prefix = knownPrefix(value);
    if (prefix !== "~" && !prefix.startsWith("~/")) return value;
    return concatenate([firstValue(homeDatum(context)), dropKnown(value, 1)]);
  });
}

/** A fresh name below the directory for temporary files. */
export function temporaryPath(context: EvaluationContext, type = "text"): Datum {
  return joined([literal(`${context.inputs.tmpdir.replace(/\/$/, "")}/`), someToken("temporary")], type);
}

/** A number or an identifier: never empty, no slash, no blank. */
export function someToken(label: string): Datum {
  return textDatum(unknown("token", label));
}

const WILDCARDS = /(\*+|\?|\[[^\]/]{1,40}\])/;

/** A text in which `*`, `?` and `[…]` are a pattern, as a value with active patterns. */
export function patternOf(pattern: Datum, type = "matches"): Datum {
  return mapValue(
    pattern,
    value => ({ pieces: value.pieces.flatMap(patternPieces), origins: value.origins }),
    type,
  );
}

function patternPieces(piece: Piece): Piece[] {
  if (piece.kind !== "text") return [piece];
  return piece.text.split(WILDCARDS).flatMap((part, index): Piece[] => {
    if (index % 2 === 1) return [{ kind: "glob", pattern: part }];
    return part === "" ? [] : [{ kind: "text", text: part }];
  });
}

/** Everything directly in a directory. */
export function childrenOf(directory: Datum, type: string): Datum {
  return joined([directory, literal("/"), anyName(type)], type);
}

/** Everything below a directory. */
export function descendantsOf(directory: Datum, type: string): Datum {
  return joined([directory, patternOf(literal("/**"))], type);
}

/** A name with no directory, any at all. */
export function anyName(type: string): Datum {
  return textDatum({ pieces: [{ kind: "glob", pattern: "*" }], origins: [] }, type);
}
