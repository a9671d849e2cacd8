import { describe, it } from "vitest";
import { checkRow } from "./check-row.ts";
import { Projects } from "./projects.ts";
import { rowsOf, type Table } from "./row.ts";
import { type HookRunner, onNode } from "./session.ts";

/** Whose hooks stand around the calls. */
export interface Program {
  readonly name: "node" | "native";
  readonly runHook: HookRunner;
}

export const NODE: Program = { name: "node", runHook: onNode };

const RUNS_ALL = process.env["AMPLIHACK_TEST_LONG"] === "1";

/**
 * A test for each row of a table; a few run at a time, each in a home of its own. Node and the native program take
 * turns with the rows, so that an ordinary run is half as long; a long one gives all of them to both.
 */
export function testRows(
  title: string,
  table: Table,
  { name, runHook }: Program = NODE,
  projects = new Projects(),
): void {
  describe.concurrent(title, () => {
    const rows = rowsOf(table).filter((_, index) => RUNS_ALL || (index % 2 === 0) === (name === "node"));
    for (const row of rows) {
      it(`${row.expected}, ${row.kind}: ${row.title.replaceAll("\n", "⏎")}`, () =>
        checkRow(projects, row, runHook));
    }
  });
}
