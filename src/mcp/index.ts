/**
 * The MCP server and the guard for other servers. What a command would be asked about, a tool asks about.
 */
export const loadServeHttp = () => import("./serve-http.ts");
export const loadServeStdio = () => import("./serve-stdio.ts");
export const loadToken = () => import("./token.ts");
