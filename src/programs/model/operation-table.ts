import type { OperationRule } from "../../config/index.ts";
import type { Field, Operation } from "./program.ts";
import { readRow, rowsOf } from "./text-table.ts";

const CELLS = ["needs", "unless", "free on", "of unknown", "answered", "ask", "deny", "safer"] as const;

/**
 * Operations as text tables, one for each rule: the command, what it would do, then any of the cells above. All of
 * them, or those of one program.
 */
export function operationsOfField(field: Field, name?: string): readonly Operation[] {
  return Object.entries(field.operations ?? {}).flatMap(([rule, table]) =>
    (name === undefined || table.includes(name) ? rowsOf(table) : [])
      .filter(row => name === undefined || programsOf(row).includes(name))
      .map(row => readOperation(row, rule as OperationRule, field.isFreeInTests ?? false)),
  );
}

/** The programs that a command names: `docker|podman volume rm`. */
export function programsOf(command: string): readonly string[] {
  return command.slice(0, `${command} `.indexOf(" ")).split("|");
}

function readOperation(row: string, rule: OperationRule, isFreeInTests: boolean): Operation {
  const { columns, cells } = readRow(row, 2, CELLS);
  const [command = "", what = ""] = columns;
  const { needs, unless, safer, "free on": freeOn } = cells;
  const verdict = cells.deny !== undefined ? "deny" : cells.ask !== undefined ? "ask" : undefined;
  return {
    rule,
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
}
