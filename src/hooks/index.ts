/**
 * The hook program: one run from standard input to standard output (`program/`), the stock hooks (`stock/`) and users'
 * own hooks (`user/`). It answers always and in time; what fails on the way is told, never taken for a verdict.
 */
export { type OverriddenRule, overriddenRule } from "./program/answer.ts";
export { auditFile, isAudited, writeAudit } from "./program/audit.ts";
export {
  BRIDGE_ACTIONS,
  BRIDGE_TIMEOUT_MS,
  BRIDGE_VERSION,
  type BridgeAction,
  type BridgeContracts,
  type BridgeReply,
  type BridgeRequest,
  type GetContextReply,
  type GetContextRequest,
  type InjectMemoryReply,
  type InjectMemoryRequest,
  type Parsed,
  parseBridgeReply,
  parseBridgeRequest,
  type QuestionReply,
  type QuestionRequest,
  REPLY_LIMITS,
  type ReflectReply,
  type ReflectRequest,
  type StoreReply,
  type StoreRequest,
} from "./program/bridge/contracts.ts";
export { readCommandLine } from "./program/command-line.ts";
export { SERVICE_FOLDER, shownToPerson } from "./program/consent-service.ts";
export {
  askerForService,
  consumeGrants,
  judgeWithGrants,
  noteGiven,
  RECIPE_STEP_HOST,
  type RefusedCommand,
  ranFiles,
  refusalsFile,
  rememberRefusal,
  shownWith,
  whyStartedByAgent,
} from "./program/grants.ts";
export { runGuardArgv } from "./program/guard-argv.ts";
export { asksTeam, type ConfiguredGuard, openGuard } from "./program/guard-context.ts";
export { type HookContext, type HookOptions, openHookContext } from "./program/hook-context.ts";
export { type HookDefinition, openProgram } from "./program/hook-program.ts";
export { agentAbove, agentRunning } from "./program/process-tree.ts";
export { CRASHED, type EngineServices, type HookRun, INPUT_LIMIT_BYTES, openRun } from "./program/run.ts";
export {
  directoryFile,
  noteHeld,
  readAbility,
  type SandboxedCall,
  sweepCalls,
  takeCall,
} from "./program/sandboxed.ts";
export { spokenOrders } from "./stock/foreign-results.ts";
export { type Routing, type RoutingReason, routeIntent } from "./stock/intent-routing.ts";
export { permissionRequest } from "./stock/permission-request.ts";
export { postToolUse, postToolUseFailure } from "./stock/post-tool-use.ts";
export { type RestoredConversation, restoreLatestConversation } from "./stock/pre-compact/export.ts";
export { preCompact } from "./stock/pre-compact/pre-compact.ts";
export { definition, preToolUse } from "./stock/pre-tool-use.ts";
export { sessionStart } from "./stock/session-start.ts";
export { sessionStop } from "./stock/session-stop.ts";
export {
  isHeldText,
  type LockOutcome,
  type LockStatus,
  lock,
  lockStatus,
  unlock,
} from "./stock/stop/lock-mode.ts";
export { isTestCommand } from "./stock/stop/power-steering/commands.ts";
export { isReadablePlace } from "./stock/stop/power-steering/source.ts";
export { stop } from "./stock/stop/stop.ts";
export { userPromptSubmit } from "./stock/user-prompt-submit.ts";
export { workflowClassificationReminder } from "./stock/workflow-classification-reminder.ts";
export { readAnswer } from "./user/answer.ts";
export { describeExports, runHere, toWants } from "./user/as-hook.ts";
export {
  allow,
  ask,
  type CommandEffectFact,
  type CommandFacts,
  context,
  defineHook,
  deny,
  type EffectKind,
  type ExecOptions,
  type ExecResult,
  type GivenCall,
  type HookAnswer,
  type HookCall,
  type HookFiles,
  type HookSettings,
  type HookSpec,
  type HookStore,
  halt,
  type McpTool,
  message,
  type Rewrite,
  replaceOutput,
  rewrite,
  type Said,
  type StartedProgram,
  type ToolEvent,
  type ToolInputs,
  type ToolName,
  type ToolSelector,
} from "./user/authoring.ts";
export { openCall, openFacts } from "./user/call.ts";
export { hasChanged } from "./user/changed-sources.ts";
export { HOOK_TIMEOUT_MS, isUserHook, type UserHook } from "./user/define.ts";
export {
  type BuiltFile,
  type BuiltHandler,
  type BuiltHook,
  buildFolder,
  digestFiles,
  MANIFEST_VERSION,
  type Manifest,
  manifestFile,
  parseHook,
  readManifest,
  type SourceFile,
} from "./user/manifest.ts";
export type { AskRequest, ChildRequest } from "./user/node-child.ts";
export { findImpostors, trustFile } from "./user/own-names.ts";
export {
  answerRealm,
  CODE_CLOSING,
  CODE_OPENING,
  REALM_TEXT,
  type RunHook,
  requireHooks,
  runInRealm,
} from "./user/run-code.ts";
export { UserHooks, withToolInput } from "./user/user-hooks.ts";
export { findWanted, indexFile, indexText, isSourceName, isWanted, listSources } from "./user/wanted.ts";
export { findUnagreedScripts, listActions, listFilesThatRun, withAllItRuns } from "./user/what-runs.ts";
export const loadAudit = () => import("./program/audit.ts");
export const loadGrants = () => import("./program/grants.ts");
export const loadAsHook = () => import("./user/as-hook.ts");
export const loadGuardArgv = () => import("./program/guard-argv.ts");
export const loadGuardContext = () => import("./program/guard-context.ts");
export const loadBudget = () => import("./program/budget.ts");
export const loadManifest = () => import("./user/manifest.ts");
export const loadProcessTree = () => import("./program/process-tree.ts");
export const loadRunCode = () => import("./user/run-code.ts");
export type { KeptCall } from "./stock/history.ts";
export const loadStockHistory = () => import("./stock/history.ts");
export const loadWanted = () => import("./user/wanted.ts");
