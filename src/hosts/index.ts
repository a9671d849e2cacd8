/**
 * Everything that is known of agent hosts, one descriptor each: recognise and normalise a payload, render an outcome
 * in the host's own words, where its configuration lives, what it cannot do. Pure functions of text and payloads.
 */
export { canonicalToolName, nativeToolName } from "./canonical-tool.ts";
export { claudeCode } from "./claude-code.ts";
export { asText } from "./claude-encoders.ts";
export {
  DEFAULT_HOST,
  HOST_IDS,
  HOST_LIST,
  HOSTS,
  type HostId,
  hostOrDefault,
  isHostId,
  resolveHost,
} from "./descriptors.ts";
export { deriveFacts, NO_FACTS, patchedPaths } from "./facts.ts";
export { hasFailed } from "./failed-call.ts";
export {
  abilities,
  type HostRegistration,
  hookDeadlineMs,
  MODULE_DEADLINE_SECONDS,
  planRegistrations,
  type RegistrationPlan,
} from "./hook-registry.ts";
export type {
  AgentProgram,
  EnvironmentReader,
  Evidence,
  HostDescriptor,
  HostSetup,
  InputMapping,
  InstallScope,
  LiveDriver,
  McpServers,
  PrintMode,
  ProtectedFiles,
  Registration,
  RenderContext,
  ResponseEncoder,
  ResponseTable,
  SettingsLayout,
  TrialEnvironment,
  UserFiles,
} from "./host.ts";
export { ANSWER_KINDS, type AnswerKind, type Inspection, type InspectOptions, inspect } from "./inspect.ts";
export { mapEvent, nativeEventName, registeredEvents } from "./native-events.ts";
export {
  type NormaliseErrorCode,
  type NormaliseOptions,
  type NormaliseResult,
  normalise,
} from "./normalise.ts";
export { type OwnedCommand, ownedCommand, ownedHandler } from "./owned-command.ts";
export { type PrintModeCall, type PrintModeRequest, printModeArguments } from "./print-mode.ts";
export {
  AGENT_PROGRAMS,
  CREDENTIAL_FILES,
  MANAGED_DIRECTORIES,
  RELOCATIONS,
  WIRING_FILES,
  WIRING_TREES,
} from "./protected-files.ts";
export { readToolInput } from "./read-tool.ts";
export { isAgentVariable, recognise } from "./recognise.ts";
export { HOOK_REGISTRY, type RegistryRow } from "./registry-rows.ts";
export {
  childCount,
  clearEvent,
  containerPath,
  describeEdit,
  type EditedText,
  type EmptyContainers,
  type IsUnwanted,
  ownEntries,
  type UnregisterOptions,
  unregisterEntries,
} from "./remove-entries.ts";
export { type HostResponse, type RenderRequest, render } from "./render.ts";
export { type FailureRequest, renderFailure } from "./render-failure.ts";
export {
  BOM,
  entriesOf,
  type FoundEntry,
  listEntries,
  type OpenedFile,
  openFile,
  rootOf,
  settingsPath,
} from "./settings-file.ts";
export { listSubcommands, resolveSubcommand, STOCK_SUBCOMMANDS, type Subcommand } from "./subcommands.ts";
export { canonicalInput, nativeInput } from "./tool-input.ts";
export { readShapes } from "./tools/read-shapes.ts";
export { factsOfCall } from "./tools/shape-facts.ts";
export type { CodeLanguage, ElsewhereCommand, ShapedCall, ToolShape } from "./tools/shapes.ts";
export { actionOf, type FileAction, toolWords } from "./tools/tool-words.ts";
export { unreadShell } from "./tools/unread-shell.ts";
export { isOneOf } from "./tools/word-list.ts";
