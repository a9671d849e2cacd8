/**
 * Somebody else's hook: which calls it wants, how its answer is read, and what its failure means. Command, HTTP, MCP
 * tool and prompt handlers share these rules, in the hook program as in the engine.
 */
export { interpretAtomcodeJson } from "./atomcode-output.ts";
export { captureText } from "./capture.ts";
export { extrasOf } from "./claude-answer.ts";
export { interpretClaude } from "./claude-output.ts";
export { type Condition, type ConditionFacts, compileCondition } from "./condition.ts";
export { captureProblems, decodeOutput, hasProtocolKey, NO_OUTPUT, readObject } from "./decode.ts";
export { describeType } from "./describe-type.ts";
export { DIAGNOSTIC_CODES, type DiagnosticCode, diagnose } from "./diagnostics.ts";
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
  applyFailure,
  endFacts,
  failureText,
  isWithheld,
  notStarted,
  runStatusOf,
  strictestPolicy,
} from "./failure.ts";
export {
  type Action,
  type ActionKind,
  type CommandAction,
  EMPTY_SOURCE,
  type HandlerSpec,
  type HttpAction,
  type McpToolAction,
  type ModelAction,
  NO_FLAGS,
  type ParsedSource,
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
  namesOnlyAServer,
  promptSubjectOf,
  splitAlternatives,
  splitExactList,
  subjectOf,
} from "./match.ts";
export {
  DEFAULT_LIMITS,
  DIALECTS,
  type Dialect,
  type HookSource,
  type Limits,
  SOURCE_KINDS,
  type SourceKind,
} from "./options.ts";
export {
  aborted,
  answered,
  clipContext,
  clipText,
  failed,
  failureOf,
  type HandlerEnd,
  type HandlerFailure,
  type HandlerVerdict,
  type InterpretOptions,
  type RawResult,
  verdictOf,
} from "./result.ts";
