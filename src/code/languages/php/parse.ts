import { readStatements } from "../../syntax/braces.ts";
import { createParser } from "../../syntax/reader.ts";
import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import { tokenise } from "../../syntax/tokens.ts";
import type { Node } from "../../syntax/tree.ts";
import { GRAMMAR } from "./syntax.ts";
import { LEXER_RULES, tagEnd } from "./tokens.ts";

/** Cut PHP into nodes. With an opening tag only what stands in tags is code; `php -r` has none, a page starts so. */
export function parsePhp(source: string, budget: ReadingBudget): readonly Node[] {
  if (/^\s*<[a-z!]/i.test(source.slice(0, 200)) && !source.includes("<?")) return [];
  const start = /<\?(?:php|=)/.test(source) ? tagEnd(source, 0) : 0;
  const blank = source.slice(0, start).replace(/[^\n]/g, " ");
  const parser = createParser(tokenise(blank + source.slice(start), LEXER_RULES, budget), GRAMMAR, budget);
  return readStatements(parser, () => false);
}
