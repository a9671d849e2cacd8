import { generateKeyPairSync } from "node:crypto";
import { loadMemoryTables } from "../memory/index.ts";
import {
  type Database,
  FIXED_PATH,
  hasRelation,
  joinTeam,
  type Migration,
  migrate,
  SCHEMA,
  SERVER_ROLE,
} from "../postgres/index.ts";
import { loadConnection } from "../recipes/index.ts";
import { loadRecordTables } from "../ship/index.ts";

export const ROLE = SERVER_ROLE;
/** What people may do in a team, each all that those before may. */
export const ROLES = ["viewer", "member", "approver", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

const OF_TEAM = "team = current_setting('amplihack.team', true)";
const ROLE_LIST = ROLES.map(role => `'${role}'`).join(", ");

/** Rows of one team, held back by the database whatever the server asks for. */
const ofTeam = (table: string, rights: string): readonly string[] => [
  `ALTER TABLE ${SCHEMA}.${table} ENABLE ROW LEVEL SECURITY`,
  `CREATE POLICY server_team ON ${SCHEMA}.${table} TO ${ROLE} USING (${OF_TEAM}) WITH CHECK (${OF_TEAM})`,
  // The policies for members count for everybody, so also for this role: this one they cannot widen.
  `CREATE POLICY server_only ON ${SCHEMA}.${table} AS RESTRICTIVE TO ${ROLE} USING (${OF_TEAM}) WITH CHECK (${OF_TEAM})`,
  `GRANT ${rights} ON ${SCHEMA}.${table} TO ${ROLE}`,
];

/** A function of the owner's, for what belongs to no team yet: it answers to whoever knows the secret, and lists nothing. */
const secret = (name: string, parameters: string, result: string, body: string): readonly string[] => [
  `CREATE FUNCTION ${SCHEMA}.${name}(${parameters}) RETURNS ${result}
     LANGUAGE plpgsql SECURITY DEFINER ${FIXED_PATH} AS $secret$ ${body} $secret$`,
  `REVOKE ALL ON FUNCTION ${SCHEMA}.${name} FROM PUBLIC`,
  `GRANT EXECUTE ON FUNCTION ${SCHEMA}.${name} TO ${ROLE}`,
];

const MAX_OPEN_JOINS = 1_000;
const MAX_OPEN_VISITS = 10_000;

/** Hands the key of a machine out, once; `naming` may give it another name first. */
const takeJoin = (naming: string): readonly string[] =>
  secret(
    "server_take_join",
    "of_hash text, new_id text, new_key text",
    "TABLE (state text, team text, person text, machine text)",
    `DECLARE wanted server_joins;
     BEGIN
       SELECT * INTO wanted FROM server_joins j WHERE j.hash = of_hash AND j.expires > now() FOR UPDATE;
       IF wanted.hash IS NULL THEN RETURN QUERY SELECT 'gone', '', '', ''; RETURN; END IF;
       IF wanted.is_refused THEN RETURN QUERY SELECT 'refused', '', '', ''; RETURN; END IF;
       IF wanted.team IS NULL THEN RETURN QUERY SELECT 'waiting', '', '', ''; RETURN; END IF;
       ${naming}INSERT INTO server_machines (id, team, person, machine, hash)
         VALUES (new_id, wanted.team, wanted.person, wanted.machine, new_key);
       INSERT INTO server_log (team, who, what, about)
         VALUES (wanted.team, wanted.person, 'let a machine join', wanted.machine);
       DELETE FROM server_joins j WHERE j.hash = of_hash;
       RETURN QUERY SELECT 'joined', wanted.team, wanted.person, wanted.machine;
     END`,
  );

/** Secrets are stored as their SHA-256: whoever reads the tables cannot use one. */
const SERVER_TABLES: Migration = [
  `CREATE TABLE ${SCHEMA}.server_people (
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     person text NOT NULL CHECK (length(person) BETWEEN 1 AND 60),
     role text NOT NULL CHECK (role IN (${ROLE_LIST})),
     since timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (team, person)
   )`,
  `CREATE TABLE ${SCHEMA}.server_links (
     hash text PRIMARY KEY,
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     person text NOT NULL,
     role text NOT NULL CHECK (role IN (${ROLE_LIST})),
     expires timestamptz NOT NULL,
     used timestamptz
   )`,
  `CREATE TABLE ${SCHEMA}.server_logins (
     hash text PRIMARY KEY,
     person text NOT NULL,
     csrf text NOT NULL,
     since timestamptz NOT NULL DEFAULT now(),
     expires timestamptz NOT NULL
   )`,
  `CREATE TABLE ${SCHEMA}.server_machines (
     id text PRIMARY KEY,
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     person text NOT NULL,
     machine text NOT NULL,
     hash text NOT NULL UNIQUE,
     next_hash text UNIQUE,
     key_since timestamptz NOT NULL DEFAULT now(),
     since timestamptz NOT NULL DEFAULT now(),
     seen timestamptz,
     revoked timestamptz,
     program text NOT NULL DEFAULT '',
     policy text NOT NULL DEFAULT '',
     autonomy text NOT NULL DEFAULT '',
     hosts text[] NOT NULL DEFAULT '{}'
   )`,
  `CREATE INDEX server_machines_by_team ON ${SCHEMA}.server_machines (team, machine)`,
  `CREATE TABLE ${SCHEMA}.server_joins (
     hash text PRIMARY KEY,
     code text NOT NULL UNIQUE,
     machine text NOT NULL,
     expires timestamptz NOT NULL,
     team text,
     person text,
     is_refused boolean NOT NULL DEFAULT false
   )`,
  `CREATE TABLE ${SCHEMA}.server_log (
     number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     at timestamptz NOT NULL DEFAULT now(),
     who text NOT NULL,
     what text NOT NULL,
     about text NOT NULL
   )`,
  `CREATE INDEX server_log_by_team ON ${SCHEMA}.server_log (team, number)`,
  `CREATE TABLE ${SCHEMA}.server_anchors (
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     number bigint NOT NULL,
     through bigint NOT NULL,
     records bigint NOT NULL,
     hash text NOT NULL,
     made timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (team, number)
   )`,
  ...ofTeam("server_people", "SELECT, INSERT, UPDATE, DELETE"),
  ...ofTeam("server_links", "INSERT"),
  ...ofTeam("server_machines", "SELECT, UPDATE (seen, revoked, program, policy, autonomy, hosts, next_hash)"),
  ...ofTeam("server_log", "SELECT, INSERT"),
  ...ofTeam("server_anchors", "SELECT, INSERT"),
  ...ofTeam("records", "SELECT"),
  ...ofTeam("audit_heads", "SELECT"),
  ...ofTeam("rollups", "SELECT"),
  ...ofTeam("sessions", "SELECT"),
  ...ofTeam("teams", "SELECT, UPDATE (revision)"),
  ...ofTeam("members", "SELECT"),
  // In the name of the person whose machine it is.
  `GRANT INSERT (team, id, kind, time, person, machine, project, host, session, hash, fields) ON ${SCHEMA}.records TO ${ROLE}`,
  `GRANT INSERT (team, person, machine, seq, hash) ON ${SCHEMA}.audit_heads TO ${ROLE}`,
  `ALTER TABLE ${SCHEMA}.server_logins ENABLE ROW LEVEL SECURITY`,
  `ALTER TABLE ${SCHEMA}.server_joins ENABLE ROW LEVEL SECURITY`,
  ...secret(
    "server_machine",
    "of_hash text",
    "TABLE (id text, team text, person text, machine text, is_old boolean, has_next boolean)",
    `BEGIN
       -- A key that was handed out is in use from its first request on, and the one before it is not any more.
       UPDATE server_machines m SET hash = m.next_hash, next_hash = NULL, key_since = now()
         WHERE m.next_hash = of_hash AND m.revoked IS NULL;
       RETURN QUERY SELECT m.id, m.team, m.person, m.machine, m.key_since < now() - interval '30 days',
           m.next_hash IS NOT NULL
         FROM server_machines m WHERE m.hash = of_hash AND m.revoked IS NULL;
     END`,
  ),
  ...secret("server_teams", "", "TABLE (team text)", "BEGIN RETURN QUERY SELECT t.team FROM teams t; END"),
  ...secret(
    "server_login",
    "of_hash text",
    "TABLE (person text, csrf text, teams jsonb)",
    `BEGIN
       RETURN QUERY SELECT l.person, l.csrf,
           coalesce((SELECT jsonb_object_agg(p.team, p.role) FROM server_people p WHERE p.person = l.person), '{}')
         FROM server_logins l WHERE l.hash = of_hash AND l.expires > now();
     END`,
  ),
  ...secret(
    "server_log_in",
    "of_person text, new_hash text, new_csrf text, old_hash text, seconds integer",
    "void",
    `BEGIN
       DELETE FROM server_logins WHERE hash = old_hash OR expires < now();
       INSERT INTO server_logins (hash, person, csrf, expires)
         VALUES (new_hash, of_person, new_csrf, now() + make_interval(secs => seconds));
     END`,
  ),
  ...secret(
    "server_log_out",
    "old_hash text",
    "void",
    "BEGIN DELETE FROM server_logins WHERE hash = old_hash; END",
  ),
  ...secret(
    "server_use_link",
    "of_hash text",
    "TABLE (person text, team text)",
    `DECLARE link server_links;
     BEGIN
       UPDATE server_links SET used = now() WHERE hash = of_hash AND used IS NULL AND expires > now()
         RETURNING * INTO link;
       IF link.hash IS NULL THEN RETURN; END IF;
       INSERT INTO server_people AS p (team, person, role) VALUES (link.team, link.person, link.role)
         ON CONFLICT ON CONSTRAINT server_people_pkey DO UPDATE SET role = excluded.role;
       INSERT INTO server_log (team, who, what, about) VALUES (link.team, link.person, 'came in by a link', link.role);
       RETURN QUERY SELECT link.person, link.team;
     END`,
  ),
  ...secret(
    "server_begin_join",
    "new_hash text, new_code text, new_machine text, seconds integer",
    "boolean",
    `BEGIN
       DELETE FROM server_joins WHERE expires < now();
       IF (SELECT count(*) FROM server_joins) >= ${MAX_OPEN_JOINS} THEN RETURN false; END IF;
       INSERT INTO server_joins (hash, code, machine, expires)
         VALUES (new_hash, new_code, left(new_machine, 300), now() + make_interval(secs => seconds));
       RETURN true;
     END`,
  ),
  ...secret(
    "server_find_join",
    "of_code text",
    "TABLE (machine text)",
    `BEGIN
       RETURN QUERY SELECT j.machine FROM server_joins j
         WHERE j.code = of_code AND j.expires > now() AND j.team IS NULL AND NOT j.is_refused;
     END`,
  ),
  ...secret(
    "server_answer_join",
    "of_code text, by_person text, to_team text",
    "boolean",
    `BEGIN
       IF to_team IS NOT NULL AND NOT EXISTS (
         SELECT FROM server_people p WHERE p.team = to_team AND p.person = by_person AND p.role <> 'viewer'
       ) THEN RETURN false; END IF;
       UPDATE server_joins SET team = to_team, person = by_person, is_refused = to_team IS NULL
         WHERE code = of_code AND expires > now() AND team IS NULL AND NOT is_refused;
       RETURN FOUND;
     END`,
  ),
  ...takeJoin(""),
];

/** What machines ask, and what a person answered. The whole of what was shown is compared: nobody agrees to anything else. */
const QUESTIONS: Migration = [
  `CREATE TABLE ${SCHEMA}.server_keys (
     is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
     private text NOT NULL,
     public text NOT NULL
   )`,
  `GRANT SELECT ON ${SCHEMA}.server_keys TO ${ROLE}`,
  `CREATE TABLE ${SCHEMA}.server_settings (
     team text PRIMARY KEY REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     four_eyes boolean NOT NULL DEFAULT false,
     keep_months integer CHECK (keep_months BETWEEN 1 AND 600),
     silent_hours integer NOT NULL DEFAULT 24 CHECK (silent_hours BETWEEN 1 AND 10000)
   )`,
  `CREATE TABLE ${SCHEMA}.server_questions (
     id text PRIMARY KEY,
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     machine_id text NOT NULL REFERENCES ${SCHEMA}.server_machines ON DELETE CASCADE,
     machine text NOT NULL,
     person text NOT NULL,
     digest text NOT NULL,
     shown text NOT NULL,
     facts jsonb NOT NULL,
     asked timestamptz NOT NULL DEFAULT now(),
     answer text CHECK (answer IN ('once', 'always', 'no')),
     answered_by text,
     answered timestamptz,
     until timestamptz,
     used timestamptz,
     nonce text
   )`,
  `CREATE INDEX server_questions_by_call ON ${SCHEMA}.server_questions (machine_id, digest, asked)`,
  `CREATE INDEX server_questions_by_team ON ${SCHEMA}.server_questions (team, asked)`,
  ...ofTeam("server_settings", "SELECT, INSERT, UPDATE"),
  ...ofTeam("server_questions", "SELECT, INSERT, UPDATE (answer, answered_by, answered, until, used, nonce)"),
];

const POLICIES_AND_ALERTS: Migration = [
  `ALTER TABLE ${SCHEMA}.server_machines ADD COLUMN server_policy text NOT NULL DEFAULT '',
     ADD COLUMN told_silent timestamptz`,
  `GRANT UPDATE (server_policy, told_silent) ON ${SCHEMA}.server_machines TO ${ROLE}`,
  // What was rolled out stays as it is: only how many machines get it changes.
  `CREATE TABLE ${SCHEMA}.server_policies (
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     version integer NOT NULL,
     author text NOT NULL,
     reason text NOT NULL,
     text text NOT NULL,
     cases text NOT NULL,
     sha256 text NOT NULL,
     statement text NOT NULL,
     signature text NOT NULL,
     made timestamptz NOT NULL DEFAULT now(),
     share integer NOT NULL DEFAULT 0 CHECK (share BETWEEN 0 AND 100),
     PRIMARY KEY (team, version)
   )`,
  `CREATE TABLE ${SCHEMA}.server_webhooks (
     id text PRIMARY KEY,
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     url text NOT NULL,
     form text NOT NULL CHECK (form IN ('json', 'slack', 'ecs')),
     secret text NOT NULL,
     events text[] NOT NULL,
     rules text[] NOT NULL DEFAULT '{}'
   )`,
  `CREATE TABLE ${SCHEMA}.server_deliveries (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     webhook text NOT NULL REFERENCES ${SCHEMA}.server_webhooks ON DELETE CASCADE,
     key text NOT NULL,
     body text NOT NULL,
     made timestamptz NOT NULL DEFAULT now(),
     attempts integer NOT NULL DEFAULT 0,
     next timestamptz DEFAULT now(),
     done timestamptz,
     problem text NOT NULL DEFAULT '',
     UNIQUE (webhook, key)
   )`,
  `CREATE INDEX server_deliveries_due ON ${SCHEMA}.server_deliveries (team, next) WHERE next IS NOT NULL`,
  ...ofTeam("server_policies", "SELECT, INSERT, UPDATE (share)"),
  ...ofTeam("server_webhooks", "SELECT, INSERT, DELETE"),
  ...ofTeam("server_deliveries", "SELECT, INSERT, UPDATE (attempts, next, done, problem), DELETE"),
];

/** People of a provider. Whoever came first under a name keeps it: names are given again, subjects are not. */
const SINGLE_SIGN_ON: Migration = [
  `ALTER TABLE ${SCHEMA}.server_people ADD COLUMN by_claims boolean NOT NULL DEFAULT false`,
  `CREATE TABLE ${SCHEMA}.server_identities (
     issuer text NOT NULL,
     subject text NOT NULL,
     person text NOT NULL,
     since timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (issuer, subject),
     UNIQUE (issuer, person)
   )`,
  `CREATE TABLE ${SCHEMA}.server_visits (
     hash text PRIMARY KEY,
     verifier text NOT NULL,
     nonce text NOT NULL,
     target text NOT NULL,
     expires timestamptz NOT NULL
   )`,
  `ALTER TABLE ${SCHEMA}.server_identities ENABLE ROW LEVEL SECURITY`,
  `ALTER TABLE ${SCHEMA}.server_visits ENABLE ROW LEVEL SECURITY`,
  ...secret(
    "server_begin_visit",
    "new_hash text, new_verifier text, new_nonce text, new_target text, seconds integer",
    "boolean",
    `BEGIN
       DELETE FROM server_visits WHERE expires < now();
       IF (SELECT count(*) FROM server_visits) >= ${MAX_OPEN_VISITS} THEN RETURN false; END IF;
       INSERT INTO server_visits VALUES
         (new_hash, new_verifier, new_nonce, new_target, now() + make_interval(secs => seconds));
       RETURN true;
     END`,
  ),
  ...secret(
    "server_end_visit",
    "of_hash text",
    "TABLE (verifier text, nonce text, target text)",
    `BEGIN
       RETURN QUERY DELETE FROM server_visits v WHERE v.hash = of_hash AND v.expires > now()
         RETURNING v.verifier, v.nonce, v.target;
     END`,
  ),
  // Roles of claims replace those that claims gave before, and none that a person gave. Null: claims give no roles.
  ...secret(
    "server_know",
    "of_issuer text, of_subject text, of_person text, claimed jsonb",
    "text",
    `DECLARE known text;
     BEGIN
       INSERT INTO server_identities (issuer, subject, person) VALUES (of_issuer, of_subject, of_person)
         ON CONFLICT DO NOTHING;
       SELECT i.person INTO known FROM server_identities i WHERE i.issuer = of_issuer AND i.subject = of_subject;
       IF known IS NULL OR claimed IS NULL THEN RETURN known; END IF;
       DELETE FROM server_people p WHERE p.person = known AND p.by_claims AND NOT claimed ? p.team;
       INSERT INTO server_people AS p (team, person, role, by_claims)
         SELECT t.team, known, c.value, true FROM jsonb_each_text(claimed) c JOIN teams t ON t.team = c.key
           WHERE c.value IN (${ROLE_LIST})
         ON CONFLICT ON CONSTRAINT server_people_pkey DO UPDATE SET role = excluded.role WHERE p.by_claims;
       RETURN known;
     END`,
  ),
];

/** Which links of the chain held records that are removed: their hashes stand, and can be computed no more. */
const markPruned = (records: string, of: string): string =>
  `UPDATE server_anchors a SET pruned = true WHERE NOT a.pruned AND EXISTS (
     SELECT FROM ${records} r WHERE r.team = a.team AND ${of} AND r.number <= a.through AND r.number > coalesce(
       (SELECT max(b.through) FROM server_anchors b WHERE b.team = a.team AND b.number < a.number), 0))`;

const MONTH_TABLE = "^records_[0-9]{4}_[0-9]{2}$";

const RETENTION: Migration = [
  `ALTER TABLE ${SCHEMA}.server_anchors ADD COLUMN pruned boolean NOT NULL DEFAULT false`,
  // For the owner alone.
  `CREATE FUNCTION ${SCHEMA}.server_remove(of_team text, of_person text, before timestamptz) RETURNS bigint
     LANGUAGE plpgsql SECURITY DEFINER ${FIXED_PATH} AS $remove$
     DECLARE removed bigint;
     BEGIN
       -- Writers of records and of links hold the same row.
       PERFORM FROM teams WHERE team = of_team FOR NO KEY UPDATE;
       ${markPruned("records", "r.team = of_team AND r.time < before AND (of_person IS NULL OR r.person = of_person)")};
       DELETE FROM records r WHERE r.team = of_team AND r.time < before AND (of_person IS NULL OR r.person = of_person);
       GET DIAGNOSTICS removed = ROW_COUNT;
       RETURN removed;
     END $remove$`,
  `REVOKE ALL ON FUNCTION ${SCHEMA}.server_remove FROM PUBLIC`,
  // A month that no team keeps is dropped as a table; what one team alone does not keep is deleted.
  ...secret(
    "server_prune",
    "",
    "void",
    `DECLARE
       this_month timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
       longest integer;
       part record;
       has_rows boolean;
       kept record;
       removed bigint;
     BEGIN
       PERFORM set_config('lock_timeout', '5s', true);
       SELECT CASE WHEN count(*) = count(s.keep_months) THEN max(s.keep_months) END INTO longest
         FROM teams t LEFT JOIN server_settings s ON s.team = t.team;
       FOR part IN SELECT c.relname AS name,
             to_date(substr(c.relname, 9), 'YYYY_MM')::timestamp AT TIME ZONE 'UTC' AS month
           FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
           WHERE i.inhparent = '${SCHEMA}.records'::regclass AND c.relname ~ '${MONTH_TABLE}' AND longest IS NOT NULL LOOP
         CONTINUE WHEN part.month >= this_month - make_interval(months => longest);
         EXECUTE format('SELECT EXISTS (SELECT FROM %I)', part.name) INTO has_rows;
         CONTINUE WHEN NOT has_rows;
         EXECUTE format($mark$${markPruned("%I", "true")}$mark$, part.name);
         EXECUTE format('DROP TABLE ${SCHEMA}.%I', part.name);
         DELETE FROM rollups WHERE start < part.month + interval '1 month';
         DELETE FROM sessions WHERE last < part.month + interval '1 month';
         INSERT INTO server_log (team, who, what, about)
           SELECT t.team, 'the server', 'dropped the records of a month', to_char(part.month AT TIME ZONE 'UTC', 'YYYY-MM')
           FROM teams t;
       END LOOP;
       FOR kept IN SELECT s.team, this_month - make_interval(months => s.keep_months) AS since
           FROM server_settings s WHERE s.keep_months IS NOT NULL LOOP
         removed := server_remove(kept.team, NULL, kept.since);
         CONTINUE WHEN removed = 0;
         INSERT INTO server_log (team, who, what, about) VALUES (kept.team, 'the server', 'deleted records',
           removed || ' before ' || to_char(kept.since AT TIME ZONE 'UTC', 'YYYY-MM-DD'));
       END LOOP;
     END`,
  ),
];

const TOTALS: Migration = ofTeam("totals", "SELECT");

/** Keys of people's devices. They belong to a person, in whatever teams. */
const PASSKEYS: Migration = [
  `CREATE TABLE ${SCHEMA}.server_passkeys (
     id text PRIMARY KEY,
     person text NOT NULL,
     key text NOT NULL,
     counter bigint NOT NULL,
     since timestamptz NOT NULL DEFAULT now(),
     used timestamptz
   )`,
  `ALTER TABLE ${SCHEMA}.server_passkeys ENABLE ROW LEVEL SECURITY`,
  ...secret(
    "server_add_passkey",
    "new_id text, of_person text, new_key text, new_counter bigint, most integer",
    "boolean",
    `BEGIN
       IF (SELECT count(*) FROM server_passkeys WHERE person = of_person) >= most THEN RETURN false; END IF;
       INSERT INTO server_passkeys (id, person, key, counter) VALUES (new_id, of_person, new_key, new_counter)
         ON CONFLICT DO NOTHING;
       RETURN FOUND;
     END`,
  ),
  ...secret(
    "server_passkey",
    "of_id text",
    "TABLE (person text, key text)",
    "BEGIN RETURN QUERY SELECT p.person, p.key FROM server_passkeys p WHERE p.id = of_id; END",
  ),
  ...secret(
    "server_use_passkey",
    "of_id text, new_counter bigint",
    "boolean",
    `BEGIN
       UPDATE server_passkeys SET counter = new_counter, used = now()
         WHERE id = of_id AND (new_counter > counter OR (new_counter = 0 AND counter = 0));
       RETURN FOUND;
     END`,
  ),
  ...secret(
    "server_passkeys_of",
    "of_person text",
    "TABLE (id text, since timestamptz, used timestamptz)",
    `BEGIN
       RETURN QUERY SELECT p.id, p.since, p.used FROM server_passkeys p WHERE p.person = of_person ORDER BY p.since;
     END`,
  ),
  ...secret(
    "server_remove_passkey",
    "of_id text, of_person text",
    "void",
    "BEGIN DELETE FROM server_passkeys WHERE id = of_id AND person = of_person; END",
  ),
];

/** What machines of the team share. Who wrote it is the person whose machine it is. */
const MEMORIES: Migration = ["memories", "memory_removals", "earlier_values"].flatMap(table =>
  ofTeam(table, "SELECT"),
);

/** What models cost, by day: sums that machines tell. */
const USAGE: Migration = [
  `CREATE TABLE ${SCHEMA}.server_usage (
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     machine_id text NOT NULL,
     person text NOT NULL,
     machine text NOT NULL,
     day date NOT NULL,
     project text NOT NULL,
     host text NOT NULL,
     model text NOT NULL,
     answers bigint NOT NULL,
     input bigint NOT NULL,
     output bigint NOT NULL,
     cache_read bigint NOT NULL,
     cache_write bigint NOT NULL,
     cost double precision NOT NULL,
     unpriced bigint NOT NULL,
     PRIMARY KEY (team, machine_id, day, project, host, model)
   )`,
  `CREATE INDEX server_usage_by_day ON ${SCHEMA}.server_usage (team, day)`,
  ...ofTeam(
    "server_usage",
    "SELECT, INSERT, DELETE, UPDATE (answers, input, output, cache_read, cache_write, cost, unpriced)",
  ),
];

/** Two machines of one name would send two audit logs that look like one: the second is called `laptop 2`. */
const NAMES: Migration = takeJoin(
  `DECLARE first_name text := wanted.machine; next_number integer := 2;
       BEGIN
         PERFORM FROM teams t WHERE t.team = wanted.team FOR NO KEY UPDATE;
         WHILE EXISTS (
           SELECT FROM server_machines m WHERE m.team = wanted.team AND m.machine = wanted.machine AND m.revoked IS NULL
         ) LOOP
           wanted.machine := left(first_name, 290) || ' ' || next_number;
           next_number := next_number + 1;
         END LOOP;
       END;
       `,
).map(statement => statement.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"));

/** Whether a passkey is one of the logins for these teams; null: of all teams. */
const IS_OF_LOGIN = "p.person = of_person AND (of_teams IS NULL OR p.teams <@ of_teams)";

/**
 * Whose name it is each team says for itself. So a link lets its bearer into the team whose admin made it and into no
 * other one where somebody has that name; a passkey opens what the login opened that added it. A provider proves who
 * somebody is in all teams: `teams` is null.
 */
const TEAMS_OF_LOGINS: Migration = [
  ...["server_logins", "server_passkeys"].flatMap(table => [
    `ALTER TABLE ${SCHEMA}.${table} ADD COLUMN teams text[]`,
    `UPDATE ${SCHEMA}.${table} l SET teams = ARRAY(SELECT p.team FROM ${SCHEMA}.server_people p WHERE p.person = l.person)`,
  ]),
  ...secret(
    "server_find_login",
    "of_hash text",
    "TABLE (person text, csrf text, roles jsonb, teams text[])",
    `BEGIN
       RETURN QUERY SELECT l.person, l.csrf, coalesce((SELECT jsonb_object_agg(p.team, p.role) FROM server_people p
             WHERE p.person = l.person AND (l.teams IS NULL OR p.team = ANY (l.teams))), '{}'), l.teams
         FROM server_logins l WHERE l.hash = of_hash AND l.expires > now();
     END`,
  ),
  ...secret(
    "server_come_in",
    "of_person text, by_team text, by_passkey text, new_hash text, new_csrf text, old_hash text, seconds integer",
    "void",
    `DECLARE opened text[];
     BEGIN
       IF by_passkey IS NOT NULL THEN
         SELECT p.teams INTO STRICT opened FROM server_passkeys p WHERE p.id = by_passkey AND p.person = of_person;
       ELSIF by_team IS NOT NULL THEN
         SELECT CASE WHEN l.teams IS NOT NULL THEN array_append(l.teams, by_team) END INTO opened FROM server_logins l
           WHERE l.hash = old_hash AND l.person = of_person AND l.expires > now();
         IF NOT FOUND THEN opened := ARRAY[by_team]; END IF;
       END IF;
       DELETE FROM server_logins WHERE hash = old_hash OR expires < now();
       INSERT INTO server_logins (hash, person, csrf, expires, teams)
         VALUES (new_hash, of_person, new_csrf, now() + make_interval(secs => seconds), opened);
     END`,
  ),
  ...secret(
    "server_keep_passkey",
    "new_id text, of_person text, of_teams text[], new_key text, new_counter bigint, most integer",
    "boolean",
    `BEGIN
       IF (SELECT count(*) FROM server_passkeys p WHERE ${IS_OF_LOGIN}) >= most THEN RETURN false; END IF;
       INSERT INTO server_passkeys (id, person, teams, key, counter)
         VALUES (new_id, of_person, of_teams, new_key, new_counter) ON CONFLICT DO NOTHING;
       RETURN FOUND;
     END`,
  ),
  ...secret(
    "server_own_passkeys",
    "of_person text, of_teams text[]",
    "TABLE (id text, since timestamptz, used timestamptz)",
    `BEGIN
       RETURN QUERY SELECT p.id, p.since, p.used FROM server_passkeys p WHERE ${IS_OF_LOGIN} ORDER BY p.since;
     END`,
  ),
  ...secret(
    "server_drop_passkey",
    "of_id text, of_person text, of_teams text[]",
    "void",
    `BEGIN DELETE FROM server_passkeys p WHERE p.id = of_id AND ${IS_OF_LOGIN}; END`,
  ),
  // An older server goes on with the logins that there are, and lets nobody in as it did.
  `CREATE OR REPLACE FUNCTION ${SCHEMA}.server_login(of_hash text) RETURNS TABLE (person text, csrf text, teams jsonb)
     LANGUAGE sql SECURITY DEFINER ${FIXED_PATH}
     AS $login$ SELECT person, csrf, roles FROM server_find_login(of_hash) $login$`,
  ...["server_log_in", "server_add_passkey", "server_remove_passkey"].map(
    name => `DROP FUNCTION ${SCHEMA}.${name}`,
  ),
  // A newer word about a person counts, also about one who has not come in yet.
  ...secret(
    "server_drop_links",
    "of_person text",
    "boolean",
    `BEGIN
       DELETE FROM server_links l
         WHERE l.team = current_setting('amplihack.team', true) AND l.person = of_person AND l.used IS NULL;
       RETURN FOUND;
     END`,
  ),
  // Whoever is removed, and let in again under that name by somebody else, needs a new way in.
  `CREATE FUNCTION ${SCHEMA}.server_person_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER ${FIXED_PATH}
     AS $gone$ BEGIN
       UPDATE server_logins SET teams = array_remove(teams, OLD.team) WHERE person = OLD.person;
       UPDATE server_passkeys SET teams = array_remove(teams, OLD.team) WHERE person = OLD.person;
       DELETE FROM server_passkeys WHERE person = OLD.person AND teams = '{}';
       DELETE FROM server_links WHERE team = OLD.team AND person = OLD.person;
       RETURN NULL;
     END $gone$`,
  `CREATE TRIGGER person_gone AFTER DELETE ON ${SCHEMA}.server_people
     FOR EACH ROW EXECUTE FUNCTION ${SCHEMA}.server_person_gone()`,
];

const rank = (role: string): string => `array_position(ARRAY[${ROLE_LIST}], ${role})`;

/**
 * Whoever is removed or becomes less, by whomever, lets nobody in any more, and a viewer has no machines. The last owner
 * does not become less: a change of that row is left out.
 */
const LESS: Migration = [
  `ALTER TABLE ${SCHEMA}.server_links ADD COLUMN made_by text`,
  `CREATE FUNCTION ${SCHEMA}.server_person_less() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER ${FIXED_PATH}
     AS $less$ BEGIN
       DELETE FROM server_links WHERE team = OLD.team AND made_by = OLD.person AND used IS NULL;
       IF TG_OP = 'DELETE' OR NEW.role = 'viewer' THEN
         -- First what is about to become a machine.
         UPDATE server_joins SET is_refused = true WHERE team = OLD.team AND person = OLD.person;
         UPDATE server_machines SET revoked = now() WHERE team = OLD.team AND person = OLD.person AND revoked IS NULL;
       END IF;
       RETURN NULL;
     END $less$`,
  `CREATE FUNCTION ${SCHEMA}.server_last_owner() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER ${FIXED_PATH}
     AS $last$ BEGIN
       -- Two owners who change each other follow each other.
       PERFORM FROM teams WHERE team = OLD.team FOR NO KEY UPDATE;
       IF EXISTS (SELECT FROM server_people WHERE team = OLD.team AND role = 'owner' AND person <> OLD.person) THEN
         RETURN NEW;
       END IF;
       RETURN NULL;
     END $last$`,
  `CREATE TRIGGER last_owner BEFORE UPDATE OF role ON ${SCHEMA}.server_people
     FOR EACH ROW WHEN (OLD.role = 'owner' AND NEW.role <> 'owner') EXECUTE FUNCTION ${SCHEMA}.server_last_owner()`,
  `CREATE TRIGGER person_less AFTER DELETE ON ${SCHEMA}.server_people
     FOR EACH ROW EXECUTE FUNCTION ${SCHEMA}.server_person_less()`,
  `CREATE TRIGGER role_less AFTER UPDATE OF role ON ${SCHEMA}.server_people
     FOR EACH ROW WHEN (${rank("NEW.role")} < ${rank("OLD.role")}) EXECUTE FUNCTION ${SCHEMA}.server_person_less()`,
];

/** Everybody might, before members read views: an older server goes on. */
const REMOVALS: Migration = [`GRANT UPDATE (removed_ms) ON ${SCHEMA}.memory_removals TO ${ROLE}`];

export const MIGRATIONS: readonly Migration[] = [
  SERVER_TABLES,
  QUESTIONS,
  POLICIES_AND_ALERTS,
  SINGLE_SIGN_ON,
  RETENTION,
  TOTALS,
  MEMORIES,
  PASSKEYS,
  USAGE,
  NAMES,
  TEAMS_OF_LOGINS,
  LESS,
  REMOVALS,
];

/** Everything that the server needs. For the owner of the database; the role must be there. */
export async function makeServerTables(
  database: Database,
  team: string,
  migrations = MIGRATIONS,
): Promise<void> {
  const { makeRecordTables, makeMonths } = await loadRecordTables();
  await joinTeam(database, team);
  await makeRecordTables(database);
  await makeMonths(database);
  const { prepareMemoryTables } = await loadMemoryTables();
  await prepareMemoryTables(database, team);
  await migrate(database, "server", migrations);
  const { showRunsToServer } = await loadConnection();
  await showRunsToServer(database);
  await makeSigningKey(database);
}

/** Two at the same time: the first one's stays. */
async function makeSigningKey({ run }: Database): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  await run(`INSERT INTO ${SCHEMA}.server_keys (private, public) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
    privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    // The last 32 bytes are the key itself.
    publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64"),
  ]);
}

/** Those of a newer program are taken: an older server goes on while another one is updated. */
export async function hasServerTables({ run }: Database): Promise<boolean> {
  if (!(await hasRelation(run, `${SCHEMA}.server_machines`))) return false;
  const [row] = await run(`SELECT version FROM ${SCHEMA}.versions WHERE part = 'server'`);
  return Number(row?.["version"]) >= MIGRATIONS.length;
}
