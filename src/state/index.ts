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
export {
  CONFIRMED_FILE,
  CONSIDERATIONS_FILE,
  DISABLED_FILE,
  LOCKS_FOLDER,
  POWER_STEERING_CONFIG,
  POWER_STEERING_FOLDER,
  requireDirectories,
  type UserDirectories,
  WORKFLOW_SWITCHES,
} from "./directories.ts";
export type { EnvParser, ParsedVariable } from "./env-parsers.ts";
export * as envParsers from "./env-parsers.ts";
export * from "./file-lock.ts";
export * from "./files.ts";
export * from "./files.ts";
export { ignoreAbsent, Problem, type ProblemDetails, removeIfThere, withParents } from "./files.ts";
export * from "./flags.ts";
export * from "./log-file.ts";
export { belongsToLog } from "./log-file.ts";
export * from "./machine-key.ts";
export * from "./search-path.ts";
export * from "./timestamp.ts";
export * from "./timestamp.ts";
export * from "./variables.ts";
