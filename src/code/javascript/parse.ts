import type { Effort } from "../effort.ts";
import { readStatements } from "../syntax/braces.ts";
import { createReader } from "../syntax/reader.ts";
import { tokenise } from "../syntax/tokens.ts";
import type { Node } from "../syntax/tree.ts";
import { GRAMMAR, LEXICON } from "./syntax.ts";

const ESCAPED_WORD = /\\u(?:00([0-9a-f]{2})|\{0{0,4}([0-9a-f]{2})\})/gi;

/** Names may be spelled with escapes; letters mean the same inside strings, so they are replaced everywhere. */
function unescapeWord(escaped: string, short: string | undefined, long: string | undefined): string {
  const character = String.fromCharCode(Number.parseInt(short ?? long ?? "0", 16));
  return /[\w$]/.test(character) ? character : escaped;
}

/** Cut JavaScript or TypeScript into nodes. */
export function parseJavaScript(source: string, effort: Effort): readonly Node[] {
  const plain = source.includes("\\u") ? source.replace(ESCAPED_WORD, unescapeWord) : source;
  const reader = createReader(tokenise(plain, LEXICON, effort), GRAMMAR, effort);
  return readStatements(reader, () => false);
}
