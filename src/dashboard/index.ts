/**
 * The local page and the report: what agents did, read from logs and history. Only this machine's person can open it,
 * and it changes nothing but what a button says.
 */

export { type Rendered, renderBare } from "./pages.ts";
export type { Dashboard, DashboardOptions } from "./server.ts";
export { isEqual, type Refusal, refuseForeign, SAFE_HEADERS } from "./server.ts";
export type { TeamPages } from "./team-dashboard.ts";
export { diffText } from "./views/calls.ts";
export { block, html, line, type Markup, NOTHING } from "./views/layout.ts";
export const loadAccess = () => import("./server.ts");
export const loadDataFiles = () => import("./entries.ts");
export type { Summary as ActivitySummary } from "./timeline/timeline.ts";
export const loadFigures = () => import("./figures.ts");
export const loadLocalDashboard = () => import("./local-dashboard.ts");
export const loadOpenBrowser = () => import("./open-browser.ts");
export const loadPeer = () => import("./peer.ts");
export const loadReport = () => import("./report.ts");
export const loadTeamDashboard = () => import("./team-dashboard.ts");
