/**
 * The MCP server and the guard for other servers. What a command would be asked about, a tool asks about.
 */
export const loadServe = () => import("./serve.ts");
export const loadPins = () => import("./pins.ts");
export type { ServerPins } from "./pins.ts";
