/**
 * The memory store behind the bridges: SQLite by default, PostgreSQL for teams; recall, sync and what was learnt.
 * Notes are data: nothing in them is executed or obeyed.
 */
export { answerRequest } from "./bridge/answer.ts";
export {
  ANY_AGENT,
  CATEGORIES,
  checkTexts,
  type Memory,
  TEXT_LIMITS,
  VALUE_TYPES,
  type ValueType,
} from "./memory.ts";
export { type AgentBranch, buildMemoryTree, toDocument, toTime } from "./memory-document.ts";
export { MemoryError } from "./memory-error.ts";
export {
  ALL_PROJECTS,
  findMemoryPlace,
  type MemoryPlace,
  manualScope,
  projectScopes,
  sharedScope,
} from "./memory-place.ts";
export { copyMemories, type MovableStore, removeMoved } from "./move.ts";
export type { TeamPlace } from "./open-postgres-store.ts";
export { openReader, openStore } from "./open-store.ts";
export type { EarlierText, TextHistory } from "./postgres-history.ts";
export { PostgresStore } from "./postgres-store.ts";
export { findProjectIdentity } from "./project-identity.ts";
export { rankByWords } from "./rank-by-words.ts";
export type { RankedMemory } from "./ranking.ts";
export { readQuery } from "./search-words.ts";
export { shortHash } from "./short-hash.ts";
export { SqliteStore } from "./sqlite-store.ts";
export type { MemoryReader, MemoryStore } from "./store.ts";
export type { SyncReport, SyncRequest } from "./sync/run-sync.ts";
export { describeSync, isSyncDue, readSyncState } from "./sync/sync-state.ts";
export { teamOrigin } from "./sync/team-origin.ts";
export { MAX_TRANSFER_BYTES, parseExport, renderExport, WHAT_TO_IMPORT } from "./transfer.ts";
export const loadOpenPostgresStore = () => import("./open-postgres-store.ts");
export const loadPostgresStore = () => import("./postgres-store.ts");
export const loadRunSync = () => import("./sync/run-sync.ts");
export const loadStartSync = () => import("./sync/start-sync.ts");
