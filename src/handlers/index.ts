/**
 * Somebody else's hook: which calls it wants, how its answer is read, and what its failure means. Command, HTTP, MCP
 * tool and prompt handlers share these rules, in the hook program as in the engine.
 */
export { interpretAtomcodeJson } from "./atomcode-output.ts";
export { extraMembers, interpretClaude } from "./claude-output.ts";
export { mayRun } from "./command-rule.ts";
export { type Condition, type ConditionFacts, compileCondition } from "./condition.ts";
export { captureProblems, decodeOutput, hasProtocolKey, NO_OUTPUT, readObject } from "./decode.ts";
export {
  commandLine,
  type EnvironmentRecord,
  engineVariables,
  expandArgument,
  findShells,
  type Shells,
  scrubEnvironment,
} from "./environment.ts";
export {
  type Action,
  type ActionKind,
  type CommandAction,
  DEFAULT_LIMITS,
  DIAGNOSTIC_CODES,
  DIALECTS,
  type DiagnosticCode,
  type Dialect,
  describeType,
  diagnose,
  EMPTY_SOURCE,
  type HandlerSpec,
  type HookSource,
  type HttpAction,
  type Limits,
  type McpToolAction,
  type ModelAction,
  NO_FLAGS,
  type ParsedSource,
  SOURCE_KINDS,
  type SourceKind,
} from "./handler.ts";
export {
  compileClaude,
  compileMatcher,
  isExactList,
  isMatch,
  isMatcherIgnored,
  type Matcher,
  matchNames,
  matchPattern,
  matchSubject,
  namesOnlyAServer,
  promptSubject,
  splitAlternatives,
  splitExactList,
} from "./match.ts";
export {
  aborted,
  answered,
  applyFailure,
  captureText,
  clipContext,
  endFacts,
  failed,
  failureText,
  type HandlerEnd,
  type HandlerFailure,
  type HandlerVerdict,
  type InterpretOptions,
  isWithheld,
  notStarted,
  type RawResult,
  readVerdict,
  strictestPolicy,
  toFailure,
  toRunStatus,
} from "./result.ts";
export const loadCommandRule = () => import("./command-rule.ts");
