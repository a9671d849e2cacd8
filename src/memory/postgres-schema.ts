import {
  type Database,
  FIXED_PATH,
  hasRelation,
  IS_OF_OWN_PROJECT,
  IS_VISIBLE,
  joinTeam,
  type Migration,
  makeViewOf,
  migrate,
  SCHEMA,
  SERVER_ROLE,
} from "../postgres/index.ts";
import { CATEGORIES, MAX_TIME_MS, TEXT_LIMITS, VALUE_TYPES } from "./memory.ts";
import { MEMORIES, ofProject, USES, WRITTEN_COLUMNS } from "./postgres-search.ts";

/**
 * Everybody has `rights` on single columns, never on a whole table: whoever may delete from a table, or change any column
 * of it, may lock it, and all others wait. They leave out what the server alone fills: numbers that all teams share,
 * authors and revisions.
 */
function separate(table: string, rights: string, condition = IS_VISIBLE): Migration {
  const name = `${SCHEMA}.${table}`;
  return [
    `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY`,
    `DROP POLICY IF EXISTS own_team ON ${name}`,
    `CREATE POLICY own_team ON ${name} USING (${condition})`,
    `REVOKE ALL ON ${name} FROM PUBLIC`,
    `GRANT SELECT, ${rights} ON ${name} TO PUBLIC`,
  ];
}

const hasMemory = (condition = "true"): string => `EXISTS (
  SELECT FROM ${MEMORIES}
  WHERE memories.number = memory_uses.number AND memories.team = memory_uses.team AND ${condition}
)`;

const POLICIES: Migration = [
  ...separate("memories", `INSERT (team, ${WRITTEN_COLUMNS}), UPDATE (${WRITTEN_COLUMNS})`),
  // Copies go by the name alone: who could add one would remove memories of projects that they may not see.
  ...separate("memory_removals", "UPDATE (removed_ms)"),
  ...separate(
    "earlier_values",
    "INSERT (team, project, agent, session, key, id, value, type, category, updated_ms, replaced_ms)",
  ),
  // The memory is looked for with the rights of the user, so that only what is visible has visible uses.
  ...separate(
    "memory_uses",
    "INSERT (team, number, project, session, occasion, used_ms), UPDATE (occasion, used_ms)",
    `${IS_VISIBLE} AND ${hasMemory()}`,
  ),
  `ALTER TABLE ${SCHEMA}.memory_terms ENABLE ROW LEVEL SECURITY`,
  // Policies of the first version asked it.
  `DROP FUNCTION IF EXISTS ${SCHEMA}.whole_teams()`,
];

/** With the rights of the owner, to whom no policy applies: rows are chosen here as the policies choose them. */
const RIGHTS_FUNCTION = `RETURNS SETOF bigint LANGUAGE sql SECURITY DEFINER ${FIXED_PATH}`;
const IS_OWNER = "pg_has_role(session_user, current_user, 'USAGE')";
const OWNERS_FUNCTION = RIGHTS_FUNCTION.replace("sql", "plpgsql");

/** In place of a right to delete. They give the numbers of what was removed. */
const REMOVING: Migration = [
  `CREATE FUNCTION ${SCHEMA}.remove_memories(numbers bigint[]) ${RIGHTS_FUNCTION}
   AS $$
     DELETE FROM ${MEMORIES} WHERE number = ANY (numbers) AND (${IS_VISIBLE} OR ${IS_OWNER}) RETURNING number
   $$`,
  `CREATE FUNCTION ${SCHEMA}.remove_memory_uses(of_team text, of_project text, before_ms bigint) ${RIGHTS_FUNCTION}
   AS $$
     DELETE FROM ${USES}
     WHERE team = of_team AND ${ofProject("of_project")} AND used_ms < before_ms
       AND (${IS_VISIBLE} AND ${hasMemory(IS_VISIBLE)} OR ${IS_OWNER})
     RETURNING number
   $$`,
];

const RIGHTS: Migration = [...POLICIES, ...REMOVING];

/** What counts for all projects is not removed by a member of some, nor taken into a project where it could be. */
const REMOVING_OWN: Migration = [
  `CREATE OR REPLACE FUNCTION ${SCHEMA}.remove_memories(numbers bigint[]) ${RIGHTS_FUNCTION}
   AS $$
     DELETE FROM ${MEMORIES} WHERE number = ANY (numbers) AND (${IS_OF_OWN_PROJECT} OR ${IS_OWNER}) RETURNING number
   $$`,
  `CREATE OR REPLACE FUNCTION ${SCHEMA}.memory_stays() RETURNS trigger LANGUAGE plpgsql ${FIXED_PATH}
   AS $$
     BEGIN
       IF EXISTS (SELECT FROM members WHERE team = OLD.team AND member = session_user AND projects IS NOT NULL) THEN
         RAISE insufficient_privilege USING MESSAGE = 'what counts for all projects is changed by members of all';
       END IF;
       RETURN NEW;
     END
   $$`,
  `DROP TRIGGER IF EXISTS memory_stays ON ${MEMORIES}`,
  `CREATE TRIGGER memory_stays BEFORE UPDATE OF project ON ${MEMORIES}
     FOR EACH ROW WHEN (OLD.project = '' AND NEW.project <> '') EXECUTE FUNCTION ${SCHEMA}.memory_stays()`,
];

/**
 * The operators of full text search are not leakproof, so behind a policy no index would serve them. These functions run
 * with the rights of the owner, and look at nothing but what the user who is logged in may see of the team: they give
 * nothing to somebody who is no member.
 */
const SEARCH_FUNCTION = `LANGUAGE plpgsql STABLE SECURITY DEFINER ${FIXED_PATH}`;
const FIND_MEMBER = `
  SELECT projects INTO mine FROM members WHERE team = of_team AND member = session_user;
  IF NOT FOUND THEN RETURN; END IF;`;
/**
 * The team is one of the words that the index holds: what has a word in other teams is not even looked at, and how many
 * rows were is told to everybody.
 */
const hasWords = (query: string): string =>
  `m.team = of_team AND team_terms(m.team, m.terms) @@ (term_query(' ' || of_team) && ${query})`;
const isMine = (project: string): string => `(mine IS NULL OR ${project} = '' OR ${project} = ANY (mine))`;
/** `query` is a column of a subquery with `OFFSET 0`, so that it is read once and not for every memory. */
const countMatches = (query: string): string => `(
  SELECT count(*) FROM (
    SELECT FROM memories AS m
    WHERE ${hasWords(query)} AND ${isMine("m.project")} LIMIT most
  ) AS counted)`;

/** Who may see all projects gets what was counted already; `terms` has those of the queries that are one word, else ''. */
const counted = (term: string): string =>
  `(SELECT t.memories FROM memory_terms AS t WHERE t.team = of_team AND t.term = ${term})`;

const COUNTING: Migration = [
  `CREATE FUNCTION ${SCHEMA}.count_memory_words(of_team text, queries text[], terms text[], most integer)
     RETURNS TABLE (total bigint, matches bigint[]) ${SEARCH_FUNCTION}
   AS $$
     DECLARE mine text[];
     BEGIN
       ${FIND_MEMBER}
       IF mine IS NULL THEN
         total := coalesce(${counted("''")}, 0);
       ELSE
         SELECT count(*) INTO total FROM memories AS m WHERE m.team = of_team AND ${isMine("m.project")};
       END IF;
       SELECT array_agg(
         CASE WHEN mine IS NULL AND one.term <> ''
           THEN least(coalesce(${counted("one.term")}, 0), most)
           ELSE ${countMatches("one.query")}
         END ORDER BY one.place
       ) INTO matches
       FROM (
         SELECT given.query::tsquery AS query, given.term, given.place
         FROM unnest(queries, terms) WITH ORDINALITY AS given (query, term, place) OFFSET 0
       ) AS one;
       RETURN NEXT;
     END
   $$`,
];

/** How many words that hold a part are looked at: the shortest are the likeliest. */
const MAX_PARTS = 100;

/** Of words that the team has, those that the user sees, with how many memories have them. */
const withMatches = (words: string): string => `
  SELECT * FROM (
    SELECT t.term, CASE WHEN mine IS NULL THEN least(t.memories, most) ELSE ${countMatches("t.query")} END AS matches
    FROM (SELECT known.term, known.memories, term_query(known.term) AS query FROM (${words}) AS known OFFSET 0) AS t
  ) AS found WHERE found.matches > 0 ORDER BY found.matches DESC, found.term`;

const SIMILAR: Migration = [
  `CREATE FUNCTION ${SCHEMA}.similar_memory_terms(of_team text, spellings text[], part text, most integer)
     RETURNS TABLE (term text, matches bigint) ${SEARCH_FUNCTION}
   AS $$
     DECLARE mine text[];
     BEGIN
       ${FIND_MEMBER}
       RETURN QUERY ${withMatches(`
         SELECT w.term, w.memories FROM memory_terms AS w WHERE w.team = of_team AND w.term = ANY (spellings)`)};
       IF FOUND THEN RETURN; END IF;
       RETURN QUERY ${withMatches(`
         SELECT w.term, w.memories FROM memory_terms AS w
         WHERE w.team = of_team AND w.term LIKE '%' || part || '%' ORDER BY length(w.term) LIMIT ${MAX_PARTS}`)};
     END
   $$`,
];

/** A word in the key, which has the weight A, counts as much as two in the value. */
const RANK = "ts_rank('{0.5, 0.5, 0.5, 1}', m.terms, phrase.query)";
/** As in BM25: rare words count more, each further occurrence less, and those in a long text less. */
const WEIGHT = `(
  SELECT sum(phrase.weight * ${RANK}) FROM unnest(phrases, weights) AS phrase (query, weight)
) / (0.25::float8 + 0.75::float8 * m.term_count / greatest(avg(m.term_count) OVER (), 1)::float8)`;

const CONDITIONS = `
  ${hasWords("sought")} AND ${isMine("m.project")}
  AND (of_projects IS NULL OR m.project = ANY (of_projects))
  AND (of_agent IS NULL OR m.agent = of_agent)
  AND (of_session IS NULL OR m.session = of_session)
  AND (of_id IS NULL OR m.id = of_id)
  AND (of_key IS NULL OR m.key = of_key)
  AND (of_category IS NULL OR m.category = of_category)
  AND (updated_since IS NULL OR m.updated_ms >= updated_since)
  AND (unseen_by IS NULL OR NOT EXISTS (
    SELECT FROM memory_uses AS shown WHERE shown.number = m.number AND shown.session = unseen_by))
  AND (unrecalled_by IS NULL OR NOT EXISTS (
    SELECT FROM memory_uses AS shown
    WHERE shown.number = m.number AND shown.session = unrecalled_by AND shown.occasion = 'prompt'))`;

const withUses = (found: string): string => `
  SELECT found.number, found.weight::float8, count(DISTINCT used.session), coalesce(max(used.used_ms), 0)
  FROM (${found}) AS found
  LEFT JOIN memory_uses AS used
    ON used.number = found.number AND used.occasion = 'prompt' AND ${isMine("used.project")}
  GROUP BY found.number, found.weight`;

/** Without weights all matches are equal, and the newest are taken. */
const SEARCHING: Migration = [
  `CREATE FUNCTION ${SCHEMA}.search_memories(
     of_team text, sought tsquery, phrases tsquery[], weights float8[], of_projects text[], of_agent text,
     of_session text, of_id text, of_key text, of_category text, updated_since bigint, unseen_by text,
     unrecalled_by text, most integer
   ) RETURNS TABLE (number bigint, weight float8, uses bigint, used_ms bigint) ${SEARCH_FUNCTION}
   AS $$
     DECLARE mine text[];
     BEGIN
       ${FIND_MEMBER}
       IF weights IS NULL THEN
         RETURN QUERY ${withUses(`
           SELECT m.number, 1 AS weight FROM memories AS m WHERE ${CONDITIONS}
           ORDER BY m.number DESC LIMIT most`)};
       ELSE
         RETURN QUERY ${withUses(`
           SELECT m.number, ${WEIGHT} AS weight FROM memories AS m WHERE ${CONDITIONS}
           ORDER BY weight DESC, m.number DESC LIMIT most`)};
       END IF;
     END
   $$`,
];

const SEARCH_FUNCTIONS: Migration = [...COUNTING, ...SIMILAR, ...SEARCHING];

export const NOW_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
/** How many replaced texts are kept of one memory. */
const KEPT_EARLIER_VALUES = 20;

/**
 * Names may be longer than an index takes, so that hashes of them are unique in their place. They are columns, because
 * the planner uses an index behind a policy only for plain columns.
 */
const HASH_FUNCTION: Migration = [
  `CREATE FUNCTION ${SCHEMA}.text_hash(VARIADIC parts text[]) RETURNS bytea
     LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ${FIXED_PATH}
     AS $$ SELECT sha256(convert_to(
       (SELECT string_agg(length(part)::text || ':' || part, '' ORDER BY place)
        FROM unnest(parts) WITH ORDINALITY AS one (part, place)), 'UTF8')) $$`,
];

const NAME_COLUMNS = `
  team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
  project text NOT NULL,
  agent text NOT NULL,
  session text NOT NULL,
  key text NOT NULL,
  id text NOT NULL,
  name_hash bytea NOT NULL GENERATED ALWAYS AS (${SCHEMA}.text_hash(agent, session, key)) STORED`;

const checkChoice = (column: string, allowed: readonly string[]): string =>
  `CHECK (${column} IN (${allowed.map(each => `'${each}'`).join(", ")}))`;
const TIME_CHECK = (column: string): string => `CHECK (abs(${column}) <= ${MAX_TIME_MS})`;
/** One character of a text may be stored as five. */
const MAX_STORED = 5;
/** What no program of ours could read must not be stored with SQL by hand: it would stop the copies of all members. */
const TEXT_CHECKS = (["agent", "session", "key", "project", "value"] as const)
  .map(column => `CHECK (length(${column}) <= ${TEXT_LIMITS[column] * MAX_STORED})`)
  .join(",\n     ");

/** Text columns hold what `encodeText` makes: PostgreSQL knows neither NUL nor lone surrogates. */
const TABLES: Migration = [
  `CREATE TABLE ${SCHEMA}.memories (
     number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     ${NAME_COLUMNS},
     id_hash bytea NOT NULL GENERATED ALWAYS AS (${SCHEMA}.text_hash(agent, id)) STORED,
     project_hash bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(project, 0)) STORED,
     type text NOT NULL ${checkChoice("type", VALUE_TYPES)},
     category text NOT NULL ${checkChoice("category", CATEGORIES)},
     created_ms bigint NOT NULL ${TIME_CHECK("created_ms")},
     updated_ms bigint NOT NULL ${TIME_CHECK("updated_ms")},
     fingerprint text NOT NULL,
     is_pinned boolean NOT NULL DEFAULT false,
     author name NOT NULL DEFAULT session_user,
     revision bigint NOT NULL,
     term_count integer NOT NULL CHECK (term_count >= 0),
     terms tsvector NOT NULL,
     value text NOT NULL,
     ${TEXT_CHECKS},
     UNIQUE (team, name_hash),
     UNIQUE (team, id_hash),
     UNIQUE (team, number)
   )`,
  `CREATE INDEX memories_by_change ON ${SCHEMA}.memories (team, project_hash, updated_ms)`,
  `CREATE INDEX memories_by_revision ON ${SCHEMA}.memories (team, revision, number)`,
  `CREATE INDEX memories_by_content ON ${SCHEMA}.memories (team, fingerprint)`,
  `CREATE INDEX memories_pinned ON ${SCHEMA}.memories (team) WHERE is_pinned`,
  // What was added last lies in a list that every search goes through; it stays short.
  `CREATE INDEX memories_by_terms ON ${SCHEMA}.memories USING gin (terms) WITH (gin_pending_list_limit = 256)`,
  `CREATE TABLE ${SCHEMA}.memory_removals (
     ${NAME_COLUMNS},
     removed_ms bigint NOT NULL ${TIME_CHECK("removed_ms")},
     revision bigint NOT NULL,
     PRIMARY KEY (team, name_hash)
   )`,
  `CREATE INDEX memory_removals_by_revision ON ${SCHEMA}.memory_removals (team, revision)`,
  `CREATE TABLE ${SCHEMA}.memory_uses (
     team text NOT NULL,
     number bigint NOT NULL,
     project text NOT NULL,
     session text NOT NULL,
     occasion text NOT NULL,
     used_ms bigint NOT NULL,
     place_hash bytea NOT NULL GENERATED ALWAYS AS (${SCHEMA}.text_hash(session, project)) STORED,
     project_hash bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(project, 0)) STORED,
     PRIMARY KEY (number, place_hash),
     FOREIGN KEY (team, number) REFERENCES ${SCHEMA}.memories (team, number) ON UPDATE CASCADE ON DELETE CASCADE
   )`,
  `CREATE INDEX memory_uses_by_project ON ${SCHEMA}.memory_uses (team, project_hash, used_ms)`,
  `CREATE TABLE ${SCHEMA}.earlier_values (
     number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     ${NAME_COLUMNS},
     value text NOT NULL,
     type text NOT NULL,
     category text NOT NULL,
     updated_ms bigint NOT NULL,
     author name NOT NULL DEFAULT session_user,
     replaced_ms bigint NOT NULL,
     ${TEXT_CHECKS}
   )`,
  `CREATE INDEX earlier_values_by_name ON ${SCHEMA}.earlier_values (team, name_hash)`,
  // How many memories have each word, for words that are not there as they were typed; the empty word counts them all.
  // Nobody reads it but the functions. Room on each page lets counts change in place.
  `CREATE TABLE ${SCHEMA}.memory_terms (
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     term text NOT NULL,
     memories integer NOT NULL,
     PRIMARY KEY (team, term)
   ) WITH (fillfactor = 70)`,
];

const CHANGING_FUNCTION = `CREATE FUNCTION ${SCHEMA}.memory_changing() RETURNS trigger LANGUAGE plpgsql ${FIXED_PATH}
   AS $$
     BEGIN
       NEW.revision := take_revision(NEW.team);
       IF TG_OP = 'INSERT' OR (NEW.key, NEW.value, NEW.type, NEW.category, NEW.project)
           IS DISTINCT FROM (OLD.key, OLD.value, OLD.type, OLD.category, OLD.project) THEN
         NEW.author := session_user;
       END IF;
       RETURN NEW;
     END
   $$`;

/**
 * The first change of a transaction counts the team's revision on, and holds it until the transaction ends: writers of
 * one team follow each other, and revisions appear in the order of commits. Later changes of the transaction share it.
 */
const REVISIONS: Migration = [
  `CREATE FUNCTION ${SCHEMA}.take_revision(of_team text) RETURNS bigint LANGUAGE plpgsql ${FIXED_PATH}
   AS $$
     DECLARE taken bigint;
     BEGIN
       SELECT revision INTO taken FROM teams WHERE team = of_team AND xmin = pg_current_xact_id()::xid;
       IF NOT FOUND THEN
         UPDATE teams SET revision = revision + 1 WHERE team = of_team RETURNING revision INTO taken;
       END IF;
       RETURN taken;
     END
   $$`,
  CHANGING_FUNCTION,
  `CREATE TRIGGER memory_changing BEFORE INSERT OR UPDATE ON ${SCHEMA}.memories
     FOR EACH ROW EXECUTE FUNCTION ${SCHEMA}.memory_changing()`,
];

const TERM_QUERY: Migration = [
  `CREATE FUNCTION ${SCHEMA}.term_query(term text) RETURNS tsquery
     LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ${FIXED_PATH}
     AS $$ SELECT ('''' || replace(replace(term, '\\', '\\\\'), '''', '''''') || '''')::tsquery $$`,
];

const selectTerms = (rows: string, count: 1 | -1): string =>
  `SELECT team, unnest(array_append(tsvector_to_array(terms), '')) AS term, ${count} AS one FROM ${rows}`;
/** How many memories have each word changes by what came and what went. Words of what was removed do not stay. */
const countTerms = (...changes: readonly string[]): string => `
  INSERT INTO memory_terms (team, term, memories)
  SELECT team, term, sum(one) FROM (${changes.join(" UNION ALL ")}) AS changed
  WHERE team IN (SELECT team FROM teams)
  GROUP BY team, term HAVING sum(one) <> 0 ORDER BY team, term
  ON CONFLICT (team, term) DO UPDATE SET memories = memory_terms.memories + excluded.memories`;
const DROP_UNUSED_TERMS = `
  DELETE FROM memory_terms USING (${selectTerms("old_rows", -1)}) AS gone
  WHERE memory_terms.team = gone.team AND memory_terms.term = gone.term AND memories <= 0`;
const NAMES = "team, project, agent, session, key, id";
const prefixed = (prefix: string): string => NAMES.replace(/\w+/g, name => `${prefix}.${name}`);

function statementTrigger(
  name: string,
  event: "INSERT" | "UPDATE" | "DELETE",
  rows: string,
  statements: readonly string[],
): Migration {
  return [
    `CREATE FUNCTION ${SCHEMA}.${name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER ${FIXED_PATH}
     AS $$ BEGIN ${statements.map(statement => `${statement};`).join("\n")} RETURN NULL; END $$`,
    `CREATE TRIGGER ${name} AFTER ${event} ON ${SCHEMA}.memories REFERENCING ${rows}
       FOR EACH STATEMENT EXECUTE FUNCTION ${SCHEMA}.${name}()`,
  ];
}

/** Whoever changes memories, and how: what was replaced is kept, and what was removed is told to copies. */
const CONSEQUENCES: Migration = [
  ...statementTrigger("memories_added", "INSERT", "NEW TABLE AS new_rows", [
    countTerms(selectTerms("new_rows", 1)),
    `DELETE FROM memory_removals USING new_rows
     WHERE memory_removals.team = new_rows.team AND memory_removals.name_hash = new_rows.name_hash`,
  ]),
  ...statementTrigger("memories_replaced", "UPDATE", "OLD TABLE AS old_rows NEW TABLE AS new_rows", [
    `INSERT INTO earlier_values (${NAMES}, value, type, category, updated_ms, author, replaced_ms)
     SELECT ${prefixed("gone")}, gone.value, gone.type, gone.category, gone.updated_ms, gone.author, ${NOW_MS}
     FROM old_rows AS gone JOIN new_rows AS come USING (number)
     WHERE (gone.value, gone.type, gone.category) IS DISTINCT FROM (come.value, come.type, come.category)`,
    `DELETE FROM earlier_values USING (
       SELECT number, row_number() OVER (PARTITION BY team, name_hash, project ORDER BY number DESC) AS place
       FROM earlier_values
       WHERE (team, name_hash) IN (SELECT team, name_hash FROM old_rows)
     ) AS counted
     WHERE earlier_values.number = counted.number AND place > ${KEPT_EARLIER_VALUES}`,
    countTerms(selectTerms("new_rows", 1), selectTerms("old_rows", -1)),
    DROP_UNUSED_TERMS,
  ]),
  ...statementTrigger("memories_removed", "DELETE", "OLD TABLE AS old_rows", [
    `DELETE FROM earlier_values USING old_rows
     WHERE earlier_values.team = old_rows.team AND earlier_values.name_hash = old_rows.name_hash`,
    // A team that is itself being removed has no revision any more.
    `INSERT INTO memory_removals (${NAMES}, removed_ms, revision)
     SELECT ${prefixed("gone")}, ${NOW_MS}, taken.revision
     FROM old_rows AS gone JOIN (
       SELECT team, take_revision(team) AS revision FROM (SELECT DISTINCT team FROM old_rows) AS touched
     ) AS taken USING (team)
     WHERE taken.revision IS NOT NULL
     ON CONFLICT (team, name_hash) DO UPDATE SET
       project = excluded.project, id = excluded.id, removed_ms = excluded.removed_ms, revision = excluded.revision`,
    countTerms(selectTerms("old_rows", -1)),
    DROP_UNUSED_TERMS,
  ]),
];

/**
 * A trusted extension, but a server may lack it, or the administrator the right to make it. Parts of words are then
 * found by going through all words of the team; one wrong letter never needs it.
 */
const PARTS_INDEX: Migration = [
  `DO $$
     BEGIN
       CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA ${SCHEMA};
       EXECUTE format(
         'CREATE INDEX memory_terms_by_part ON ${SCHEMA}.memory_terms USING gin (term %s.gin_trgm_ops) WITH (fastupdate = off)',
         (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'pg_trgm')
       );
     EXCEPTION WHEN OTHERS THEN
       RAISE NOTICE 'parts of words have no index without pg_trgm: %', SQLERRM;
     END
   $$`,
];

const MEMORY_TABLES: Migration = [
  ...HASH_FUNCTION,
  ...TABLES,
  ...REVISIONS,
  ...TERM_QUERY,
  ...CONSEQUENCES,
  ...PARTS_INDEX,
  ...SEARCH_FUNCTIONS,
];

/** Nor is it changed by a member of some, in any column: the same trigger, for every change. */
const CHANGING_OWN: Migration = ["memories", "memory_removals"].flatMap(table => [
  `DROP TRIGGER IF EXISTS memory_stays ON ${SCHEMA}.${table}`,
  `CREATE TRIGGER memory_stays BEFORE UPDATE ON ${SCHEMA}.${table}
     FOR EACH ROW WHEN (OLD.project = '') EXECUTE FUNCTION ${SCHEMA}.memory_stays()`,
]);

/** The server writes in the name of somebody, whom nobody else can name. */
const AUTHORS: Migration = [
  `CREATE OR REPLACE FUNCTION ${SCHEMA}.author() RETURNS name LANGUAGE sql STABLE ${FIXED_PATH}
   AS $$
     SELECT CASE WHEN current_user = '${SERVER_ROLE}' THEN current_setting('amplihack.person')::name
       ELSE session_user END
   $$`,
  ...["memories", "earlier_values"].map(
    table => `ALTER TABLE ${SCHEMA}.${table} ALTER author SET DEFAULT ${SCHEMA}.author()`,
  ),
  CHANGING_FUNCTION.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION").replace(
    "NEW.author := session_user",
    "NEW.author := author()",
  ),
  `CREATE OR REPLACE FUNCTION ${SCHEMA}.remove_memories(numbers bigint[]) ${RIGHTS_FUNCTION}
   AS $$
     DELETE FROM ${MEMORIES} WHERE number = ANY (numbers) AND (
       ${IS_OF_OWN_PROJECT} OR ${IS_OWNER}
       OR session_user = '${SERVER_ROLE}' AND team = current_setting('amplihack.team', true)
     ) RETURNING number
   $$`,
];

/**
 * Asked before anything is looked for: what a function of the owner reads is counted for whoever called it, and would
 * tell which teams and projects there are.
 */
const leaveStrangers = (project: string): string => `
  IF NOT (may_see(of_team, ${project}) OR ${IS_OWNER}
      OR session_user = '${SERVER_ROLE}' AND of_team = current_setting('amplihack.team', true)) THEN
    RETURN;
  END IF;`;

/**
 * Members read views. What they change they name by its number alone, or leave to functions: a condition on a table
 * would tell of the rows that it leaves out.
 */
const VIEWS_OF_MEMORIES: Migration = [
  `CREATE OR REPLACE FUNCTION ${SCHEMA}.take_revision(of_team text, OUT taken bigint)
   LANGUAGE plpgsql SECURITY DEFINER ${FIXED_PATH}
   AS $$
     BEGIN
       ${leaveStrangers("''")}
       SELECT revision INTO taken FROM teams WHERE team = of_team AND xmin = pg_current_xact_id()::xid;
       IF NOT FOUND THEN
         UPDATE teams SET revision = revision + 1 WHERE team = of_team RETURNING revision INTO taken;
       END IF;
     END
   $$`,
  `ALTER FUNCTION ${SCHEMA}.memory_stays() SECURITY DEFINER`,
  `CREATE OR REPLACE FUNCTION ${SCHEMA}.team_terms(of_team text, terms tsvector) RETURNS tsvector
   LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
   AS $$ SELECT terms OPERATOR(pg_catalog.||) pg_catalog.array_to_tsvector(ARRAY[' ' OPERATOR(pg_catalog.||) of_team]) $$`,
  `DROP INDEX IF EXISTS ${SCHEMA}.memories_by_terms, ${SCHEMA}.memories_by_words`,
  // What was added last lies in a list that every search goes through; it stays short.
  `CREATE INDEX memories_by_words ON ${MEMORIES} USING gin (${SCHEMA}.team_terms(team, terms))
     WITH (gin_pending_list_limit = 256)`,
  // What is known of words that others have would change how a search goes about.
  `ALTER INDEX ${SCHEMA}.memories_by_words ALTER COLUMN 1 SET STATISTICS 0`,
  ...SEARCH_FUNCTIONS.map(statement => statement.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")),
  `CREATE OR REPLACE FUNCTION ${SCHEMA}.date_removals(of_team text, hashes bytea[], times bigint[]) ${OWNERS_FUNCTION}
   AS $$
     BEGIN
       ${leaveStrangers("''")}
       RETURN QUERY UPDATE memory_removals SET removed_ms = given.ms FROM unnest(hashes, times) AS given (hash, ms)
         WHERE team = of_team AND name_hash = given.hash
           AND (${IS_VISIBLE} OR ${IS_OWNER} OR session_user = '${SERVER_ROLE}')
         RETURNING removed_ms;
     END
   $$`,
  // The later of two times stays, and what was recalled once stays recalled.
  `CREATE OR REPLACE FUNCTION ${SCHEMA}.add_memory_uses(
     of_team text, numbers bigint[], projects text[], sessions text[], occasions text[], times bigint[]
   ) ${OWNERS_FUNCTION}
   AS $$
     BEGIN
       ${leaveStrangers("''")}
       RETURN QUERY INSERT INTO memory_uses AS known (team, number, project, session, occasion, used_ms)
         SELECT of_team, given.number, given.project, given.session, given.occasion, given.ms
         FROM unnest(numbers, projects, sessions, occasions, times) AS given (number, project, session, occasion, ms)
         WHERE (may_see(of_team, given.project) OR ${IS_OWNER}) AND given.number IN (
           SELECT m.number FROM memories m WHERE m.team = of_team AND (${IS_VISIBLE} OR ${IS_OWNER}))
         ON CONFLICT ON CONSTRAINT memory_uses_pkey DO UPDATE SET
           used_ms = greatest(known.used_ms, excluded.used_ms),
           occasion = CASE known.occasion WHEN 'prompt' THEN known.occasion ELSE excluded.occasion END
         RETURNING known.number;
     END
   $$`,
  `CREATE OR REPLACE FUNCTION ${SCHEMA}.remove_memory_uses(of_team text, of_project text, before_ms bigint)
   ${OWNERS_FUNCTION}
   AS $$
     BEGIN
       ${leaveStrangers("of_project")}
       RETURN QUERY DELETE FROM ${USES}
         WHERE team = of_team AND ${ofProject("of_project")} AND used_ms < before_ms
           AND (${hasMemory(IS_VISIBLE)} OR ${IS_OWNER})
         RETURNING number;
     END
   $$`,
  ...["memories", "memory_removals", "earlier_values"].flatMap(table => makeViewOf(table)),
  ...makeViewOf(
    "memory_uses",
    `(own.projects IS NULL OR (one.project = '' OR one.project = ANY (own.projects)) AND EXISTS (
       SELECT FROM ${MEMORIES} AS of WHERE of.number = one.number AND (of.project = '' OR of.project = ANY (own.projects))))`,
  ),
  ...["memories", "earlier_values"].flatMap(table => [
    `DROP POLICY IF EXISTS own_team ON ${SCHEMA}.${table}`,
    `CREATE POLICY own_team ON ${SCHEMA}.${table} USING (${IS_VISIBLE})`,
  ]),
  `GRANT SELECT (number), UPDATE (${WRITTEN_COLUMNS}) ON ${MEMORIES} TO PUBLIC`,
  ...["memory_removals", "memory_uses"].flatMap(table => [
    `DROP POLICY IF EXISTS own_team ON ${SCHEMA}.${table}`,
    `REVOKE ALL ON ${SCHEMA}.${table} FROM PUBLIC`,
  ]),
];

/** Makes the tables where they are missing, for a member of the team or for the administrator. */
export async function prepareMemoryTables(database: Database, team: string): Promise<void> {
  await joinTeam(database, team);
  await migrate(database, "memory", [
    MEMORY_TABLES,
    RIGHTS,
    REMOVING_OWN,
    CHANGING_OWN,
    AUTHORS,
    VIEWS_OF_MEMORIES,
  ]);
}

const PARTS_INDEX_NAME = "memory_terms_by_part";
/** For an administrator whose server had no pg_trgm when the tables were made. */
export const MAKE_PARTS_INDEX = `CREATE EXTENSION pg_trgm; CREATE INDEX ${PARTS_INDEX_NAME} ON ${SCHEMA}.memory_terms USING gin (term gin_trgm_ops) WITH (fastupdate = off)`;

export function hasPartsIndex({ run }: Database): Promise<boolean> {
  return hasRelation(run, `${SCHEMA}.${PARTS_INDEX_NAME}`);
}
