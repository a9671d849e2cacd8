import type { Effort } from "../effort.ts";
import { createReader } from "../syntax/reader.ts";
import { tokenise } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { readStatements } from "./statements.ts";
import { GRAMMAR, LEXICON } from "./syntax.ts";

const NO_STOP: ReadonlySet<string> = new Set();

/** Cut Ruby into nodes. */
export function parseRuby(source: string, effort: Effort): readonly Node[] {
  return readStatements(createReader(tokenise(source, LEXICON, effort), GRAMMAR, effort), NO_STOP);
}
