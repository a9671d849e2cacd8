import type { OperationRule } from "../config/levels.ts";
import type { Operation } from "./program.ts";
import { readTable } from "./text-table.ts";

const CELLS = ["needs", "unless", "free on", "of unknown", "answered", "ask", "deny", "safer"] as const;

/** Operations as text tables, one for each rule: the command, what it would do, then any of the cells above. */
export function operations(tables: Readonly<Partial<Record<OperationRule, string>>>): readonly Operation[] {
  return Object.entries(tables).flatMap(([rule, table]) =>
    readTable(table, 2, CELLS).map(({ columns: [command = "", what = ""], cells }): Operation => {
      const { needs, unless, safer, "free on": freeOn } = cells;
      const verdict = cells.deny !== undefined ? "deny" : cells.ask !== undefined ? "ask" : undefined;
      return {
        rule: rule as OperationRule,
        command,
        what,
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
