import type { Piece } from "../../shell/value.ts";
import type { Datum } from "../meaning/datum.ts";
import { choiceOf, firstValue, listDatum, optionsOf, textDatum } from "../meaning/datum.ts";
import { patternOf } from "../meaning/path-values.ts";
import type { Run } from "../meaning/run.ts";
import { expandTilde } from "../meaning/tilde.ts";

/**
 * A path as the guard knows paths: slashes forward, `~` expanded, wildcards active unless it was given
 * literally. A drive letter stays in front: `C:/Users`.
 */
export function windowsPath(run: Run, path: Datum, isLiteral = false): Datum {
  if (path.kind === "list")
    return listDatum(
      path.items.map(item => windowsPath(run, item, isLiteral)),
      path.isOpenEnded,
    );
  const options = optionsOf(path).map(option => {
    const value = firstValue(option);
    const type = option.kind === "text" ? option.type : "text";
    return textDatum({ pieces: value.pieces.map(forwardSlashes), origins: value.origins }, type);
  });
  const expanded = expandTilde(run, choiceOf(options));
  return isLiteral ? expanded : patternOf(expanded, "text");
}

function forwardSlashes(piece: Piece): Piece {
  if (piece.kind !== "text") return piece;
  return {
    kind: "text",
    text: piece.text.replaceAll("\\", "/").replace(/^(?:Microsoft\.PowerShell\.Core\/)?FileSystem::/i, ""),
  };
}
