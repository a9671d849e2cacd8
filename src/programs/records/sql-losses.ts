import { dialectOf, readSql, type SqlLoss } from "../../code/index.ts";
import type { OperationRule } from "../../config/index.ts";
import type { OperationEffect, Value } from "../../shell/index.ts";

const LOSSES: Readonly<Partial<Record<SqlLoss, { readonly rule: OperationRule; readonly what: string }>>> = {
  database: { rule: "db.drop", what: "drop a database" },
  schema: { rule: "db.drop", what: "drop a schema" },
  table: { rule: "db.drop", what: "drop a table" },
  index: { rule: "db.drop", what: "drop an index" },
  user: { rule: "db.drop", what: "drop a user" },
  partition: { rule: "db.drop", what: "drop a partition" },
  column: { rule: "db.alter", what: "drop a column" },
  truncate: { rule: "db.delete", what: "delete every row" },
  "delete-rows": { rule: "db.delete", what: "delete every row" },
  "update-rows": { rule: "db.delete", what: "change every row" },
};

/** What SQL text would lose, as operations. */
export function sqlLosses(
  code: Value,
  names: readonly string[],
  file: Value | undefined,
  program: string,
): readonly OperationEffect[] {
  return readSql(code, dialectOf(program)).statements.flatMap(statement => {
    const loss = statement.loss === undefined ? undefined : LOSSES[statement.loss];
    if (loss === undefined || statement.isExplained || statement.isRolledBack) return [];
    const { target } = statement;
    return [
      {
        kind: "operation",
        ...loss,
        target: target ?? statement.verb,
        names: [...names, target ?? ""],
        safer: lookFirst(program, target),
        ...(file === undefined ? {} : { file }),
      },
    ];
  });
}

/** A query that shows what would go. */
function lookFirst(program: string, target: string | undefined): string {
  const query = target === undefined ? "SELECT 1" : `SELECT count(*) FROM ${target}`;
  if (program.startsWith("sqlite") || program === "duckdb") return `${program} FILE '${query}'`;
  return /^(mysql|mariadb)$/.test(program) ? `${program} -e '${query}'` : `psql -c '${query}'`;
}
