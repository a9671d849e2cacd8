export {
  DEFAULT_HOST,
  HOST_IDS,
  HOST_LIST,
  HOSTS,
  type HostId,
  isHostId,
  resolveHost,
} from "./descriptors.ts";
export {
  abilities,
  type HostRegistration,
  hookDeadlineMs,
  planRegistrations,
  type RegistrationPlan,
} from "./hook-registry.ts";
export type * from "./host.ts";
export { ANSWER_KINDS, type AnswerKind, type Inspection, type InspectOptions, inspect } from "./inspect.ts";
export { mapEvent, nativeEventName } from "./native-events.ts";
export {
  type NormaliseErrorCode,
  type NormaliseOptions,
  type NormaliseResult,
  normalise,
} from "./normalise.ts";
export { type OwnedCommand, ownedCommand, ownedHandler } from "./owned-command.ts";
export { type PrintModeCall, type PrintModeRequest, printModeArguments } from "./print-mode.ts";
export { isAgentVariable, recognise } from "./recognise.ts";
export { HOOK_REGISTRY, type RegistryRow } from "./registry-rows.ts";
export {
  type EditedText,
  type EmptyContainers,
  type IsUnwanted,
  type UnregisterOptions,
  unregisterEntries,
} from "./remove-entries.ts";
export { type HostResponse, type RenderRequest, render } from "./render.ts";
export { type FailureRequest, renderFailure } from "./render-failure.ts";
export { type FoundEntry, listEntries, settingsPath } from "./settings-file.ts";
export { listSubcommands, resolveSubcommand, STOCK_SUBCOMMANDS, type Subcommand } from "./subcommands.ts";
