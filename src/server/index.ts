/**
 * The team server: machines that joined ship to it, people look at it. It keeps everything in PostgreSQL, as a role that
 * sees the rows of one team at a time, and never tells a secret twice.
 */
export const loadInit = () => import("./init.ts");
export const loadPersonData = () => import("./person-data.ts");
export const loadServe = () => import("./serve.ts");
