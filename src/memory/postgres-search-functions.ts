import { FIXED_PATH, type Migration, SCHEMA } from "../postgres/index.ts";

/**
 * The operators of full text search are not leakproof, so behind a policy no index would serve them. These functions run
 * with the rights of the owner, and look at nothing but what the user who is logged in may see of the team: they give
 * nothing to somebody who is no member.
 */
const DEFINED = `LANGUAGE plpgsql STABLE SECURITY DEFINER ${FIXED_PATH}`;
const FIND_MEMBER = `
  SELECT projects INTO mine FROM members WHERE team = of_team AND member = session_user;
  IF NOT FOUND THEN RETURN; END IF;`;
const isMine = (project: string): string => `(mine IS NULL OR ${project} = '' OR ${project} = ANY (mine))`;
/** `query` is a column of a subquery with `OFFSET 0`, so that it is read once and not for every memory. */
const countOf = (query: string): string => `(
  SELECT count(*) FROM (
    SELECT FROM memories AS m
    WHERE m.team = of_team AND m.terms @@ ${query} AND ${isMine("m.project")} LIMIT most
  ) AS counted)`;

/** Who may see all projects gets what was counted already; `terms` has those of the queries that are one word, else ''. */
const counted = (term: string): string =>
  `(SELECT t.memories FROM memory_terms AS t WHERE t.team = of_team AND t.term = ${term})`;

const COUNTING: Migration = [
  `CREATE FUNCTION ${SCHEMA}.count_memory_words(of_team text, queries text[], terms text[], most integer)
     RETURNS TABLE (total bigint, matches bigint[]) ${DEFINED}
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
           ELSE ${countOf("one.query")}
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
    SELECT t.term, CASE WHEN mine IS NULL THEN least(t.memories, most) ELSE ${countOf("t.query")} END AS matches
    FROM (SELECT known.term, known.memories, term_query(known.term) AS query FROM (${words}) AS known OFFSET 0) AS t
  ) AS found WHERE found.matches > 0 ORDER BY found.matches DESC, found.term`;

const SIMILAR: Migration = [
  `CREATE FUNCTION ${SCHEMA}.similar_memory_terms(of_team text, spellings text[], part text, most integer)
     RETURNS TABLE (term text, matches bigint) ${DEFINED}
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
  m.team = of_team AND m.terms @@ sought AND ${isMine("m.project")}
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
   ) RETURNS TABLE (number bigint, weight float8, uses bigint, used_ms bigint) ${DEFINED}
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

export const SEARCH_FUNCTIONS: Migration = [...COUNTING, ...SIMILAR, ...SEARCHING];
