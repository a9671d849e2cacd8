import type { System } from "../system/index.ts";
import { contentFingerprint } from "./content-fingerprint.ts";
import { checkTexts, type Memory, type MemoryDraft, type MemoryId, type MemoryName } from "./memory.ts";
import { occupiedAgent } from "./memory-error.ts";
import type { MovableStore, StoredUse } from "./move.ts";
import { newMemory, withFreeId } from "./new-memory.ts";
import { readMatch } from "./read-row.ts";
import type { SearchQuery } from "./search-words.ts";
import { newestOfTeam } from "./sqlite-changes.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { memoryOf, SELECTED } from "./sqlite-rows.ts";
import { countTerms, filterConditions, searchRows } from "./sqlite-search.ts";
import { addUses, latestRows, listUses, setPin, takeUse } from "./sqlite-uses.ts";
import {
  checkScope,
  dropRemovedWords,
  type FoundMemory,
  findRow,
  insertRow,
  numberOf,
  numberOfId,
  removeRows,
  replaceRow,
} from "./sqlite-writes.ts";
import type {
  ImportCounts,
  MemoryFilter,
  MemoryUse,
  Retention,
  WeightedMemory,
  WordCounts,
} from "./store.ts";
import { encodeText } from "./stored-text.ts";

/** The store in one SQLite file. All methods are synchronous behind their promises. */
export class SqliteStore implements MovableStore {
  private readonly connection: SqliteConnection;
  private readonly system: Pick<System, "clock" | "random">;
  private readonly path: string;

  constructor(connection: SqliteConnection, system: Pick<System, "clock" | "random">, path: string) {
    this.connection = connection;
    this.system = system;
    this.path = path;
  }

  async list(filter: MemoryFilter, order: "name" | "newest", limit?: number): Promise<readonly Memory[]> {
    const { text, values } = filterConditions(filter);
    const by = order === "name" ? "agent, session, key" : "updated_ms DESC, number DESC";
    const rows = this.connection.rows(
      `SELECT ${SELECTED} FROM memories WHERE ${text} ORDER BY ${by} LIMIT ?`,
      [...values, limit ?? -1],
    );
    return rows.map(row => memoryOf(row, this.path));
  }

  async search(query: SearchQuery, filter: MemoryFilter, limit: number): Promise<readonly WeightedMemory[]> {
    const rows = searchRows(this.connection, query, filter, limit);
    return rows.map(row => readMatch(row, memoryOf(row, this.path)));
  }

  async countWords(terms: readonly string[]): Promise<WordCounts> {
    return countTerms(this.connection, terms);
  }

  async latest(project: string, sinceMs: number, limit: number): Promise<readonly Memory[]> {
    return latestRows(this.connection, project, sinceMs, limit).map(row => memoryOf(row, this.path));
  }

  async put(draft: MemoryDraft): Promise<{ memory: Memory; isNew: boolean }> {
    checkTexts(draft);
    return this.connection.write(() => {
      const existing = this.findNamed(draft);
      const nowMs = this.system.clock.nowMs();
      if (existing === undefined) return { memory: this.add(draft, nowMs), isNew: true };
      const { id, createdMs } = existing.memory;
      checkScope(this.connection, existing, draft.project);
      const memory = replaceRow(this.connection, existing, { ...draft, id, createdMs, updatedMs: nowMs });
      return { memory, isNew: false };
    });
  }

  async remember(draft: MemoryDraft, retention: Retention): Promise<{ memory: Memory; isNew: boolean }> {
    checkTexts(draft);
    return this.connection.write(() => {
      const nowMs = this.system.clock.nowMs();
      const existing = this.findSame(draft) ?? this.findNamed(draft);
      const memory =
        existing === undefined
          ? this.add(draft, nowMs)
          : replaceRow(this.connection, existing, { ...existing.memory, updatedMs: nowMs });
      this.retain(draft.project, retention);
      return { memory, isNew: existing === undefined };
    });
  }

  async remove(memories: readonly MemoryId[]): Promise<number> {
    if (memories.length === 0) return 0;
    return this.connection.write(() => {
      const numbers = this.numbersOf(memories);
      removeRows(this.connection, numbers, this.system.clock.nowMs());
      dropRemovedWords(this.connection);
      return numbers.length;
    });
  }

  async pin(memories: readonly MemoryId[], isPinned: boolean): Promise<number> {
    return this.connection.write(() => {
      const numbers = this.numbersOf(memories);
      for (const number of numbers) setPin(this.connection, number, isPinned);
      return numbers.length;
    });
  }

  async recordUse(memories: readonly MemoryId[], use: MemoryUse): Promise<void> {
    if (memories.length === 0) return;
    this.connection.write(() =>
      addUses(this.connection, this.numbersOf(memories), use, this.system.clock.nowMs()),
    );
  }

  async listUses(): Promise<readonly StoredUse[]> {
    return listUses(this.connection);
  }

  async takeUses(uses: readonly StoredUse[]): Promise<void> {
    this.connection.write(() => {
      for (const use of uses)
        for (const number of this.numbersOf([use])) takeUse(this.connection, number, use);
    });
  }

  async take(
    agents: string | readonly string[],
    memories: readonly Memory[],
    isMerge: boolean,
  ): Promise<ImportCounts> {
    for (const memory of memories) checkTexts(memory);
    return this.connection.write(() => {
      if (!isMerge) for (const agent of [agents].flat()) this.checkEmpty(agent);
      const counts = { added: 0, replaced: 0, kept: 0 };
      for (const memory of memories) counts[this.takeOne(memory)]++;
      return counts;
    });
  }

  /** It is a copy of what a team has. */
  async hasShared(): Promise<boolean> {
    return this.connection.rows("SELECT 1 FROM memories WHERE is_shared = 1 LIMIT 1").length > 0;
  }

  close(): void {
    this.connection.close();
  }

  private checkEmpty(agent: string): void {
    const rows = this.connection.rows("SELECT 1 FROM memories WHERE agent = ? LIMIT 1", [encodeText(agent)]);
    if (rows.length > 0) throw occupiedAgent();
  }

  private takeOne(memory: Memory): keyof ImportCounts {
    const existing = this.findNamed(memory);
    if (existing !== undefined && existing.memory.updatedMs >= memory.updatedMs) return "kept";
    const owner = numberOfId(this.connection, memory.agent, memory.id);
    const taken = withFreeId(memory, owner, existing?.number, this.system.random);
    if (existing === undefined) {
      insertRow(this.connection, taken);
      return "added";
    }
    checkScope(this.connection, existing, taken.project);
    replaceRow(this.connection, existing, taken);
    return "replaced";
  }

  private add(draft: MemoryDraft, nowMs: number): Memory {
    return insertRow(this.connection, newMemory(draft, this.system.random, nowMs));
  }

  private findNamed({ agent, session, key }: MemoryName): FoundMemory | undefined {
    return this.findOne("agent = ? AND session = ? AND key = ?", [agent, session, key]);
  }

  /** By what it says, in the same project and of the same agent. */
  private findSame({ project, agent, value }: MemoryDraft): FoundMemory | undefined {
    return this.findOne("fingerprint = ? AND project = ? AND agent = ?", [
      contentFingerprint(value),
      project,
      agent,
    ]);
  }

  private findOne(condition: string, values: readonly string[]): FoundMemory | undefined {
    return findRow(this.connection, this.path, condition, values);
  }

  private numbersOf(memories: readonly MemoryId[]): readonly number[] {
    return memories.flatMap(({ agent, id }) => numberOfId(this.connection, agent, id) ?? []);
  }

  private retain(project: string, { keyPrefix, keepNewest, updatedSinceMs }: Retention): void {
    const nowMs = this.system.clock.nowMs();
    const teamNowMs = Math.min(nowMs, newestOfTeam(this.connection, project) ?? nowMs);
    const rows = this.connection.rows(
      `SELECT number FROM (
         SELECT number, is_shared, updated_ms, row_number() OVER (ORDER BY updated_ms DESC, number DESC) AS place
         FROM memories
         WHERE project = ? AND substr(key, 1, ?) = ? AND number NOT IN (SELECT number FROM memory_pins)
       )
       WHERE place > ? OR updated_ms < CASE is_shared WHEN 1 THEN ? ELSE ? END`,
      [
        encodeText(project),
        keyPrefix.length,
        keyPrefix,
        keepNewest,
        updatedSinceMs - (nowMs - teamNowMs),
        updatedSinceMs,
      ],
    );
    removeRows(this.connection, rows.map(numberOf), nowMs);
  }
}
