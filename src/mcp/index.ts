export const loadServeHttp = () => import("./serve-http.ts");
export const loadServeStdio = () => import("./serve-stdio.ts");
export const loadToken = () => import("./token.ts");
