/**
 * State that survives crashes and other processes: atomic JSON files, locks that know whether their holder lives,
 * flags, counters, append-only and chained logs, typed environment variables. It never leaves a half-written file.
 */

export * from "./atomic-json-file.ts";
export type { ChainBreak, ChainBreakKind, ChainReport } from "./chained-log.ts";
export {
  appendChainedLine,
  type ChainHead,
  FIRST_PREV,
  findHead,
  parseHead,
  readLink,
  verifyChain,
} from "./chained-log.ts";
export * from "./complain.ts";
export * from "./directories.ts";
export type { EnvParser } from "./env-parsers.ts";
export * as envParsers from "./env-parsers.ts";
export * from "./file-lock.ts";
export * from "./files.ts";
export * from "./flags.ts";
export * from "./log-file.ts";
export * from "./log-names.ts";
export * from "./machine-key.ts";
export * from "./search-path.ts";
export * from "./timestamp.ts";
export * from "./variables.ts";
