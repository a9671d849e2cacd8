/**
 * Records to others: OTLP and PostgreSQL, each line once. It reads logs and never changes them.
 */
export { ROLLUPS, SESSIONS } from "./record-tables.ts";
export { type LogChoice, readableTeams } from "./shipped-chain.ts";
export type { RecordReport, RecordsReport } from "./verify-records.ts";
export const loadCompareLog = () => import("./verify-records.ts");
export const loadOpenTarget = () => import("./open-target.ts");
export const loadPostgresTarget = () => import("./open-target.ts");
export const loadShip = () => import("./ship.ts");
export const loadShippedChain = () => import("./shipped-chain.ts");
export const loadVerifyRecords = () => import("./verify-records.ts");
