import type { Row } from "../postgres/database.ts";
import type { System } from "../system/system.ts";
import type { Memory } from "./memory.ts";
import {
  columnsOf,
  idValues,
  MEMORIES,
  memoryOf,
  named,
  nameValues,
  rowsFrom,
  SELECTED,
  WRITTEN_COLUMNS,
} from "./postgres-rows.ts";
import type { TeamSearch } from "./postgres-search.ts";
import type { ImportCounts } from "./store.ts";
import { decodeText } from "./stored-text.ts";

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
    const names = [nameOf(memory), idOf(memory)];
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

function nameOf({ agent, session, key }: Pick<Memory, "agent" | "session" | "key">): string {
  return JSON.stringify(["name", agent, session, key]);
}

function idOf({ agent, id }: Pick<Memory, "agent" | "id">): string {
  return JSON.stringify(["id", agent, id]);
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
  const owners = await run(
    `SELECT number, agent, id FROM ${MEMORIES} WHERE team = $1 AND ${named("id", 2)}`,
    [team, ...idValues(batch)],
  );
  const byName = new Map(known.map(foundOf).map(found => [nameOf(found.memory), found]));
  const byId = new Map(
    owners.map(row => [
      idOf({ agent: decodeText(String(row["agent"])), id: decodeText(String(row["id"])) }),
      String(row["number"]),
    ]),
  );
  const added: Memory[] = [];
  const replaced: FoundMemory[] = [];
  for (const memory of batch) {
    const existing = byName.get(nameOf(memory));
    if (existing !== undefined && existing.memory.updatedMs >= memory.updatedMs) continue;
    const owner = byId.get(idOf(memory));
    const isIdFree = owner === undefined || owner === existing?.number;
    const taken = isIdFree ? memory : { ...memory, id: random.hex(32) };
    if (existing === undefined) added.push(taken);
    else replaced.push({ number: existing.number, memory: withPin(taken, existing.memory) });
  }
  return { added, replaced };
}

/** A pin stays unless the new one says otherwise. */
export function withPin(memory: Memory, earlier: Memory): Memory {
  const { isPinned = earlier.isPinned ?? false, ...rest } = memory;
  return isPinned ? { ...rest, isPinned } : rest;
}
