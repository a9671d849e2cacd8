import { words } from "../../shell/index.ts";
import type { Program, Trait } from "./program.ts";
import { GRAMMAR_CELLS, grammarOf, readTable } from "./text-table.ts";

const CELLS = [...GRAMMAR_CELLS, "is", "gnu", "variables"] as const;

/**
 * Records as a table of text: names, traits behind `is`, `gnu`, the cells of the option grammar, and `variables` that
 * name a program it starts. What a cell cannot say stands in `others`, by the first name of its row.
 */
export function programs(
  table: string,
  others: Readonly<Record<string, Omit<Program, "names">>> = {},
): readonly Program[] {
  const rows = readTable(table, 1, CELLS);
  const firstNames = rows.map(({ columns: [names = ""] }) => words(names)[0] ?? "");
  const lost = Object.keys(others).find(name => !firstNames.includes(name));
  if (lost !== undefined) throw new Error(`no row begins with the program "${lost}"`);
  return rows.map(({ columns: [names = ""], cells }, index) => ({
    names,
    ...(cells.gnu === undefined ? {} : { isGnu: true }),
    ...(cells.is === undefined ? {} : { is: words(cells.is) as readonly Trait[] }),
    ...(GRAMMAR_CELLS.some(cell => cells[cell] !== undefined) ? { options: grammarOf(cells) } : {}),
    ...(cells.variables === undefined ? {} : { shellVariables: cells.variables }),
    ...others[firstNames[index] ?? ""],
  }));
}
