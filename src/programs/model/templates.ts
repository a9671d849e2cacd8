import { concatenate, knownText, LIMITS, type Piece, text, type Value } from "../../shell/index.ts";
import { splitString } from "../records/environment.ts";

/** The words in a stream; undefined when they are not known or too many. */
export function itemsOf(input: Value, delimiter: string | undefined): readonly Value[] | undefined {
  const known = knownText(input);
  if (known === undefined) return undefined;
  const items =
    delimiter === undefined
      ? splitString(text(known, input.origins))
      : known
          .split(decodeDelimiter(delimiter))
          .filter(item => item !== "")
          .map(item => text(item, input.origins));
  return items.length > LIMITS.fieldsPerWord ? undefined : items;
}

function decodeDelimiter(delimiter: string): string {
  return delimiter === "\\n" ? "\n" : delimiter === "\\t" ? "\t" : delimiter === "\\0" ? "\u0000" : delimiter;
}

/** Every occurrence of `mark` in the known text of a word gives way to the item. */
export function replaceMark(word: Value, mark: string, item: Value): Value {
  if (mark === "") return word;
  return concatenate(
    word.pieces.flatMap((piece: Piece) => {
      if (piece.kind !== "text" || !piece.text.includes(mark))
        return [{ pieces: [piece], origins: word.origins }];
      return piece.text
        .split(mark)
        .flatMap((part, index) => (index === 0 ? [text(part, word.origins)] : [item, text(part)]));
    }),
  );
}
