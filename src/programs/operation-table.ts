import type { OperationRule } from "../config/levels.ts";
import type { Field, Operation } from "./program.ts";
import { readTable } from "./text-table.ts";

const CELLS = ["needs", "unless", "free on", "of unknown", "answered", "ask", "deny", "safer"] as const;

/** Operations as text tables, one for each rule: the command, what it would do, then any of the cells above. */
export function operationsOfField({ operations = {}, isFreeInTests = false }: Field): readonly Operation[] {
  return Object.entries(operations).flatMap(([rule, table]) =>
    readTable(table, 2, CELLS).map(({ columns: [command = "", what = ""], cells }): Operation => {
      const { needs, unless, safer, "free on": freeOn } = cells;
      const verdict = cells.deny !== undefined ? "deny" : cells.ask !== undefined ? "ask" : undefined;
      return {
        rule: rule as OperationRule,
        command,
        what,
        ...(isFreeInTests ? { isFreeInTests } : {}),
        ...(needs === undefined ? {} : { needs }),
        ...(unless === undefined ? {} : { unless }),
        ...(freeOn === undefined ? {} : { freeOn }),
        ...(safer === undefined ? {} : { safer }),
        ...(verdict === undefined ? {} : { verdict }),
        ...(cells["of unknown"] === undefined ? {} : { ofUnknown: true }),
        ...(cells.answered === undefined ? {} : { isAnswered: true }),
      };
    }),
  );
}
