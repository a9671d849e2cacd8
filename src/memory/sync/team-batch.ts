import type { Row, RunSql, SqlValue } from "../../postgres/database.ts";
import { SCHEMA } from "../../postgres/migrate.ts";
import type { System } from "../../system/system.ts";
import type { Memory } from "../memory.ts";
import { idValues, MEMORIES, memoryOf, named, nameValues, SELECTED } from "../postgres-rows.ts";
import { insertRows, replaceRows } from "../postgres-take.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import { type MemoryName, type NamedState, nameKey, type PendingChange } from "./change.ts";
import type { Decision } from "./decide.ts";

export const REMOVALS = `${SCHEMA}.memory_removals`;
const EARLIER = `${SCHEMA}.earlier_values`;
const NAME_HASH = `${SCHEMA}.text_hash(given.agent, given.session, given.key)`;
const ID_LENGTH = 32;

interface Decided {
  readonly change: PendingChange;
  readonly decision: Decision;
}

type NumberedState = NamedState & { readonly number?: string };

/** The statements of one transaction that takes changes. */
export class Batch {
  private readonly run: RunSql;
  private readonly team: string;
  private readonly random: System["random"];

  constructor(run: RunSql, team: string, random: System["random"]) {
    this.run = run;
    this.team = team;
    this.random = random;
  }

  async states(names: readonly MemoryName[]): Promise<ReadonlyMap<string, NumberedState>> {
    const values = [this.team, ...nameValues(names)];
    const isNamed = `team = $1 AND ${named("name", 2)}`;
    const memories = await this.run(`SELECT ${SELECTED}, revision FROM ${MEMORIES} WHERE ${isNamed}`, values);
    const removals = await this.run(
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
    const target = { run: this.run, team: this.team };
    await insertRows(
      target,
      stored.flatMap(({ number, memory }) => (number === undefined ? [memory] : [])),
    );
    await replaceRows(
      target,
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
    await this.run(`DELETE FROM ${MEMORIES} WHERE team = $1 AND ${named("name", 2)}`, [
      this.team,
      ...nameValues(removed),
    ]);
    const final = removed.filter(({ isFinal }) => isFinal);
    await this.run(
      `UPDATE ${REMOVALS} SET removed_ms = given.removed_ms
       FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) AS given (agent, session, key, removed_ms)
       WHERE team = $1 AND name_hash = ${NAME_HASH}`,
      [this.team, ...nameValues(final), final.map(({ removedMs }) => String(removedMs))],
    );
  }

  private async withFreeIds<T extends { readonly number: string | undefined; readonly memory: Memory }>(
    wanted: readonly T[],
  ): Promise<readonly T[]> {
    if (wanted.length === 0) return wanted;
    const owners = await this.run(
      `SELECT number, agent, id FROM ${MEMORIES} WHERE team = $1 AND ${named("id", 2)}`,
      [this.team, ...idValues(wanted.map(({ memory }) => memory))],
    );
    const text = (row: Row, column: string) => decodeText(String(row[column]));
    const ownerOf = new Map(
      owners.map(row => [JSON.stringify([text(row, "agent"), text(row, "id")]), String(row["number"])]),
    );
    const given = new Set<string>();
    return wanted.map(one => {
      const name = JSON.stringify([one.memory.agent, one.memory.id]);
      const owner = ownerOf.get(name);
      const isFree = (owner === undefined || owner === one.number) && !given.has(name);
      given.add(name);
      return isFree ? one : { ...one, memory: { ...one.memory, id: this.random.hex(ID_LENGTH) } };
    });
  }

  /** Each text once, however often it is sent. */
  private async keepEarlier(memories: readonly Memory[], nowMs: number): Promise<void> {
    if (memories.length === 0) return;
    const texts = (member: "project" | "id" | "value" | "type" | "category"): SqlValue =>
      memories.map(memory => encodeText(memory[member]));
    await this.run(
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
        this.team,
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
  const text = (column: string): string => decodeText(String(row[column]));
  const state = {
    kind: "removed",
    removedMs: Number(row["removed_ms"]),
    revision: Number(row["revision"]),
  } as const;
  return { agent: text("agent"), session: text("session"), key: text("key"), state };
}
