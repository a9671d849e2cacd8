import { type Row, SCHEMA, type SqlValue } from "../postgres/index.ts";
import type { System } from "../system/index.ts";
import { idKey, type Memory, type MemoryId, nameKey } from "./memory.ts";
import { withFreeId, withPin } from "./new-memory.ts";
import {
  columnsOf,
  idValues,
  MEMORIES,
  memoryOf,
  named,
  nameValues,
  rowsFrom,
  SELECTED,
  textOf,
  WRITTEN_COLUMNS,
} from "./postgres-rows.ts";
import type { TeamSearch } from "./postgres-search.ts";
import type { ImportCounts } from "./store.ts";

/** A statement carries at most so many memories, and so many characters of their texts. */
const MAX_BATCH = 500;
const MAX_BATCH_CHARACTERS = 4_000_000;

export interface FoundMemory {
  readonly number: string;
  readonly memory: Memory;
}

export function foundOf(row: Row): FoundMemory {
  return { number: String(row["number"]), memory: memoryOf(row) };
}

export async function insertRows({ run, team }: TeamSearch, memories: readonly Memory[]): Promise<void> {
  if (memories.length === 0) return;
  await run(
    `INSERT INTO ${MEMORIES} (team, ${WRITTEN_COLUMNS})
     SELECT $1, * FROM ${rowsFrom(2)}`,
    [team, ...columnsOf(memories)],
  );
}

export async function replaceRows({ run, team }: TeamSearch, found: readonly FoundMemory[]): Promise<void> {
  if (found.length === 0) return;
  const columns = WRITTEN_COLUMNS.split(", ");
  const rows = rowsFrom(3).replace("unnest(", "unnest($2::bigint[], ");
  await run(
    `UPDATE ${MEMORIES} SET ${columns.map(column => `${column} = given.${column}`).join(", ")}
     FROM ${rows} AS given (number, ${WRITTEN_COLUMNS})
     WHERE memories.number = given.number AND memories.team = $1`,
    [team, found.map(({ number }) => number), ...columnsOf(found.map(({ memory }) => memory))],
  );
}

/** Those of the team that fit the condition, whose values begin with `$2`; tells how many there were. */
export async function removeRows(
  { run, team }: TeamSearch,
  condition: string,
  values: readonly SqlValue[],
): Promise<number> {
  const numbers = `SELECT number FROM ${MEMORIES} WHERE team = $1 AND ${condition}`;
  return (await run(`SELECT ${SCHEMA}.remove_memories(ARRAY(${numbers}))`, [team, ...values])).length;
}

/** As they are, ids and dates included; of two with the same name the later change stays. */
export async function takeBatches(
  team: TeamSearch,
  memories: readonly Memory[],
  random: System["random"],
): Promise<ImportCounts> {
  const counts = { added: 0, replaced: 0, kept: 0 };
  for (const batch of batchesOf(memories)) {
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
function* batchesOf(memories: readonly Memory[]): Generator<readonly Memory[]> {
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
  const known = await run(`SELECT ${SELECTED} FROM ${MEMORIES} WHERE team = $1 AND ${named("name", 2)}`, [
    team,
    ...nameValues(batch),
  ]);
  const owners = await findOwners({ run, team }, batch);
  const byName = new Map(known.map(foundOf).map(found => [nameKey(found.memory), found]));
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
  const rows = await run(`SELECT number, agent, id FROM ${MEMORIES} WHERE team = $1 AND ${named("id", 2)}`, [
    team,
    ...idValues(ids),
  ]);
  return new Map(
    rows.map(row => [idKey({ agent: textOf(row, "agent"), id: textOf(row, "id") }), String(row["number"])]),
  );
}
