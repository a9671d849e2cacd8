import type { System } from "../system/system.ts";
import { checkTexts, type Memory, type MemoryDraft } from "./memory.ts";
import { MemoryError } from "./memory-error.ts";
import { choosePhrases, MOST_WEIGHED } from "./ranking.ts";
import type { Row, SqliteConnection, Value } from "./sqlite-connection.ts";
import { COLUMNS, fingerprintOf, memoryOf, PLACEHOLDERS, SELECTED, valuesOf } from "./sqlite-rows.ts";
import { addToIndex, scopeWord } from "./sqlite-schema.ts";
import type { Candidate, ImportCounts, MemoryFilter, MemoryStore, Retention } from "./store.ts";
import { encodeText } from "./stored-text.ts";

const ID_LENGTH = 32;
/** A word in the key counts as much as two in the value; scope restricts and weighs nothing. */
const WEIGHTS = "0.0, 2.0, 1.0";

/** The store in one SQLite file. All methods are synchronous behind their promises. */
export class SqliteStore implements MemoryStore {
  private readonly connection: SqliteConnection;
  private readonly system: Pick<System, "clock" | "random">;
  private readonly path: string;

  constructor(connection: SqliteConnection, system: Pick<System, "clock" | "random">, path: string) {
    this.connection = connection;
    this.system = system;
    this.path = path;
  }

  async list(filter: MemoryFilter, order: "name" | "newest", limit?: number): Promise<readonly Memory[]> {
    const { text, values } = conditions(filter);
    const by = order === "name" ? "agent, session, key" : "updated_ms DESC, number DESC";
    const rows = this.connection.rows(
      `SELECT ${SELECTED} FROM memories WHERE ${text} ORDER BY ${by} LIMIT ?`,
      [...values, limit ?? -1],
    );
    return rows.map(row => memoryOf(row, this.path));
  }

  async search(
    phrases: readonly string[],
    filter: MemoryFilter,
    limit: number,
  ): Promise<readonly Candidate[]> {
    const scope = scopeQuery(filter);
    const query = (chosen: readonly string[]): string => {
      const words = chosen.map(phrase => `"${phrase}"`).join(" OR ");
      return `${scope}{key value} : (${words})`;
    };
    const counted = phrases.map(phrase => ({ phrase, matches: this.countMatches(query([phrase])) }));
    const chosen = choosePhrases(counted);
    if (chosen.length === 0) return [];
    const { text, values } = conditions(filter);
    const match = query(chosen);
    const rows = this.connection.rows(
      `SELECT ${SELECTED}, weight
       FROM (
         SELECT rowid AS found, -bm25(memory_words, ${WEIGHTS}) AS weight
         FROM memory_words WHERE memory_words MATCH ? AND rowid >= ?
       )
       JOIN memories ON memories.number = found
       WHERE ${text} ORDER BY weight DESC, found DESC LIMIT ?`,
      [match, this.firstWeighed(match), ...values, limit],
    );
    return rows.map(row => ({ memory: memoryOf(row, this.path), weight: Number(row["weight"]) }));
  }

  async put(draft: MemoryDraft): Promise<{ memory: Memory; isNew: boolean }> {
    checkTexts(draft);
    return this.connection.write(() => {
      const existing = this.findNamed(draft);
      const nowMs = this.system.clock.nowMs();
      if (existing === undefined) return { memory: this.insert(this.fresh(draft, nowMs)), isNew: true };
      const { id, createdMs } = existing.memory;
      const memory = { ...draft, id, createdMs, updatedMs: nowMs };
      this.replace(existing.number, memory);
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
          ? this.insert(this.fresh(draft, nowMs))
          : { ...existing.memory, updatedMs: nowMs };
      if (existing !== undefined) this.replace(existing.number, memory);
      this.retain(draft.project, retention);
      return { memory, isNew: existing === undefined };
    });
  }

  async remove(memories: readonly Pick<Memory, "agent" | "id">[]): Promise<number> {
    if (memories.length === 0) return 0;
    return this.connection.write(() => {
      let removed = 0;
      for (const { agent, id } of memories) {
        const numbers = this.connection.rows("SELECT number FROM memories WHERE agent = ? AND id = ?", [
          encodeText(agent),
          encodeText(id),
        ]);
        for (const row of numbers) this.removeNumber(numberOf(row));
        removed += numbers.length;
      }
      // Removed words stay in the index until it is written anew.
      this.connection.run("INSERT INTO memory_words (memory_words) VALUES ('optimize')");
      return removed;
    });
  }

  async take(agent: string, memories: readonly Memory[], isMerge: boolean): Promise<ImportCounts> {
    for (const memory of memories) checkTexts(memory);
    return this.connection.write(() => {
      if (!isMerge) this.checkEmpty(agent);
      const counts = { added: 0, replaced: 0, kept: 0 };
      for (const memory of memories) counts[this.takeOne(memory)]++;
      return counts;
    });
  }

  close(): void {
    this.connection.close();
  }

  private checkEmpty(agent: string): void {
    const rows = this.connection.rows("SELECT 1 FROM memories WHERE agent = ? LIMIT 1", [encodeText(agent)]);
    if (rows.length > 0)
      throw new MemoryError("occupied", "the agent has memories already", "add --merge to keep them");
  }

  private takeOne(memory: Memory): keyof ImportCounts {
    const existing = this.findNamed(memory);
    if (existing !== undefined && existing.memory.updatedMs >= memory.updatedMs) return "kept";
    const owner = this.connection.rows("SELECT number FROM memories WHERE agent = ? AND id = ?", [
      encodeText(memory.agent),
      encodeText(memory.id),
    ])[0];
    const isIdFree = owner === undefined || numberOf(owner) === existing?.number;
    const taken = isIdFree ? memory : { ...memory, id: this.system.random.hex(ID_LENGTH) };
    if (existing === undefined) {
      this.insert(taken);
      return "added";
    }
    this.replace(existing.number, taken);
    return "replaced";
  }

  private fresh(draft: MemoryDraft, nowMs: number): Memory {
    return { ...draft, id: this.system.random.hex(ID_LENGTH), createdMs: nowMs, updatedMs: nowMs };
  }

  private findNamed({ agent, session, key }: MemoryDraft): FoundMemory | undefined {
    return this.findOne("agent = ? AND session = ? AND key = ?", [agent, session, key]);
  }

  /** By what it says, in the same project and of the same agent. */
  private findSame({ project, agent, value }: MemoryDraft): FoundMemory | undefined {
    return this.findOne("fingerprint = ? AND project = ? AND agent = ? ORDER BY number", [
      fingerprintOf(value),
      project,
      agent,
    ]);
  }

  private findOne(condition: string, values: readonly string[]): FoundMemory | undefined {
    const [row] = this.connection.rows(
      `SELECT ${SELECTED} FROM memories WHERE ${condition} LIMIT 1`,
      values.map(encodeText),
    );
    return row === undefined ? undefined : { number: numberOf(row), memory: memoryOf(row, this.path) };
  }

  private insert(memory: Memory): Memory {
    const [row] = this.connection.rows(
      `INSERT INTO memories (${COLUMNS}) VALUES (${PLACEHOLDERS}) RETURNING number`,
      valuesOf(memory),
    );
    addToIndex(this.connection, row === undefined ? 0 : numberOf(row), memory);
    return memory;
  }

  private replace(number: number, memory: Memory): void {
    this.connection.run(`UPDATE memories SET (${COLUMNS}) = (${PLACEHOLDERS}) WHERE number = ?`, [
      ...valuesOf(memory),
      number,
    ]);
    this.connection.run("DELETE FROM memory_words WHERE rowid = ?", [number]);
    addToIndex(this.connection, number, memory);
  }

  private removeNumber(number: number): void {
    this.connection.run("DELETE FROM memories WHERE number = ?", [number]);
    this.connection.run("DELETE FROM memory_words WHERE rowid = ?", [number]);
  }

  private retain(project: string, { keyPrefix, keepNewest, updatedSinceMs }: Retention): void {
    const rows = this.connection.rows(
      `SELECT number FROM (
         SELECT number, updated_ms, row_number() OVER (ORDER BY updated_ms DESC, number DESC) AS place
         FROM memories WHERE project = ? AND substr(key, 1, ?) = ?
       )
       WHERE place > ? OR updated_ms < ?`,
      [encodeText(project), keyPrefix.length, keyPrefix, keepNewest, updatedSinceMs],
    );
    for (const row of rows) this.removeNumber(numberOf(row));
  }

  /** Counting is cheap and need not be exact beyond what can be weighed. */
  private countMatches(match: string): number {
    const [row] = this.connection.rows(
      "SELECT count(*) AS matches FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH ? LIMIT ?)",
      [match, MOST_WEIGHED + 1],
    );
    return Number(row?.["matches"] ?? 0);
  }

  /** The number from which on there are no more matches than can be weighed: the newest. */
  private firstWeighed(match: string): number {
    const [row] = this.connection.rows(
      `SELECT min(rowid) AS first FROM (
         SELECT rowid FROM memory_words WHERE memory_words MATCH ? ORDER BY rowid DESC LIMIT ?
       )`,
      [match, MOST_WEIGHED],
    );
    return Number(row?.["first"] ?? 0);
  }
}

interface FoundMemory {
  readonly number: number;
  readonly memory: Memory;
}

function numberOf(row: Row): number {
  return Number(row["number"]);
}

function conditions(filter: MemoryFilter): { readonly text: string; readonly values: readonly Value[] } {
  const parts: string[] = ["TRUE"];
  const values: Value[] = [];
  const add = (text: string, ...more: readonly Value[]): void => {
    parts.push(text);
    values.push(...more);
  };
  if (filter.projects !== undefined) {
    add(`project IN (${filter.projects.map(() => "?").join(", ")})`, ...filter.projects.map(encodeText));
  }
  for (const column of ["agent", "session", "key", "category"] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) add(`${column} = ?`, encodeText(wanted));
  }
  if (filter.updatedSinceMs !== undefined) add("updated_ms >= ?", filter.updatedSinceMs);
  return { text: parts.join(" AND "), values };
}

/** The part of a search that restricts it, so that matches elsewhere cost nothing. */
function scopeQuery(filter: MemoryFilter): string {
  const groups = [
    filter.projects?.map(name => scopeWord("project", name)),
    filter.agent === undefined ? undefined : [scopeWord("agent", filter.agent)],
    filter.session === undefined ? undefined : [scopeWord("session", filter.session)],
  ];
  return groups
    .filter(group => group !== undefined)
    .map(group => `scope : (${group.map(word => `"${word}"`).join(" OR ")}) AND `)
    .join("");
}
