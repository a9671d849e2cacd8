import { wrapWords } from "../text/index.ts";

/** Of a terminal; undefined where nobody looks. */
export interface Width {
  readonly columns: number | undefined;
}

const MAX_COLUMNS = 100;

/** Lines of whole words for a terminal, with room for an indent of so many columns. */
export function wrapText(text: string, { columns = 80 }: Width, indent: number): readonly string[] {
  return wrapWords(text, Math.min(columns, MAX_COLUMNS) - indent - 1);
}

/** Lines that are too wide for the terminal, broken between words and indented below where they began. */
export function fitLines(text: string, { columns }: Width): string {
  if (columns === undefined) return text;
  const fit = (line: string): string => {
    if (line.length <= columns) return line;
    const start = /^ */.exec(line)?.[0] ?? "";
    const [first = "", ...rest] = wrapWords(line.trim(), columns - start.length - 2);
    return [`${start}${first}`, ...rest.map(more => `${start}  ${more}`)].join("\n");
  };
  return text.split("\n").map(fit).join("\n");
}
