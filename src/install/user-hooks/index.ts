/**
 * The door for the program that runs users' hooks in Node: it starts for single calls, so it must not meet the rest of
 * this room.
 */
export { loadCompiled } from "./load-compiled.ts";
export { findServerEntry, type McpServer, readServer } from "./mcp-servers.ts";
export { readSettingsFile } from "./settings-file.ts";
export const loadMcpCall = () => import("./mcp-call.ts");
