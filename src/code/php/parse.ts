import type { Effort } from "../effort.ts";
import { readStatements } from "../syntax/braces.ts";
import { createReader } from "../syntax/reader.ts";
import { tokenise } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { GRAMMAR } from "./syntax.ts";
import { LEXICON, tagEnd } from "./tokens.ts";

/** Cut PHP into nodes. With an opening tag only what stands in tags is code; `php -r` has none, a page starts so. */
export function parsePhp(source: string, effort: Effort): readonly Node[] {
  if (/^\s*<[a-z!]/i.test(source.slice(0, 200)) && !source.includes("<?")) return [];
  const start = /<\?(?:php|=)/.test(source) ? tagEnd(source, 0) : 0;
  const blank = source.slice(0, start).replace(/[^\n]/g, " ");
  const reader = createReader(tokenise(blank + source.slice(start), LEXICON, effort), GRAMMAR, effort);
  return readStatements(reader, () => false);
}
