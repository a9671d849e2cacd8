/**
 * Records to others: OTLP, PostgreSQL and a team's server, each line once. It reads logs and never changes them.
 */

export { ecsLine } from "./ecs.ts";
export type { ShippedPart, ShippedRow } from "./open-target.ts";
export { QUESTION_LIMITS, type QuestionFacts, shownDigest } from "./questions.ts";
export { LISTED_PARTS, TOTALLED_PARTS } from "./record-tables.ts";
export { type LogChoice, readableTeams, readsByFunctions, seesEveryRecord } from "./shipped-chain.ts";
export type { RecordReport, RecordsReport } from "./verify-records.ts";
export const loadCompareLog = () => import("./verify-records.ts");
export const loadOpenTarget = () => import("./open-target.ts");
export const loadPostgresTarget = () => import("./open-target.ts");
export const loadRecordTables = () => import("./record-tables.ts");
export const loadJoinedServer = () => import("./joined-server.ts");
export { MAX_USAGE_DAYS } from "./server-target.ts";
export const loadQuestions = () => import("./questions.ts");
export const loadServerMemory = () => import("./server-memory.ts");
export const loadServerPolicy = () => import("./server-policy.ts");
export const loadShip = () => import("./ship.ts");
export const loadShippedChain = () => import("./shipped-chain.ts");
export const loadVerifyRecords = () => import("./verify-records.ts");
