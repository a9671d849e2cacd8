import { TEAM_NAME } from "../config/index.ts";
import { Problem } from "../state/index.ts";
import type { Database } from "./database.ts";
import { type Migration, migrate } from "./migrate.ts";
import { PostgresError } from "./postgres-error.ts";
import { FIXED_PATH, SCHEMA, VIEWS } from "./schema.ts";

/** Whom a team's server works as: somebody who sees nothing but the rows of the team that was set. */
export const SERVER_ROLE = "amplihack_server";

/**
 * Who belongs to which team, and to which of its projects. Everybody who may connect has rights on the tables; the
 * policies of the tables ask `may_see`, so that somebody who is in no team sees and changes nothing. `session_user` is
 * whom the server let in: nothing that a client says changes it.
 */
const TEAM_TABLES: Migration = [
  `CREATE TABLE ${SCHEMA}.teams (team text PRIMARY KEY, revision bigint NOT NULL DEFAULT 0)`,
  `CREATE TABLE ${SCHEMA}.members (
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     member name NOT NULL,
     projects text[],
     PRIMARY KEY (team, member)
   )`,
  `CREATE FUNCTION ${SCHEMA}.may_see(of_team text, of_project text) RETURNS boolean
     LANGUAGE sql STABLE SECURITY DEFINER ${FIXED_PATH}
     AS $$ SELECT EXISTS (
       SELECT FROM members
       WHERE team = of_team AND member = session_user
         AND (projects IS NULL OR of_project = '' OR of_project = ANY (projects))
     ) $$`,
  // For the administrator: whoever calls it needs the rights on both tables.
  `CREATE FUNCTION ${SCHEMA}.add_member(to_team text, new_member name, of_projects text[] DEFAULT NULL) RETURNS void
     LANGUAGE sql ${FIXED_PATH}
     AS $$
       INSERT INTO teams (team) VALUES (to_team) ON CONFLICT DO NOTHING;
       INSERT INTO members (team, member, projects) VALUES (to_team, new_member, of_projects)
         ON CONFLICT (team, member) DO UPDATE SET projects = excluded.projects;
     $$`,
  `ALTER TABLE ${SCHEMA}.teams ENABLE ROW LEVEL SECURITY`,
  `CREATE POLICY own_team ON ${SCHEMA}.teams USING (${SCHEMA}.may_see(team, ''))`,
  // Members count revisions on, one by one: a number that jumps would stop all copies. Only the administrator, who has
  // the right on the whole table, sets another, and makes or removes teams.
  `CREATE FUNCTION ${SCHEMA}.revision_changing() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
     AS $$
       BEGIN
         IF NEW.revision <> OLD.revision + 1 AND NOT has_table_privilege(session_user, TG_RELID, 'UPDATE') THEN
           RAISE insufficient_privilege USING MESSAGE = 'revisions follow each other';
         END IF;
         RETURN NEW;
       END
     $$`,
  `CREATE TRIGGER revision_changing BEFORE UPDATE OF revision ON ${SCHEMA}.teams
     FOR EACH ROW EXECUTE FUNCTION ${SCHEMA}.revision_changing()`,
  `GRANT SELECT, UPDATE (revision) ON ${SCHEMA}.teams TO PUBLIC`,
  `ALTER TABLE ${SCHEMA}.members ENABLE ROW LEVEL SECURITY`,
  `CREATE POLICY own_team ON ${SCHEMA}.members FOR SELECT USING (${SCHEMA}.may_see(team, ''))`,
  `GRANT SELECT ON ${SCHEMA}.members TO PUBLIC`,
];

/**
 * A name that is misspelt is refused: a login that does not exist could be made later by anybody who may, and a team
 * that does not exist is made only where that was meant.
 */
const CHECKED_MEMBERS: Migration = [
  `CREATE FUNCTION ${SCHEMA}.make_team(new_team text) RETURNS void LANGUAGE plpgsql ${FIXED_PATH}
     AS $$ BEGIN
       IF new_team !~ '${TEAM_NAME.pattern}' THEN
         RAISE invalid_parameter_value USING MESSAGE = format('%L is no name for a team', new_team),
           HINT = 'use ${TEAM_NAME.form.replaceAll("'", "''")}';
       END IF;
       INSERT INTO teams (team) VALUES (new_team) ON CONFLICT DO NOTHING;
     END $$`,
  `CREATE OR REPLACE FUNCTION ${SCHEMA}.add_member(to_team text, new_member name, of_projects text[] DEFAULT NULL)
     RETURNS void LANGUAGE plpgsql ${FIXED_PATH}
     AS $$ BEGIN
       -- First of all: somebody else is told nothing of names.
       IF NOT has_table_privilege('${SCHEMA}.members', 'INSERT') THEN
         RAISE insufficient_privilege USING MESSAGE = 'only the administrator adds members';
       END IF;
       IF NOT EXISTS (SELECT FROM teams WHERE team = to_team) THEN
         RAISE no_data_found USING MESSAGE = format('there is no team %L', to_team),
           HINT = format('SELECT ${SCHEMA}.make_team(%L) makes it', to_team);
       END IF;
       IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = new_member) THEN
         RAISE no_data_found USING MESSAGE = format('there is no login %L', new_member),
           HINT = format('CREATE ROLE %I LOGIN makes it', new_member);
       END IF;
       INSERT INTO members (team, member, projects) VALUES (to_team, new_member, of_projects)
         ON CONFLICT (team, member) DO UPDATE SET projects = excluded.projects;
     END $$`,
];

/** Which teams the user is in, and which of their projects: null stands for all. */
export const OWN_TEAMS = `${VIEWS}.own`;
const IS_OF_OWN = "(own.projects IS NULL OR one.project = '' OR one.project = ANY (own.projects))";

/**
 * The rows of a table that the user may see, in place of a right to read it. The teams of the user lead to their rows,
 * and conditions are looked at behind both `OFFSET 0`: no index, estimate or order is used for a name that somebody tries.
 */
export function makeTeamView(table: string, condition = IS_OF_OWN): Migration {
  return [
    `CREATE OR REPLACE VIEW ${VIEWS}.${table} WITH (security_barrier) AS SELECT shown.* FROM ${OWN_TEAMS} CROSS JOIN LATERAL (
       SELECT one.* FROM ${SCHEMA}.${table} AS one WHERE one.team = own.team AND ${condition} OFFSET 0
     ) AS shown OFFSET 0`,
    `GRANT SELECT ON ${VIEWS}.${table} TO PUBLIC`,
    `REVOKE SELECT, UPDATE, DELETE ON ${SCHEMA}.${table} FROM PUBLIC`,
  ];
}

const VIEWS_OF_TEAMS: Migration = [
  // One that was left empty is made anew: whose it is may do with its views what they like.
  `DROP SCHEMA IF EXISTS ${VIEWS}`,
  `CREATE SCHEMA ${VIEWS}`,
  `GRANT USAGE ON SCHEMA ${VIEWS} TO PUBLIC`,
  `CREATE VIEW ${OWN_TEAMS} WITH (security_barrier) AS
     SELECT team, projects FROM ${SCHEMA}.members WHERE member = session_user OFFSET 0`,
  `GRANT SELECT ON ${OWN_TEAMS} TO PUBLIC`,
  ...["teams", "members"].flatMap(table => [
    ...makeTeamView(table, "true"),
    `DROP POLICY own_team ON ${SCHEMA}.${table}`,
  ]),
  // Whoever writes holds the row of the team. Of the whole view, it would be a right to lock the table.
  `GRANT UPDATE (revision) ON ${VIEWS}.teams TO PUBLIC`,
];

/** As the configuration takes it. Throws `usage`. */
export function checkTeamName(team: string): void {
  if (new RegExp(TEAM_NAME.pattern).test(team)) return;
  throw new Problem("--team must name a team", {
    kind: "usage",
    fix: `use ${TEAM_NAME.form}`,
    exitCode: 2,
  });
}

/**
 * What the policies of tables with a `team` and a `project` ask: the rule of `may_see`, as lists that are made once for
 * each statement. Asked for every row the function takes twenty times as long.
 */
export const IS_OF_WHOLE_TEAM = `team = ANY (ARRAY(SELECT of.team FROM ${OWN_TEAMS} of WHERE of.projects IS NULL))`;
export const IS_VISIBLE = ofMember("array_append(of.projects, '')");
/** The same without what counts for all projects, which a member of some of them reads only. */
export const IS_OF_OWN_PROJECT = ofMember("of.projects");

function ofMember(projects: string): string {
  return `(
  ${IS_OF_WHOLE_TEAM}
  OR (team, project) IN (
    SELECT of.team, unnest(${projects}) FROM ${OWN_TEAMS} of
  )
)`;
}

/**
 * Makes the tables where they are missing, and the team where the administrator asks for a new one. Throws `refused`
 * for everybody else who is no member.
 */
export async function joinTeam(database: Database, team: string): Promise<void> {
  await migrate(database, "teams", [TEAM_TABLES, CHECKED_MEMBERS, VIEWS_OF_TEAMS]);
  const [row] = await database.run(
    `SELECT ${SCHEMA}.may_see($1, '') AS is_member,
       has_table_privilege('${SCHEMA}.members', 'INSERT') AS is_administrator`,
    [team],
  );
  if (row?.["is_member"] === true) return;
  if (row?.["is_administrator"] !== true) throw await notMember(database, team);
  await database.run(`SELECT ${SCHEMA}.make_team($1), ${SCHEMA}.add_member($1, session_user)`, [team]);
}

/** The user of the connection, in whose name the server keeps what is shipped. */
export async function connectedUser({ run }: Database): Promise<string> {
  const [row] = await run("SELECT session_user AS name");
  return String(row?.["name"]);
}

/** For somebody who is not in the team, or in none at all. */
export async function notMember(database: Database, team: string | undefined): Promise<PostgresError> {
  const name = await connectedUser(database);
  const where = team === undefined ? "in no team" : `not in the team ${team}`;
  return new PostgresError("refused", `the user ${name} of ${database.place} is ${where}`, {
    fix: joiningStatement(team ?? "TEAM", name),
  });
}

/** For an administrator to copy: whoever asks to be let in chose these names. */
export function joiningStatement(team: string, name: string): string {
  const [quotedTeam, quotedName] = [team, name].map(text => `'${text.replaceAll("'", "''")}'`);
  return `let its administrator run: SELECT ${SCHEMA}.add_member(${quotedTeam}, ${quotedName})`;
}
