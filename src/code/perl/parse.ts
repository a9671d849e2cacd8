import type { Effort } from "../effort.ts";
import { readStatements } from "../syntax/braces.ts";
import { createReader } from "../syntax/reader.ts";
import { tokenise } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { GRAMMAR } from "./syntax.ts";
import { LEXICON } from "./tokens.ts";

/** Cut Perl into nodes. */
export function parsePerl(source: string, effort: Effort): readonly Node[] {
  const reader = createReader(tokenise(source, LEXICON, effort), GRAMMAR, effort);
  return readStatements(reader, () => false);
}
