/**
 * The local page and the report: what agents did, read from logs and history. Only this machine's person can open it,
 * and it changes nothing but what a button says.
 */
export { isEqual, type Refusal, refuseForeign } from "./access.ts";
export type { DataFiles } from "./data-files.ts";
export { parseJudgement, parseRun } from "./entries.ts";
export { LogReader } from "./log-reader.ts";
export type { Dashboard, DashboardOptions } from "./server.ts";
export const loadAccess = () => import("./access.ts");
export const loadDataFiles = () => import("./data-files.ts");
export const loadLocalDashboard = () => import("./local-dashboard.ts");
export const loadOpenBrowser = () => import("./open-browser.ts");
export const loadPeer = () => import("./peer.ts");
export const loadReport = () => import("./report.ts");
export const loadTeamDashboard = () => import("./team/team-dashboard.ts");
