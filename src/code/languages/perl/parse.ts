import { readStatements } from "../../syntax/braces.ts";
import { createParser } from "../../syntax/reader.ts";
import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import { tokenise } from "../../syntax/tokens.ts";
import type { Node } from "../../syntax/tree.ts";
import { GRAMMAR } from "./syntax.ts";
import { LEXER_RULES } from "./tokens.ts";

/** Cut Perl into nodes. */
export function parsePerl(source: string, budget: ReadingBudget): readonly Node[] {
  const parser = createParser(tokenise(source, LEXER_RULES, budget), GRAMMAR, budget);
  return readStatements(parser, () => false);
}
