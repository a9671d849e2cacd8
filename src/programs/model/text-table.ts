import type { OptionGrammar } from "../../shell/index.ts";

/** A line of a table: the columns in front, and what stands behind the word that begins each further cell. */
export interface TableRow<Cell extends string> {
  readonly columns: readonly string[];
  readonly cells: Readonly<Partial<Record<Cell, string>>>;
}

/**
 * The rows of a table that is written as text, a line each. A line that is indented further belongs to the one above;
 * ending in a `|` without a blank, it goes on there.
 */
export function splitRows(table: string): readonly string[] {
  return table
    .replace(/(?<=\S\|)\n {8}/g, "")
    .replace(/\n {8}/g, " ")
    .split("\n")
    .map(line => line.trim())
    .filter(line => line !== "");
}

/**
 * Cells stand between ` | `; each further cell is a word of `known` with its value behind it, if it has one. A cell
 * that is not known throws: tables are constants.
 */
export function readRow<Cell extends string>(
  row: string,
  columns: number,
  known: readonly Cell[],
): TableRow<Cell> {
  const written = row.split(" | ");
  const cells: Partial<Record<Cell, string>> = {};
  for (const cell of written.slice(columns)) {
    const word = known.find(one => cell === one || cell.startsWith(`${one} `));
    if (word === undefined) throw new Error(`no cell "${cell}" is known for "${written[0]}"`);
    cells[word] = cell.slice(word.length + 1);
  }
  return { columns: written.slice(0, columns), cells };
}

export function readTable<Cell extends string>(
  table: string,
  columns: number,
  known: readonly Cell[],
): readonly TableRow<Cell>[] {
  return splitRows(table).map(row => readRow(row, columns, known));
}

/** The cells of an option grammar; `exact` where long options cannot be shortened. */
export const GRAMMAR_CELLS = [
  "flags",
  "values",
  "optional",
  "digits",
  "exact",
  "ends at operand",
  "single dash",
  "unknown takes value",
] as const;

export function toOptionGrammar(cells: TableRow<(typeof GRAMMAR_CELLS)[number]>["cells"]): OptionGrammar {
  const { flags = "", values = "", optional = "", digits = "" } = cells;
  return {
    flags,
    values,
    optional,
    digits,
    abbreviates: cells.exact === undefined,
    stopsAtOperand: cells["ends at operand"] !== undefined,
    isSingleDash: cells["single dash"] !== undefined,
    unknownTakesValue: cells["unknown takes value"] !== undefined,
  };
}
