import { wrapWords } from "../protocol/wrap-words.ts";
import type { Terminal } from "./terminal.ts";

const MAX_COLUMNS = 100;

/** Lines of whole words for a terminal, with room for an indent of so many columns. */
export function wrapText(
  text: string,
  { columns = 80 }: Pick<Terminal, "columns">,
  indent: number,
): readonly string[] {
  return wrapWords(text, Math.min(columns, MAX_COLUMNS) - indent - 1);
}
