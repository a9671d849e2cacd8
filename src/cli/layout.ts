import { wrapWords } from "../text/index.ts";

/** `columns` of the terminal; undefined when the output is not a terminal. */
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
  // A terminal that does not tell its width says 0.
  if (columns === undefined || columns === 0) return text;
  return text
    .split("\n")
    .map(line => fitLine(line, columns))
    .join("\n");
}

/** What is copied and run stays one line. */
const COMMAND = /^\s*(?:fix: |safer: |amplihack |export |\$ )/;

/** The same behind words that end in a colon. */
const WORDS = /(\s*)((?<=: )(?:amplihack|export) .*|\S+)/g;

/** A line that fits keeps its spaces, because they align columns. */
function fitLine(line: string, columns: number): string {
  if (shownLength(line) <= columns || COMMAND.test(line)) return line;
  const start = /^ */.exec(line)?.[0] ?? "";
  // Behind a name and a gap, the text goes on below itself.
  const named = /^ *\S+ {2,}(?=\S)/.exec(line)?.[0].length ?? columns;
  const hanging = named <= columns / 3 ? named : start.length + 2;
  const indent = `\n${" ".repeat(hanging)}`;
  let fitted = start;
  let length = start.length;
  const words = [...line.slice(start.length).matchAll(WORDS)].flatMap(found =>
    // What does not fit on a line of its own cannot stay together.
    shownLength(found[2] ?? "") > columns - hanging ? [...found[0].matchAll(/(\s*)(\S+)/g)] : [found],
  );
  for (const [, gap = "", word = ""] of words) {
    const room = shownLength(gap) + shownLength(word);
    const isFirst = fitted === start;
    if (isFirst || length + room <= columns) {
      fitted += gap + word;
      length += room;
    } else {
      fitted += indent + word;
      length = hanging + shownLength(word);
    }
  }
  return fitted;
}

/** Colours take no room. */
function shownLength(text: string): number {
  return text.replace(/\u001b\[[0-9;]*m/g, "").length;
}

const GAP = "  ";
/** A narrower column cannot be read any more. */
const MIN_COLUMN = 8;

/**
 * Rows below each other, headings first. On a terminal that is too narrow the widest columns are made narrower, and
 * what does not fit goes on in the line below. Where that would break words, each row is a paragraph of its own.
 */
export function renderTable(rows: readonly (readonly string[])[], { columns }: Width, indent = ""): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  if (columns !== undefined && columns > 0) {
    const room = columns - indent.length - GAP.length * (widths.length - 1);
    shrink(widths, room);
    const isTooWide = widths.reduce((sum, width) => sum + width, 0) > room;
    const breaksWords = rows.some(row =>
      row.some((cell, column) => longestPiece(cell) > (widths[column] ?? 0)),
    );
    // One column is a paragraph already, and has no heading.
    if (widths.length > 1 && (isTooWide || breaksWords)) return renderParagraphs(rows, columns, indent);
  }
  return rows
    .flatMap(row => {
      const cells = row.map((cell, column) => wrapCell(cell, widths[column] ?? 0));
      const height = Math.max(...cells.map(lines => lines.length));
      return Array.from({ length: height }, (_, line) => {
        const parts = cells.map((lines, column) => (lines[line] ?? "").padEnd(widths[column] ?? 0));
        return `${indent}${parts.join(GAP).trimEnd()}\n`;
      });
    })
    .join("");
}

/** What stays together when a cell is broken between words and after signs. */
function longestPiece(cell: string): number {
  return Math.max(0, ...cell.split(/\s+|(?<=[-/,.])/).map(piece => piece.length));
}

/** The first cell as a title, the others below it with their headings, as many on a line as there is room for. */
function renderParagraphs(rows: readonly (readonly string[])[], columns: number, indent: string): string {
  const [headings = [], ...records] = rows;
  const room = Math.max(MIN_COLUMN, columns - indent.length - GAP.length);
  return records
    .map(([title = "", ...cells]) => {
      const lines: string[] = [];
      for (const [index, cell] of cells.entries()) {
        if (cell === "") continue;
        const told = `${headings[index + 1]}: ${cell}`;
        const joined = lines.length === 0 ? told : `${lines.at(-1)}${GAP}${told}`;
        if (lines.length > 0 && joined.length <= room) lines[lines.length - 1] = joined;
        else lines.push(told);
      }
      const below = lines.flatMap(line => wrapCell(line, room)).map(line => GAP + line);
      return [...wrapCell(title, room), ...below].map(line => `${indent}${line}\n`).join("");
    })
    .join("");
}

function shrink(widths: number[], room: number): void {
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= MIN_COLUMN) return;
    widths[widest] = width - 1;
  }
}

/** Broken between words, else behind a sign in a word, else anywhere. */
function wrapCell(cell: string, width: number): readonly string[] {
  if (cell.length <= width) return [cell];
  return wrapWords(cell, width).flatMap(word => {
    const lines: string[] = [];
    let rest = word;
    while (rest.length > width) {
      const sign = Math.max(...["-", "/", ",", "."].map(each => rest.lastIndexOf(each, width - 1)));
      const end = sign > 0 ? sign + 1 : width;
      lines.push(rest.slice(0, end));
      rest = rest.slice(end);
    }
    return rest === "" ? lines : [...lines, rest];
  });
}
