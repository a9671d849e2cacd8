import { readStatements } from "../../syntax/braces.ts";
import { createParser } from "../../syntax/reader.ts";
import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import { tokenise } from "../../syntax/tokens.ts";
import type { Node } from "../../syntax/tree.ts";
import { GRAMMAR, LEXER_RULES } from "./syntax.ts";

const ESCAPED_WORD = /\\u(?:00([0-9a-f]{2})|\{0{0,4}([0-9a-f]{2})\})/gi;

/** Names may be spelled with escapes; letters mean the same inside strings, so they are replaced everywhere. */
function unescapeWord(escaped: string, short: string | undefined, long: string | undefined): string {
  const character = String.fromCharCode(Number.parseInt(short ?? long ?? "0", 16));
  return /[\w$]/.test(character) ? character : escaped;
}

/** Cut JavaScript or TypeScript into nodes. */
export function parseJavaScript(source: string, budget: ReadingBudget): readonly Node[] {
  const plain = source.includes("\\u") ? source.replace(ESCAPED_WORD, unescapeWord) : source;
  const parser = createParser(tokenise(plain, LEXER_RULES, budget), GRAMMAR, budget);
  return readStatements(parser, () => false);
}
