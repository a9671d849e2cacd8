export type * from "../protocol/index.ts";
export { version } from "../version.ts";
