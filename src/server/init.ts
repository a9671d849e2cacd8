import { randomBytes } from "node:crypto";
import { type Database, hasRelation, SCHEMA, VIEWS } from "../postgres/index.ts";
import { Problem } from "../state/index.ts";
import { makeLink } from "./people.ts";
import { makeServerTables, ROLE } from "./tables.ts";

/** What `serve init` will do in a database, before it does it. */
export interface InitPlan {
  readonly team: string;
  readonly hasRole: boolean;
  readonly steps: readonly string[];
}

export async function planInit({ run }: Database, team: string): Promise<InitPlan> {
  const [row] = await run(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS has_role,
       (SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user) AS may_create_role,
       has_database_privilege(current_database(), 'CREATE') AS may_create_schema, current_user AS name`,
    [ROLE],
  );
  const hasRole = row?.["has_role"] === true;
  const name = String(row?.["name"]);
  if (row?.["may_create_schema"] !== true)
    throw new Problem(`${name} may not make tables in this database`, {
      kind: "refused",
      fix: `as its owner: GRANT CREATE ON DATABASE … TO ${name}`,
    });
  if (!hasRole && row?.["may_create_role"] !== true)
    throw new Problem(`${name} may not make the role ${ROLE}`, {
      kind: "refused",
      fix: `let an administrator run: CREATE ROLE ${ROLE} LOGIN; GRANT ${ROLE} TO ${name}`,
    });
  return {
    team,
    hasRole,
    steps: [
      ...(hasRole
        ? []
        : [`make the role ${ROLE}, which the server connects as and which sees one team at a time`]),
      `make or update the tables in the schema ${SCHEMA}, and what members read of them in ${VIEWS}`,
      `make the team ${team} where it is missing`,
      "make a link, valid once, with which the first owner comes in",
    ],
  };
}

export interface InitResult {
  /** of the new role; undefined where it was there */
  readonly password: string | undefined;
  readonly link: string;
}

export async function runInit(
  database: Database,
  { team, hasRole }: InitPlan,
  owner: string,
): Promise<InitResult> {
  const password = hasRole ? undefined : randomBytes(24).toString("base64url");
  // Only letters, digits, dashes and underscores: nothing in it ends the text.
  if (password !== undefined) await database.run(`CREATE ROLE ${ROLE} LOGIN PASSWORD '${password}'`);
  // Whoever made a role may not become it by that alone (PostgreSQL 16), and is a member for `pg_has_role`: so it is tried.
  await database.run(
    `DO $$ BEGIN
       PERFORM set_config('role', '${ROLE}', true), set_config('role', 'none', true);
     EXCEPTION WHEN insufficient_privilege THEN EXECUTE 'GRANT ${ROLE} TO ' || quote_ident(session_user);
     END $$`,
  );
  await makeServerTables(database, team);
  return { password, link: await makeLink(database, { team, person: owner, role: "owner" }) };
}

/** How a part of the tables was changed: its version before and now. */
export interface TableUpdate {
  readonly part: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Brings what was made before to this program's version; several at the same time wait for each other. Undefined where
 * `serve init` was not run yet.
 */
export async function updateTables(database: Database): Promise<readonly TableUpdate[] | undefined> {
  if (!(await hasRelation(database.run, `${SCHEMA}.server_machines`))) return undefined;
  const before = await readVersions(database);
  await requireOwner(database, "updates them");
  const [row] = await database.run(`SELECT team FROM ${SCHEMA}.teams ORDER BY team LIMIT 1`);
  if (row === undefined) return undefined;
  await makeServerTables(database, String(row["team"]));
  return [...(await readVersions(database))]
    .map(([part, to]) => ({ part, from: before.get(part) ?? 0, to }))
    .filter(({ from, to }) => from !== to);
}

async function readVersions({ run }: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await run(`SELECT part, version FROM ${SCHEMA}.versions ORDER BY part`);
  return new Map(rows.map(({ part, version }) => [String(part), Number(version)]));
}

/** For an owner who lost their way in; whoever can connect as the owner of the tables could write it by hand. */
export async function makeOwnerLink(database: Database, team: string, person: string): Promise<string> {
  await requireOwner(database, "makes such a link", ", or let an admin of the team make one on its page");
  return makeLink(database, { team, person, role: "owner" });
}

/** Whether this login may change all rows of all teams. */
export async function ownsTables({ run }: Database): Promise<boolean> {
  const [row] = await run(`SELECT has_table_privilege('${SCHEMA}.members', 'INSERT') AS is_owner`);
  return row?.["is_owner"] === true;
}

/** Somebody else may see no team, and would find nothing to do. */
async function requireOwner(database: Database, does: string, otherwise = ""): Promise<void> {
  if (await ownsTables(database)) return;
  throw new Problem(`only the owner of the tables ${does}`, {
    kind: "refused",
    fix: `name the login that ran amplihack serve init${otherwise}`,
  });
}
