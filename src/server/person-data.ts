import { type Database, SCHEMA } from "../postgres/index.ts";

/** Where data of a person lies in a team, and by which column. */
const TABLES = [
  ["records", "person"],
  ["audit_heads", "person"],
  ["rollups", "person"],
  ["sessions", "person"],
  ["server_people", "person"],
  ["server_machines", "person"],
  ["server_questions", "person"],
  ["server_usage", "person"],
  ["server_links", "person"],
  ["server_log", "who"],
  ["memories", "author"],
  ["earlier_values", "author"],
] as const;
/** What proves who somebody is, and nothing about them. */
const SECRETS = ["hash", "next_hash", "nonce"];
const PAGE_ROWS = 1_000;

/** Everything that is stored of a person in a team, one JSON object for each row. For the owner of the tables. */
export async function exportPerson(
  database: Database,
  team: string,
  person: string,
  write: (line: string) => void,
): Promise<number> {
  let count = 0;
  // One moment of the database, and never more than a page of it in memory.
  await database.transaction(async run => {
    await run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    for (const [table, column] of TABLES) {
      const cursor = `DECLARE person_rows NO SCROLL CURSOR FOR
        SELECT (to_jsonb(t) - $3::text[])::text AS row FROM ${SCHEMA}.${table} t WHERE t.team = $1 AND t.${column} = $2`;
      await run(cursor, [team, person, SECRETS]);
      for (;;) {
        const rows = await run(`FETCH ${PAGE_ROWS} FROM person_rows`);
        for (const { row } of rows) write(`{"table":"${table}","row":${String(row)}}\n`);
        count += rows.length;
        if (rows.length < PAGE_ROWS) break;
      }
      await run("CLOSE person_rows");
    }
  });
  return count;
}

/**
 * Removes what is stored of a person in a team; sums are kept right by their triggers. What they changed for others stays
 * in the list of changes, and so does that they were removed. For the owner of the tables.
 */
export function forgetPerson(database: Database, team: string, person: string, by: string): Promise<number> {
  return database.transaction(async run => {
    const [row] = await run(`SELECT ${SCHEMA}.server_remove($1, $2, 'infinity') AS removed`, [team, person]);
    for (const table of [
      "audit_heads",
      "server_questions",
      "server_usage",
      "server_machines",
      "server_links",
      "server_people",
    ])
      await run(`DELETE FROM ${SCHEMA}.${table} WHERE team = $1 AND person = $2`, [team, person]);
    // Whoever is in another team stays known there.
    for (const table of ["server_logins", "server_identities", "server_passkeys"])
      await run(
        `DELETE FROM ${SCHEMA}.${table} WHERE person = $1
           AND NOT EXISTS (SELECT FROM ${SCHEMA}.server_people p WHERE p.person = $1)`,
        [person],
      );
    // What they told the team stays the team's, and nobody's.
    for (const table of ["memories", "earlier_values"])
      await run(`UPDATE ${SCHEMA}.${table} SET author = '' WHERE team = $1 AND author = $2`, [team, person]);
    const removed = Number(row?.["removed"]);
    await run(`INSERT INTO ${SCHEMA}.server_log (team, who, what, about) VALUES ($1, $2, $3, $4)`, [
      team,
      by,
      "deleted the data of a person",
      `${person}: ${removed} records`,
    ]);
    return removed;
  });
}
