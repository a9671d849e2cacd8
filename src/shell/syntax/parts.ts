import type { Word, WordPart } from "./syntax.ts";

/** The parts of a word; a plain word is one literal. */
export function partsOf(word: Word): readonly WordPart[] {
  if (word.parts !== undefined) return word.parts;
  if (word.text === "") return [];
  return [{ type: "Literal", pos: word.pos, end: word.end, value: word.value, text: word.text }];
}
