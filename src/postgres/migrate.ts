import type { Database, RunSql } from "./database.ts";
import { MISSING_RIGHT, PostgresError } from "./postgres-error.ts";
import { SCHEMA } from "./schema.ts";

/** Any number that no other program uses: whoever makes the first table holds this lock. */
const FIRST_TABLE_LOCK = 0x616d_706d;
const VERSIONS = `${SCHEMA}.versions`;

/** Statements that lead from the version of its place in the list to the next. */
export type Migration = readonly string[];

/**
 * Brings one part of the schema to our version. Costs one statement when it is there already, and needs no more than
 * reading then. Several at the same time wait for each other and find it done.
 */
export async function migrate(
  database: Database,
  part: string,
  migrations: readonly Migration[],
): Promise<void> {
  const found = await findVersion(database.run, part);
  checkVersion(database, part, found, migrations.length);
  if (found === migrations.length) return;
  await changeTables(database, part, migrations).catch((error: unknown) => {
    if (!(error instanceof PostgresError) || error.code !== MISSING_RIGHT) throw error;
    throw new PostgresError(
      "refused",
      `the database ${database.place} has no ${part} tables of this version, and this user may not make them`,
      { fix: "let the owner of the database run the same command once; see docs/teams.md", code: error.code },
    );
  });
}

async function changeTables(database: Database, part: string, migrations: readonly Migration[]) {
  const change = async (run: RunSql): Promise<void> => {
    // Everybody who may connect can take this lock and keep it; the one on the table is the owner's alone.
    if (!(await hasRelation(run, VERSIONS)))
      await run("SELECT pg_advisory_xact_lock($1)", [FIRST_TABLE_LOCK]);
    await run(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    await run(`CREATE TABLE IF NOT EXISTS ${VERSIONS} (part text PRIMARY KEY, version integer NOT NULL)`);
    await run(`LOCK TABLE ${VERSIONS} IN EXCLUSIVE MODE`);
    await run(`GRANT USAGE ON SCHEMA ${SCHEMA} TO PUBLIC`);
    await run(`GRANT SELECT ON ${VERSIONS} TO PUBLIC`);
    const version = await findVersion(run, part);
    checkVersion(database, part, version, migrations.length);
    for (const statement of migrations.slice(version).flat()) await run(statement);
    await run(
      `INSERT INTO ${VERSIONS} (part, version) VALUES ($1, $2)
       ON CONFLICT (part) DO UPDATE SET version = excluded.version`,
      [part, migrations.length],
    );
  };
  // What is there may be much.
  await database.transaction(change, { hasNoTimeLimit: true });
}

/** A table or an index, by its name with its schema. */
export async function hasRelation(run: RunSql, name: string): Promise<boolean> {
  const [row] = await run("SELECT to_regclass($1) IS NOT NULL AS exists", [name]);
  return row?.["exists"] === true;
}

async function findVersion(run: RunSql, part: string): Promise<number> {
  if (!(await hasRelation(run, VERSIONS))) return 0;
  const [row] = await run(`SELECT version FROM ${VERSIONS} WHERE part = $1`, [part]);
  return Number(row?.["version"] ?? 0);
}

function checkVersion({ place }: Database, part: string, found: number, known: number): void {
  if (found <= known) return;
  throw new PostgresError(
    "newer",
    `the ${part} tables of ${place} were made by a newer amplihack (version ${found}, this one knows ${known}); they were left as they are`,
    { fix: "amplihack update" },
  );
}
