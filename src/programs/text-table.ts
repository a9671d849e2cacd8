import type { OptionGrammar } from "../shell/options.ts";

/** A line of a table: the columns in front, and what stands behind the word that begins each further cell. */
export interface TableRow<Cell extends string> {
  readonly columns: readonly string[];
  readonly cells: Readonly<Partial<Record<Cell, string>>>;
}

/**
 * Reads a table that is written as text: a row a line, cells between ` | `, each further cell a word of `known` with
 * its value behind it, if it has one. A line that is indented further belongs to the one above; ending in a `|` without
 * a blank, it goes on there. A cell that is not known throws: tables are constants.
 */
export function readTable<Cell extends string>(
  table: string,
  columns: number,
  known: readonly Cell[],
): readonly TableRow<Cell>[] {
  return table
    .replace(/(?<=\S\|)\n {8}/g, "")
    .replace(/\n {8}/g, " ")
    .split("\n")
    .filter(line => line.trim() !== "")
    .map(line => {
      const written = line.trim().split(" | ");
      const cells: Partial<Record<Cell, string>> = {};
      for (const cell of written.slice(columns)) {
        const word = known.find(one => cell === one || cell.startsWith(`${one} `));
        if (word === undefined) throw new Error(`no cell "${cell}" is known for "${written[0]}"`);
        cells[word] = cell.slice(word.length + 1);
      }
      return { columns: written.slice(0, columns), cells };
    });
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

export function grammarOf(cells: TableRow<(typeof GRAMMAR_CELLS)[number]>["cells"]): OptionGrammar {
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
