/** `amplihack`: the version and the types of hooks. Everything else stands in the entries beside this one. */
export type * from "../protocol/index.ts";
export { version } from "../version.ts";
