/**
 * State that survives crashes and other processes: atomic JSON files, locks that know whether their holder lives,
 * flags, counters, append-only and chained logs, typed environment variables. It never leaves a half-written file.
 */
export { ignoreAbsent, removeIfThere, withParents } from "./absent-files.ts";
export * from "./active-agent.ts";
export * from "./append-line.ts";
export * from "./atomic-flag.ts";
export * from "./atomic-json-file.ts";
export * from "./back-up.ts";
export { appendChainedLine, type ChainHead, FIRST_PREV, findHead, readLink } from "./chained-log.ts";
export * from "./counter.ts";
export type { EnvParser, ParsedVariable } from "./env-parsers.ts";
export * as envParsers from "./env-parsers.ts";
export * from "./env-var.ts";
export * from "./file-lock.ts";
export * from "./homes.ts";
export * from "./log-file.ts";
export { type LogLine, linesOf, logFiles } from "./log-lines.ts";
export * from "./path-containment.ts";
export { Problem, type ProblemDetails } from "./problem.ts";
export * from "./project-root.ts";
export * from "./read-text.ts";
export * from "./rotate.ts";
export * from "./runtime-directory.ts";
export * from "./serialise.ts";
export * from "./session-id.ts";
export * from "./set-aside.ts";
export * from "./state-error.ts";
export {
  CONFIRMED_FILE,
  CONSIDERATIONS_FILE,
  DISABLED_FILE,
  LOCKS_FOLDER,
  POWER_STEERING_CONFIG,
  POWER_STEERING_FOLDER,
  WORKFLOW_SWITCHES,
} from "./switch-files.ts";
export * from "./timestamp.ts";
export { requireDirectories, type UserDirectories } from "./user-directories.ts";
export * from "./variables.ts";
export type { ChainBreak, ChainBreakKind, ChainReport } from "./verify-chain.ts";
export { parseHead, verifyChain } from "./verify-chain.ts";
