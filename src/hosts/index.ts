/**
 * Everything that is known of agent hosts, one descriptor each: recognise and normalise a payload, render an outcome
 * in the host's own words, where its configuration lives, what it cannot do. Pure functions of text and payloads.
 */

export {
  AGENTS,
  type AgentName,
  findActiveAgent,
  locateActiveAgent,
  parseAgentName,
} from "./active-agent.ts";
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
export { deriveFacts, FILE_TOOLS, NO_FACTS, patchedPaths } from "./facts.ts";
export {
  abilities,
  type HostRegistration,
  hookDeadlineMs,
  MODULE_DEADLINE_SECONDS,
  planRegistrations,
  type RegistrationPlan,
  rowsWaiting,
} from "./hook-registry.ts";
export type {
  AgentLaunch,
  AgentProgram,
  Answering,
  EnvironmentReader,
  Evidence,
  HostDescriptor,
  HostSetup,
  InputMapping,
  InstallScope,
  LiveDriver,
  McpServers,
  PersonRules,
  PrintMode,
  ProtectedFiles,
  Registration,
  RenderContext,
  ResponseEncoder,
  ResponseTable,
  Sandboxing,
  SettingsLayout,
  TrialEnvironment,
  UserFiles,
} from "./host.ts";
export { ANSWER_KINDS, type AnswerKind, type Inspection, type InspectOptions, inspect } from "./inspect.ts";
export { mapEvent, nativeEventName, registeredEvents } from "./native-events.ts";
export {
  hasFailed,
  isAgentVariable,
  type NormaliseErrorCode,
  type NormaliseOptions,
  type NormaliseResult,
  normalise,
  recognise,
} from "./normalise.ts";
export { OWN_AGENTS, OWN_SKILLS, ownNames } from "./own-names.ts";
export {
  type PrintModeCall,
  type PrintModeRequest,
  printModeArguments,
  screenArguments,
} from "./print-mode.ts";
export {
  AGENT_PROGRAMS,
  CREDENTIAL_FILES,
  MANAGED_DIRECTORIES,
  RELOCATIONS,
  WIRING_FILES,
  WIRING_TREES,
} from "./protected-files.ts";
export { ALL_ROWS, HOOK_REGISTRY, type RegistryRow } from "./registry-rows.ts";
export {
  type FailureRequest,
  type HostResponse,
  type RenderRequest,
  render,
  renderFailure,
} from "./render.ts";
export {
  BOM,
  childCount,
  clearEvent,
  containerPath,
  describeEdit,
  type EditedText,
  type EmptyContainers,
  type FoundEntry,
  type IsUnwanted,
  listEntries,
  listFoundEntries,
  type OpenedFile,
  openFile,
  ownEntries,
  rootPath,
  settingsPath,
  type UnregisterOptions,
  unregisterEntries,
} from "./settings-file.ts";
export {
  listSubcommands,
  type OwnedCommand,
  ownedCommand,
  ownedHandler,
  resolveSubcommand,
  STOCK_SUBCOMMANDS,
  type Subcommand,
} from "./subcommands.ts";
export {
  canonicalInput,
  canonicalToolName,
  nativeInput,
  nativeToolName,
  readToolInput,
} from "./tool-input.ts";
export { makeToolNames } from "./tool-names.ts";
export { factsOfCall, readShapes, unreadShell } from "./tools/shapes.ts";
export type { CodeLanguage, ElsewhereCommand, ShapedCall, ToolShape } from "./tools/tool-words.ts";
export { type FileAction, findAction, isListed, toolWords } from "./tools/tool-words.ts";
