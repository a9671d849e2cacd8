import { describe, expect, it } from "vitest";
import { findDialect, readSql, type SqlDialect } from "../../src/code/languages/sql.ts";
import { concatenate, text, unknown } from "../../src/shell/value.ts";

/** What a text loses, as `loss target`, marks for what only plans or is taken back. */
function lossesOf(sql: string, dialect: SqlDialect = "postgres"): string[] {
  return readSql(text(sql), dialect)
    .statements.filter(statement => statement.loss !== undefined)
    .map(({ loss, target, isExplained, isRolledBack }) =>
      [
        loss,
        target,
        ...(isExplained ? ["(explained)"] : []),
        ...(isRolledBack ? ["(rolled back)"] : []),
      ].join(" "),
    );
}

describe("SQL that destroys", () => {
  it.each<[string, string[]]>([
    ["DROP DATABASE x", ["database x"]],
    ["drop schema if exists app cascade", ["schema app"]],
    ['drop table if exists public."Users" cascade;', ["table public.Users"]],
    ["DROP TABLE a, b", ["table a"]],
    ["DROP INDEX i", ["index i"]],
    ["DROP USER bob", ["user bob"]],
    ["DROP ROLE IF EXISTS bob", ["user bob"]],
    ["DROP MATERIALIZED VIEW v", ["other v"]],
    ["TRUNCATE t", ["truncate t"]],
    ["TRUNCATE TABLE ONLY t RESTART IDENTITY", ["truncate t"]],
    ["DELETE FROM t", ["delete-rows t"]],
    ["DELETE FROM t -- WHERE id = 1", ["delete-rows t"]],
    ["DELETE FROM t /* WHERE id = 1 */", ["delete-rows t"]],
    ["DELETE FROM t WHERE 1 = 1", ["delete-rows t"]],
    ["DELETE FROM t WHERE true", ["delete-rows t"]],
    ["DELETE FROM t RETURNING 'WHERE x'", ["delete-rows t"]],
    ["UPDATE t SET a = 1", ["update-rows t"]],
    ["UPDATE t SET a = (SELECT 1 FROM b WHERE c)", ["update-rows t"]],
    ['UPDATE t SET "where" = 1', ["update-rows t"]],
    ["WITH a AS (SELECT 1 WHERE true) DELETE FROM t", ["delete-rows t"]],
    ["WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d WHERE x", ["delete-rows t"]],
    ["ALTER TABLE t DROP COLUMN c", ["column t"]],
    ["ALTER TABLE t DROP c", ["column t"]],
    ["ALTER TABLE t ADD a int, DROP COLUMN b", ["column t"]],
    ["ALTER TABLE t DROP PARTITION p", ["partition t"]],
    ["SELECT 1; DROP TABLE t; SELECT 2", ["table t"]],
    ["BEGIN; DROP TABLE t; COMMIT;", ["table t"]],
    ["DO $$ BEGIN DROP TABLE t; END $$", ["table t"]],
    ["EXECUTE 'DROP TABLE t'", ["table t"]],
    ["BEGIN; DELETE FROM t; ROLLBACK;", ["delete-rows t (rolled back)"]],
    ["EXPLAIN DELETE FROM t", ["delete-rows t (explained)"]],
    ["EXPLAIN ANALYZE DELETE FROM t", ["delete-rows t"]],
    ["DELETE\nFROM\n  t\n", ["delete-rows t"]],
  ])("%j", (sql, losses) => {
    expect(lossesOf(sql)).toEqual(losses);
  });

  it.each<[string, SqlDialect, string[]]>([
    ["/*!50000 DROP TABLE x */", "mysql", ["table x"]],
    ["DELETE FROM t # WHERE x", "mysql", ["delete-rows t"]],
    ["DROP TABLE `a b`", "mysql", ["table a b"]],
    ["SELECT 'it\\'; DROP TABLE x; --'", "postgres", ["table x"]],
    ["SELECT 1\nGO\nDROP TABLE [dbo].[x]", "sqlserver", ["table dbo.x"]],
    ["EXEC('DROP TABLE x')", "sqlserver", ["table x"]],
    ["EXEC sp_executesql N'TRUNCATE TABLE x'", "sqlserver", ["truncate x"]],
  ])("%j in %s", (sql, dialect, losses) => {
    expect(lossesOf(sql, dialect)).toEqual(losses);
  });
});

describe("SQL that only mentions it", () => {
  it.each([
    "SELECT 'DROP TABLE x'",
    "SELECT $$DROP TABLE x; DELETE FROM y$$",
    "SELECT $tag$TRUNCATE t$tag$",
    "-- DROP TABLE x\nSELECT 1",
    "/* DROP TABLE x; */ SELECT 1",
    'SELECT "DROP TABLE x" FROM t',
    "INSERT INTO log VALUES ('DELETE FROM t')",
    "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 1",
    "SELECT * FROM t FOR UPDATE",
    "CREATE TABLE drop_table (delete_from int)",
    "DELETE FROM t WHERE id = 1",
    "UPDATE t SET a = 1 WHERE id = 2",
    "WITH d AS (DELETE FROM t WHERE id = 1 RETURNING *) SELECT * FROM d",
    "DROP INDEX CONCURRENTLY i",
    "DROP TEMPORARY TABLE t",
    "ALTER TABLE t ALTER COLUMN c DROP NOT NULL",
    "ALTER TABLE t DROP CONSTRAINT k",
    "ALTER TABLE t ADD COLUMN c int",
    "CREATE INDEX CONCURRENTLY i ON t (a)",
    "SELECT truncate(1.5), drop FROM t",
    "",
  ])("%j", sql => {
    expect(lossesOf(sql)).toEqual([]);
  });

  it("knows that backslashes escape in MySQL", () => {
    expect(lossesOf("SELECT 'it\\'; DROP TABLE x; --'", "mysql")).toEqual([]);
    expect(lossesOf('SELECT "DROP TABLE x"', "mysql")).toEqual([]);
  });
});

describe("SQL that is partly unknown", () => {
  it("takes an unknown part for a name", () => {
    const sql = concatenate([text("DELETE FROM "), unknown("any", "$TABLE")]);
    expect(readSql(sql, "postgres").statements[0]?.loss).toBe("delete-rows");
  });

  it("takes an unknown part of a string for text", () => {
    const sql = concatenate([text("DELETE FROM t WHERE name = '"), unknown("any", "$NAME"), text("'")]);
    expect(readSql(sql, "postgres").statements.map(({ loss }) => loss)).toEqual([undefined]);
  });
});

describe("the dialect of a client", () => {
  it.each([
    ["psql", "postgres"],
    ["cockroach", "postgres"],
    ["mysql", "mysql"],
    ["mariadb", "mysql"],
    ["sqlite3", "sqlite"],
    ["sqlcmd", "sqlserver"],
    ["bq", "other"],
  ] as const)("%s speaks %s", (program, dialect) => {
    expect(findDialect(program)).toBe(dialect);
  });
});
