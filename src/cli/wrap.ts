import type { Terminal } from "./terminal.ts";

const MAX_COLUMNS = 100;

/** Lines of whole words for a terminal, with room for an indent of so many columns. */
export function wrapText(
  text: string,
  { columns = 80 }: Pick<Terminal, "columns">,
  indent: number,
): readonly string[] {
  const width = Math.min(columns, MAX_COLUMNS) - indent - 1;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length >= width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
