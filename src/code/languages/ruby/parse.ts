import { createParser } from "../../syntax/reader.ts";
import type { ReadingBudget } from "../../syntax/reading-budget.ts";
import { tokenise } from "../../syntax/tokens.ts";
import type { Node } from "../../syntax/tree.ts";
import { readStatements } from "./statements.ts";
import { GRAMMAR, LEXER_RULES } from "./syntax.ts";

const NO_STOP: ReadonlySet<string> = new Set();

/** Cut Ruby into nodes. */
export function parseRuby(source: string, budget: ReadingBudget): readonly Node[] {
  return readStatements(createParser(tokenise(source, LEXER_RULES, budget), GRAMMAR, budget), NO_STOP);
}
