import { type Row, SCHEMA, type SqlValue } from "../../postgres/index.ts";
import type { System } from "../../system/index.ts";
import { idKey, type Memory, type MemoryName, nameKey } from "../memory.ts";
import { withFreeId } from "../new-memory.ts";
import { MEMORIES, memoryOf, named, nameValues, SELECTED, textOf } from "../postgres-rows.ts";
import type { TeamSearch } from "../postgres-search.ts";
import { findOwners, insertRows, removeRows, replaceRows } from "../postgres-take.ts";
import { encodeText } from "../stored-text.ts";
import type { NamedState, PendingChange } from "./change.ts";
import type { Decision } from "./decide.ts";

export const REMOVALS = `${SCHEMA}.memory_removals`;
const EARLIER = `${SCHEMA}.earlier_values`;
const NAME_HASH = `${SCHEMA}.text_hash(given.agent, given.session, given.key)`;

interface Decided {
  readonly change: PendingChange;
  readonly decision: Decision;
}

type NumberedState = NamedState & { readonly number?: string };

/** The statements of one transaction that takes changes. */
export class Batch {
  private readonly target: TeamSearch;
  private readonly random: System["random"];

  constructor(target: TeamSearch, random: System["random"]) {
    this.target = target;
    this.random = random;
  }

  async states(names: readonly MemoryName[]): Promise<ReadonlyMap<string, NumberedState>> {
    const { run, team } = this.target;
    const values = [team, ...nameValues(names)];
    const isNamed = `team = $1 AND ${named("name", 2)}`;
    const memories = await run(`SELECT ${SELECTED}, revision FROM ${MEMORIES} WHERE ${isNamed}`, values);
    const removals = await run(
      `SELECT agent, session, key, removed_ms, revision FROM ${REMOVALS} WHERE ${isNamed}`,
      values,
    );
    const found: readonly NumberedState[] = [
      ...removals.map(removalState),
      ...memories.map(row => ({ ...memoryState(row), number: String(row["number"]) })),
    ];
    return new Map(found.map(each => [nameKey(each), each]));
  }

  /** Tells what was stored, by name: an id that another memory has is replaced by a fresh one. */
  async write(
    decided: readonly Decided[],
    states: ReadonlyMap<string, NumberedState>,
    nowMs: number,
  ): Promise<ReadonlyMap<string, Memory>> {
    const removed = decided.flatMap(({ change, decision: { removedMs, store } }) =>
      removedMs === undefined ? [] : [{ ...change, removedMs, isFinal: store === undefined }],
    );
    await this.remove(removed);
    const wanted = decided.flatMap(({ change, decision: { store, removedMs } }) => {
      const number = removedMs === undefined ? states.get(nameKey(change))?.number : undefined;
      return store === undefined ? [] : [{ number, memory: store }];
    });
    const stored = await this.withFreeIds(wanted);
    await insertRows(
      this.target,
      stored.flatMap(({ number, memory }) => (number === undefined ? [memory] : [])),
    );
    await replaceRows(
      this.target,
      stored.flatMap(({ number, memory }) => (number === undefined ? [] : [{ number, memory }])),
    );
    await this.keepEarlier(
      decided.flatMap(({ decision: { earlier } }) => earlier ?? []),
      nowMs,
    );
    return new Map(stored.map(({ memory }) => [nameKey(memory), memory]));
  }

  private async remove(
    removed: readonly (MemoryName & { removedMs: number; isFinal: boolean })[],
  ): Promise<void> {
    if (removed.length === 0) return;
    const { run, team } = this.target;
    await removeRows(this.target, named("name", 2), nameValues(removed));
    const final = removed.filter(({ isFinal }) => isFinal);
    await run(
      `UPDATE ${REMOVALS} SET removed_ms = given.removed_ms
       FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) AS given (agent, session, key, removed_ms)
       WHERE team = $1 AND name_hash = ${NAME_HASH}`,
      [team, ...nameValues(final), final.map(({ removedMs }) => String(removedMs))],
    );
  }

  private async withFreeIds<T extends { readonly number: string | undefined; readonly memory: Memory }>(
    wanted: readonly T[],
  ): Promise<readonly T[]> {
    if (wanted.length === 0) return wanted;
    const memories = wanted.map(({ memory }) => memory);
    const owners = new Map(await findOwners(this.target, memories));
    return wanted.map(one => {
      const key = idKey(one.memory);
      const memory = withFreeId(one.memory, owners.get(key), one.number, this.random);
      // Whoever has the same id behind it finds it taken.
      owners.set(key, one.number ?? "added");
      return { ...one, memory };
    });
  }

  /** Each text once, however often it is sent. */
  private async keepEarlier(memories: readonly Memory[], nowMs: number): Promise<void> {
    if (memories.length === 0) return;
    const texts = (member: "project" | "id" | "value" | "type" | "category"): SqlValue =>
      memories.map(memory => encodeText(memory[member]));
    const { run, team } = this.target;
    await run(
      `INSERT INTO ${EARLIER}
         (team, agent, session, key, project, id, value, type, category, updated_ms, replaced_ms)
       SELECT $1, given.*, $11::bigint
       FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
         $10::bigint[]) AS given (agent, session, key, project, id, value, type, category, updated_ms)
       WHERE NOT EXISTS (
         SELECT FROM ${EARLIER} AS known
         WHERE known.team = $1 AND known.name_hash = ${NAME_HASH}
           AND (known.value, known.type, known.category) = (given.value, given.type, given.category)
       )`,
      [
        team,
        ...nameValues(memories),
        texts("project"),
        texts("id"),
        texts("value"),
        texts("type"),
        texts("category"),
        memories.map(({ updatedMs }) => String(updatedMs)),
        nowMs,
      ],
    );
  }
}

export function memoryState(row: Row): NamedState {
  const memory = memoryOf(row);
  const { agent, session, key } = memory;
  return { agent, session, key, state: { kind: "memory", memory, revision: Number(row["revision"]) } };
}

export function removalState(row: Row): NamedState {
  const text = (column: string): string => textOf(row, column);
  const state = {
    kind: "removed",
    removedMs: Number(row["removed_ms"]),
    revision: Number(row["revision"]),
  } as const;
  return { agent: text("agent"), session: text("session"), key: text("key"), state };
}
