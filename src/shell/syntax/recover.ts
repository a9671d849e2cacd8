import { type ParseResult, parseShell } from "./parse.ts";
import { repairShell } from "./repair.ts";

interface Recovered extends ParseResult {
  /** What the positions of the statements belong to, where that is not the text that was given. */
  readonly repaired: string | undefined;
  /** Where a quote begins that is not closed. */
  readonly openQuote: number | undefined;
}

/**
 * Reads shell text as bash does. What bash refuses may be of another shell, or the first half of a command for a shell
 * that waits for the rest, so it is then read as what it would become.
 */
export function parseAnyShell(source: string, maxTokens: number): Recovered {
  const parsed = parseShell(source, maxTokens);
  const { statements, problems: found, placeholders } = parsed;
  if (found.every(({ reason }) => reason !== "syntax" && reason !== "incomplete"))
    return { statements, problems: found, placeholders, repaired: undefined, openQuote: undefined };
  const { text, openQuote, isOdd } = repairShell(source);
  const again = parseShell(text, maxTokens);
  if (again.problems.length > 0) return { ...parsed, repaired: undefined, openQuote: undefined };
  const isForeign = isOdd || FOREIGN.test(source);
  // Other languages look like a broken command as well: what bash refused of them stays unread.
  const end = source.length;
  const problems = parsed.problems.map(problem =>
    problem.reason === "incomplete" || !isForeign ? { ...problem, start: end, end } : problem,
  );
  return { ...again, problems, repaired: text, openQuote };
}

/** Cmdlets, and variables and commands of cmd.exe. */
const FOREIGN = /\b[A-Za-z]+-[A-Z][a-z]+\b|%%?\w|\b(?:del|rd|erase|iex|irm|ri)\b/i;
