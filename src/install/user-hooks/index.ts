/**
 * The door for the program that runs users' hooks in Node: it starts for single calls, so it must not meet the rest of
 * this room.
 */
export { findServerEntry, loadCompiled, type McpServer, readServer, readSettingsFile } from "./compiled.ts";
export const loadMcpCall = () => import("./mcp-call.ts");
