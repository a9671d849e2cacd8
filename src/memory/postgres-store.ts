import { type Database, type Row, type RunSql, SCHEMA, type SqlValue } from "../postgres/index.ts";
import type { System } from "../system/index.ts";
import {
  checkTexts,
  contentFingerprint,
  encodeText,
  type ImportCounts,
  idKey,
  KEPT_USES_MS,
  type Memory,
  type MemoryDraft,
  type MemoryFilter,
  type MemoryId,
  type MemoryUse,
  nameKey,
  newMemory,
  occupiedAgent,
  type Retention,
  type WeightedMemory,
  type WordCounts,
  withFreeId,
  withPin,
} from "./memory.ts";
import { type MovableStore, readMatch, readUse, type StoredUse } from "./move.ts";
import {
  countTerms,
  idValues,
  listCondition,
  MEMORIES,
  named,
  nameValues,
  ofProject,
  readMemoryRow,
  readTextColumn,
  rowsFrom,
  SELECTED,
  searchColumns,
  searchRows,
  type TeamSearch,
  toMemoryError,
  WRITTEN_COLUMNS,
} from "./postgres-search.ts";
import type { SearchQuery } from "./search-words.ts";

/** A statement carries at most so many memories, and so many characters of their texts. */
const MAX_BATCH = 500;
const MAX_BATCH_CHARACTERS = 4_000_000;

export interface FoundMemory {
  readonly number: string;
  readonly memory: Memory;
}

function readFound(row: Row): FoundMemory {
  return { number: String(row["number"]), memory: readMemoryRow(row) };
}

export async function insertRows({ run, team }: TeamSearch, memories: readonly Memory[]): Promise<void> {
  if (memories.length === 0) return;
  await run(
    `INSERT INTO ${MEMORIES} (team, ${WRITTEN_COLUMNS})
     SELECT $1, * FROM ${rowsFrom(2)}`,
    [team, ...searchColumns(memories)],
  );
}

export async function replaceRows({ run }: TeamSearch, found: readonly FoundMemory[]): Promise<void> {
  if (found.length === 0) return;
  const columns = WRITTEN_COLUMNS.split(", ");
  const rows = rowsFrom(2).replace("unnest(", "unnest($1::bigint[], ");
  await run(
    `UPDATE ${MEMORIES} SET ${columns.map(column => `${column} = given.${column}`).join(", ")}
     FROM ${rows} AS given (number, ${WRITTEN_COLUMNS})
     WHERE memories.number = given.number`,
    [found.map(({ number }) => number), ...searchColumns(found.map(({ memory }) => memory))],
  );
}

/** Those of the team that fit the condition, whose values begin with `$2`; tells how many there were. */
export async function removeRows(
  { run, team }: TeamSearch,
  condition: string,
  values: readonly SqlValue[],
): Promise<number> {
  const numbers = `SELECT number FROM memories WHERE team = $1 AND ${condition}`;
  return (await run(`SELECT ${SCHEMA}.remove_memories(ARRAY(${numbers}))`, [team, ...values])).length;
}

/** As they are, ids and dates included; of two with the same name the later change stays. */
async function takeBatches(
  team: TeamSearch,
  memories: readonly Memory[],
  random: System["random"],
): Promise<ImportCounts> {
  const counts = { added: 0, replaced: 0, kept: 0 };
  for (const batch of cutIntoBatches(memories)) {
    const { added, replaced } = await planBatch(team, batch, random);
    await insertRows(team, added);
    await replaceRows(team, replaced);
    counts.added += added.length;
    counts.replaced += replaced.length;
    counts.kept += batch.length - added.length - replaced.length;
  }
  return counts;
}

/** No batch has two of one name or id, so that all of it can be compared with what is there. */
function* cutIntoBatches(memories: readonly Memory[]): Generator<readonly Memory[]> {
  let batch: Memory[] = [];
  let characters = 0;
  const seen = new Set<string>();
  for (const memory of memories) {
    const names = [nameKey(memory), idKey(memory)];
    const isFull = batch.length >= MAX_BATCH || characters + memory.value.length > MAX_BATCH_CHARACTERS;
    if (batch.length > 0 && (isFull || names.some(name => seen.has(name)))) {
      yield batch;
      batch = [];
      characters = 0;
      seen.clear();
    }
    batch.push(memory);
    characters += memory.value.length;
    for (const name of names) seen.add(name);
  }
  if (batch.length > 0) yield batch;
}

async function planBatch(
  { run, team }: TeamSearch,
  batch: readonly Memory[],
  random: System["random"],
): Promise<{ readonly added: readonly Memory[]; readonly replaced: readonly FoundMemory[] }> {
  const known = await run(`SELECT ${SELECTED} FROM memories WHERE team = $1 AND ${named("name", 2)}`, [
    team,
    ...nameValues(batch),
  ]);
  const owners = await findOwners({ run, team }, batch);
  const byName = new Map(known.map(readFound).map(found => [nameKey(found.memory), found]));
  const added: Memory[] = [];
  const replaced: FoundMemory[] = [];
  for (const memory of batch) {
    const existing = byName.get(nameKey(memory));
    if (existing !== undefined && existing.memory.updatedMs >= memory.updatedMs) continue;
    const taken = withFreeId(memory, owners.get(idKey(memory)), existing?.number, random);
    if (existing === undefined) added.push(taken);
    else replaced.push({ number: existing.number, memory: withPin(taken, existing.memory) });
  }
  return { added, replaced };
}

/** The numbers of the rows that have these ids, by `idKey`. */
export async function findOwners(
  { run, team }: TeamSearch,
  ids: readonly MemoryId[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await run(`SELECT number, agent, id FROM memories WHERE team = $1 AND ${named("id", 2)}`, [
    team,
    ...idValues(ids),
  ]);
  return new Map(
    rows.map(row => [
      idKey({ agent: readTextColumn(row, "agent"), id: readTextColumn(row, "id") }),
      String(row["number"]),
    ]),
  );
}

/** What was shown at the start stays use once it was recalled. */
export async function addUses(
  { run, team }: TeamSearch,
  memories: readonly MemoryId[],
  { project, session, occasion }: MemoryUse,
  nowMs: number,
): Promise<void> {
  await run(
    `SELECT ${SCHEMA}.add_memory_uses($1, array_agg(number), array_agg($4::text), array_agg($5::text),
       array_agg($6::text), array_agg($7::bigint))
     FROM memories WHERE team = $1 AND ${named("id", 2)}`,
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
     FROM memory_uses AS used JOIN memories USING (number)
     WHERE used.team = $1 AND memories.team = $1`,
    [team],
  );
  return rows.map(row => readUse(row, column => readTextColumn(row, column)));
}

/** The later of two times stays, and what was recalled once stays recalled. */
export async function takeUses({ run, team }: TeamSearch, uses: readonly StoredUse[]): Promise<void> {
  await run(
    `SELECT ${SCHEMA}.add_memory_uses($1, array_agg(number), array_agg(given.project), array_agg(given.session),
       array_agg(given.occasion), array_agg(given.used_ms))
     FROM (
       SELECT ${SCHEMA}.text_hash(agent, id) AS id_hash, *
       FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
         AS one (agent, id, project, session, occasion, used_ms)
     ) AS given
     JOIN (
       SELECT number, id_hash FROM memories WHERE team = $1 AND ${named("id", 2)}
     ) AS memory USING (id_hash)`,
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
       SELECT number, 1, updated_ms FROM memories WHERE team = $1 AND is_pinned AND project IN ($2, '')
       UNION ALL
       (SELECT number, 0, updated_ms FROM memories
        WHERE team = $1 AND ${ofProject("$2")} AND updated_ms >= $3
        ORDER BY updated_ms DESC LIMIT $4)
       UNION ALL
       SELECT used.number, 0, used_ms FROM memory_uses AS used JOIN memories AS memory USING (number)
       WHERE used.team = $1 AND ${ofProject("$2", "used")}
         AND used_ms >= $3 AND occasion = 'prompt' AND memory.project IN ($2, '')
     )
     SELECT ${SELECTED}
     FROM (SELECT number AS found, max(is_pin) AS is_pin, max(last_ms) AS last_ms FROM chosen GROUP BY number) AS best
     JOIN memories ON memories.number = found
     ORDER BY is_pin DESC, last_ms DESC, found DESC LIMIT $4`,
    [team, encodeText(project), sinceMs, limit],
  );
}

/** What a memory said until something else took its place. */
export interface EarlierText {
  readonly value: string;
  readonly type: string;
  readonly category: string;
  /** who wrote it, by the login, and when; what lost against a later change is its sender's */
  readonly author: string;
  readonly updatedMs: number;
  readonly replacedMs: number;
}

export interface TextHistory {
  /** of what it says now */
  readonly author: string;
  /** the newest first */
  readonly earlier: readonly EarlierText[];
}

/** By name: a memory that was removed took its earlier texts along. */
async function readTextHistory({ run, team }: TeamSearch, memory: Memory): Promise<TextHistory> {
  const values = [team, ...nameValues([memory])];
  const isNamed = `team = $1 AND ${named("name", 2)}`;
  const [current] = await run(`SELECT author FROM memories WHERE ${isNamed}`, values);
  const rows = await run(
    `SELECT value, type, category, author, updated_ms, replaced_ms FROM earlier_values
     WHERE ${isNamed} ORDER BY number DESC`,
    values,
  );
  return { author: String(current?.["author"] ?? ""), earlier: rows.map(readEarlierText) };
}

function readEarlierText(row: Row): EarlierText {
  return {
    value: readTextColumn(row, "value"),
    type: String(row["type"]),
    category: String(row["category"]),
    author: String(row["author"]),
    updatedMs: Number(row["updated_ms"]),
    replacedMs: Number(row["replaced_ms"]),
  };
}

/**
 * The memories of one team in a PostgreSQL database. What the user may not see is not there for any method: the
 * policies of the tables decide that, not this program.
 */
export class PostgresStore implements MovableStore {
  private readonly database: Database;
  private readonly team: string;
  private readonly system: Pick<System, "clock" | "random">;

  constructor(database: Database, team: string, system: Pick<System, "clock" | "random">) {
    this.database = database;
    this.team = team;
    this.system = system;
  }

  async list(filter: MemoryFilter, order: "name" | "newest", limit?: number): Promise<readonly Memory[]> {
    const { text, values } = listCondition(this.team, filter);
    const by =
      order === "name"
        ? `agent COLLATE "C", session COLLATE "C", key COLLATE "C"`
        : "updated_ms DESC, number DESC";
    const rows = await this.read(
      `SELECT ${SELECTED} FROM memories WHERE ${text} ORDER BY ${by} LIMIT $${values.length + 1}`,
      [...values, limit ?? null],
    );
    return rows.map(readMemoryRow);
  }

  async search(query: SearchQuery, filter: MemoryFilter, limit: number): Promise<readonly WeightedMemory[]> {
    const rows = await searchRows(this.searching(), query, filter, limit);
    return rows.map(row => readMatch(row, readMemoryRow(row)));
  }

  countWords(terms: readonly string[]): Promise<WordCounts> {
    return countTerms(this.searching(), terms);
  }

  async latest(project: string, sinceMs: number, limit: number): Promise<readonly Memory[]> {
    return (await latestRows(this.searching(), project, sinceMs, limit)).map(readMemoryRow);
  }

  /** What a memory said before. The server keeps it, for as long as the memory is there. */
  async textHistory(memory: Memory): Promise<TextHistory> {
    return readTextHistory(this.searching(), memory);
  }

  async put(draft: MemoryDraft): Promise<{ memory: Memory; isNew: boolean }> {
    checkTexts(draft);
    return this.write(async run => {
      const existing = await this.findNamed(run, draft);
      const nowMs = this.system.clock.nowMs();
      if (existing === undefined) return { memory: await this.insert(run, draft, nowMs), isNew: true };
      const { id, createdMs } = existing.memory;
      const memory = { ...draft, id, createdMs, updatedMs: nowMs };
      return { memory: await this.replace(run, existing, memory), isNew: false };
    });
  }

  async remember(draft: MemoryDraft, retention: Retention): Promise<{ memory: Memory; isNew: boolean }> {
    checkTexts(draft);
    return this.write(async run => {
      const nowMs = this.system.clock.nowMs();
      const existing = (await this.findSame(run, draft)) ?? (await this.findNamed(run, draft));
      const memory =
        existing === undefined
          ? await this.insert(run, draft, nowMs)
          : await this.replace(run, existing, { ...existing.memory, updatedMs: nowMs });
      await this.retain(run, draft.project, retention);
      return { memory, isNew: existing === undefined };
    });
  }

  async remove(memories: readonly MemoryId[]): Promise<number> {
    if (memories.length === 0) return 0;
    return this.write(run => removeRows({ run, team: this.team }, named("id", 2), idValues(memories)));
  }

  async pin(memories: readonly MemoryId[], isPinned: boolean): Promise<number> {
    if (memories.length === 0) return 0;
    return this.write(async run => {
      const rows = await run(
        `UPDATE ${MEMORIES} SET is_pinned = $4
         WHERE number = ANY (ARRAY(SELECT number FROM memories WHERE team = $1 AND ${named("id", 2)})) RETURNING number`,
        [this.team, ...idValues(memories), isPinned],
      );
      return rows.length;
    });
  }

  async recordUse(memories: readonly MemoryId[], use: MemoryUse): Promise<void> {
    if (memories.length === 0) return;
    const nowMs = this.system.clock.nowMs();
    await this.transaction(run => addUses({ run, team: this.team }, memories, use, nowMs));
  }

  listUses(): Promise<readonly StoredUse[]> {
    return listUses(this.searching());
  }

  async takeUses(uses: readonly StoredUse[]): Promise<void> {
    await this.transaction(run => takeUses({ run, team: this.team }, uses));
  }

  async take(
    agents: string | readonly string[],
    memories: readonly Memory[],
    isMerge: boolean,
  ): Promise<ImportCounts> {
    for (const memory of memories) checkTexts(memory);
    return this.write(async run => {
      if (!isMerge) for (const agent of [agents].flat()) await this.checkEmpty(run, agent);
      return takeBatches({ run, team: this.team }, memories, this.system.random);
    });
  }

  /** The process does not wait for queries that are still running. */
  close(): void {
    void this.database.close().catch(() => {});
  }

  private async checkEmpty(run: RunSql, agent: string): Promise<void> {
    const rows = await run(`SELECT FROM memories WHERE team = $1 AND agent = $2 LIMIT 1`, [
      this.team,
      encodeText(agent),
    ]);
    if (rows.length > 0) throw occupiedAgent();
  }

  private async insert(run: RunSql, draft: MemoryDraft, nowMs: number): Promise<Memory> {
    const memory = newMemory(draft, this.system.random, nowMs);
    await insertRows({ run, team: this.team }, [memory]);
    return memory;
  }

  private async replace(run: RunSql, existing: FoundMemory, memory: Memory): Promise<Memory> {
    const replaced = withPin(memory, existing.memory);
    await replaceRows({ run, team: this.team }, [{ number: existing.number, memory: replaced }]);
    return replaced;
  }

  private findNamed(run: RunSql, draft: MemoryDraft): Promise<FoundMemory | undefined> {
    return this.findOne(run, named("name", 2), nameValues([draft]));
  }

  /** By what it says, in the same project and of the same agent. */
  private findSame(run: RunSql, { project, agent, value }: MemoryDraft): Promise<FoundMemory | undefined> {
    return this.findOne(run, "fingerprint = $2 AND project = $3 AND agent = $4", [
      contentFingerprint(value),
      encodeText(project),
      encodeText(agent),
    ]);
  }

  private async findOne(
    run: RunSql,
    condition: string,
    values: Parameters<RunSql>[1] & {},
  ): Promise<FoundMemory | undefined> {
    const sql = `SELECT ${SELECTED} FROM memories WHERE team = $1 AND ${condition} ORDER BY number LIMIT 1`;
    const [row] = await run(sql, [this.team, ...values]);
    return row === undefined ? undefined : readFound(row);
  }

  private async retain(
    run: RunSql,
    project: string,
    { keyPrefix, keepNewest, updatedSinceMs }: Retention,
  ): Promise<void> {
    await removeRows(
      { run, team: this.team },
      `number IN (
         SELECT number FROM (
           SELECT number, updated_ms, row_number() OVER (ORDER BY updated_ms DESC, number DESC) AS place
           FROM memories
           WHERE team = $1 AND ${ofProject("$2")}
             AND starts_with(key, $3) AND NOT is_pinned
         ) AS counted
         WHERE place > $4 OR updated_ms < $5
       )`,
      [encodeText(project), keyPrefix, keepNewest, updatedSinceMs],
    );
  }

  private searching(): TeamSearch {
    return { run: (sql, values) => this.read(sql, values), team: this.team };
  }

  private async read(...[sql, values]: Parameters<RunSql>): Promise<readonly Row[]> {
    try {
      return await this.database.run(sql, values);
    } catch (error) {
      throw toMemoryError(error);
    }
  }

  /** Takes the team's revision first, so that writers of one team follow each other instead of meeting midway. */
  private write<T>(work: (run: RunSql) => Promise<T>): Promise<T> {
    return this.transaction(async run => {
      await run(`SELECT ${SCHEMA}.take_revision($1)`, [this.team]);
      return work(run);
    });
  }

  private async transaction<T>(work: (run: RunSql) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      throw toMemoryError(error);
    }
  }
}
