/**
 * The memory store behind the bridges: SQLite by default, PostgreSQL for teams; recall, sync and what was learnt.
 * Notes are data: nothing in them is executed or obeyed.
 */
export { answerRequest } from "./bridge.ts";
export { type LearningOptions, learnFromCalls } from "./learn-from-calls.ts";
export type { LearntNote } from "./learnt.ts";
export type { MemoryReader, MemoryStore } from "./memory.ts";
export {
  ANY_AGENT,
  CATEGORIES,
  checkTexts,
  type Memory,
  MemoryError,
  shortHash,
  TEXT_LIMITS,
  VALUE_TYPES,
  type ValueType,
} from "./memory.ts";
export {
  ALL_PROJECTS,
  findMemoryPlace,
  findProjectIdentity,
  type MemoryPlace,
  manualScope,
  projectScopes,
  sharedScope,
  teamOrigin,
} from "./memory-place.ts";
export { copyMemories, type MovableStore, removeMoved } from "./move.ts";
export type { RankedMemory } from "./note-context.ts";
export type { TeamPlace } from "./open-postgres-store.ts";
export type { EarlierText, TextHistory } from "./postgres-store.ts";
export { PostgresStore } from "./postgres-store.ts";
export { rankByWords } from "./ranking.ts";
export { readQuery } from "./search-words.ts";
export { openReader, openStore, SqliteStore } from "./sqlite-store.ts";
export type { SyncReport, SyncRequest } from "./sync/run-sync.ts";
export { describeSync, isSyncDue, readSyncState } from "./sync/sync-state.ts";
export {
  type AgentBranch,
  buildMemoryTree,
  MAX_TRANSFER_BYTES,
  parseExport,
  renderExport,
  toDocument,
  toTime,
  WHAT_TO_IMPORT,
} from "./transfer.ts";
export const loadLearnt = () => import("./learnt.ts");
export const loadReflection = () => import("./reflection.ts");
export const loadOpenPostgresStore = () => import("./open-postgres-store.ts");
export const loadPostgresStore = () => import("./postgres-store.ts");
export type { TeamSide } from "./sync/team-database.ts";
export const loadMemoryTables = () => import("./postgres-schema.ts");
export const loadTeamDatabase = () => import("./sync/team-database.ts");
export const loadTold = () => import("./sync/told.ts");
export const loadRunSync = () => import("./sync/run-sync.ts");
export const loadStartSync = () => import("./sync/sync-state.ts");
