import { type Datum, mapValue } from "../meaning/datum.ts";

/** A path as the guard knows paths: slashes forward. A drive letter stays in front: `C:/Users`. */
export function forwardSlashes(path: Datum): Datum {
  return mapValue(path, ({ pieces, origins }) => ({
    pieces: pieces.map(piece =>
      piece.kind === "text" ? { kind: "text", text: piece.text.replaceAll("\\", "/") } : piece,
    ),
    origins,
  }));
}
