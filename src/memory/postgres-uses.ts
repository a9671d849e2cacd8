import { type Row, SCHEMA } from "../postgres/index.ts";
import type { MemoryId } from "./memory.ts";
import type { StoredUse } from "./move.ts";
import { idValues, MEMORIES, named, ofProject, SELECTED, textOf, USES } from "./postgres-rows.ts";
import type { TeamSearch } from "./postgres-search.ts";
import { readUse } from "./read-row.ts";
import { KEPT_USES_MS } from "./retention.ts";
import type { MemoryUse } from "./store.ts";
import { encodeText } from "./stored-text.ts";

/** What was shown at the start stays use once it was recalled. */
export async function addUses(
  { run, team }: TeamSearch,
  memories: readonly MemoryId[],
  { project, session, occasion }: MemoryUse,
  nowMs: number,
): Promise<void> {
  await run(
    `INSERT INTO ${USES} AS known (team, number, project, session, occasion, used_ms)
     SELECT team, number, $4, $5, $6, $7 FROM ${MEMORIES} WHERE team = $1 AND ${named("id", 2)}
     ON CONFLICT (number, place_hash) DO UPDATE SET
       used_ms = excluded.used_ms,
       occasion = CASE known.occasion WHEN 'prompt' THEN known.occasion ELSE excluded.occasion END`,
    [team, ...idValues(memories), encodeText(project), encodeText(session), occasion, nowMs],
  );
  await run(`SELECT ${SCHEMA}.remove_memory_uses($1, $2, $3)`, [
    team,
    encodeText(project),
    nowMs - KEPT_USES_MS,
  ]);
}

export async function listUses({ run, team }: TeamSearch): Promise<readonly StoredUse[]> {
  const rows = await run(
    `SELECT agent, id, used.project, used.session, occasion, used_ms
     FROM ${USES} AS used JOIN ${MEMORIES} USING (number)
     WHERE used.team = $1 AND memories.team = $1`,
    [team],
  );
  return rows.map(row => readUse(row, column => textOf(row, column)));
}

/** The later of two times stays, and what was recalled once stays recalled. */
export async function takeUses({ run, team }: TeamSearch, uses: readonly StoredUse[]): Promise<void> {
  await run(
    `INSERT INTO ${USES} AS known (team, number, project, session, occasion, used_ms)
     SELECT $1, number, given.project, given.session, given.occasion, given.used_ms
     FROM (
       SELECT ${SCHEMA}.text_hash(agent, id) AS id_hash, *
       FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
         AS one (agent, id, project, session, occasion, used_ms)
     ) AS given
     JOIN (
       SELECT number, id_hash FROM ${MEMORIES} WHERE team = $1 AND ${named("id", 2)}
     ) AS memory USING (id_hash)
     ON CONFLICT (number, place_hash) DO UPDATE SET
       used_ms = greatest(known.used_ms, excluded.used_ms),
       occasion = CASE known.occasion WHEN 'prompt' THEN known.occasion ELSE excluded.occasion END`,
    [
      team,
      ...idValues(uses),
      uses.map(({ project }) => encodeText(project)),
      uses.map(({ session }) => encodeText(session)),
      uses.map(({ occasion }) => occasion),
      uses.map(({ usedMs }) => usedMs),
    ],
  );
}

/** Pinned ones first, then by when the project stored or recalled them. Each part is answered from an index. */
export function latestRows(
  { run, team }: TeamSearch,
  project: string,
  sinceMs: number,
  limit: number,
): Promise<readonly Row[]> {
  return run(
    `WITH chosen (number, is_pin, last_ms) AS (
       SELECT number, 1, updated_ms FROM ${MEMORIES} WHERE team = $1 AND is_pinned AND project IN ($2, '')
       UNION ALL
       (SELECT number, 0, updated_ms FROM ${MEMORIES}
        WHERE team = $1 AND ${ofProject("$2")} AND updated_ms >= $3
        ORDER BY updated_ms DESC LIMIT $4)
       UNION ALL
       SELECT used.number, 0, used_ms FROM ${USES} AS used JOIN ${MEMORIES} AS memory USING (number)
       WHERE used.team = $1 AND ${ofProject("$2", "used")}
         AND used_ms >= $3 AND occasion = 'prompt' AND memory.project IN ($2, '')
     )
     SELECT ${SELECTED}
     FROM (SELECT number AS found, max(is_pin) AS is_pin, max(last_ms) AS last_ms FROM chosen GROUP BY number) AS best
     JOIN ${MEMORIES} ON memories.number = found
     ORDER BY is_pin DESC, last_ms DESC, found DESC LIMIT $4`,
    [team, encodeText(project), sinceMs, limit],
  );
}
