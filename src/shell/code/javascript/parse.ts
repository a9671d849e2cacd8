import type { Effort } from "../effort.ts";
import { readStatements } from "../syntax/braces.ts";
import { createReader } from "../syntax/reader.ts";
import { tokenise } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { GRAMMAR, LEXICON } from "./syntax.ts";

/** Cut JavaScript or TypeScript into nodes. */
export function parseJavaScript(source: string, effort: Effort): readonly Node[] {
  const reader = createReader(tokenise(source, LEXICON, effort), GRAMMAR, effort);
  return readStatements(reader, () => false);
}
