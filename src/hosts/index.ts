export { configurationPath } from "./configuration-path.ts";
export { HOSTS } from "./descriptors.ts";
export { type GeneratedFile, generateFiles } from "./generated-files.ts";
export {
  abilities,
  type EntryOptions,
  HOOK_REGISTRY,
  type HostRegistration,
  hookDeadlineMs,
  MODULE_DEADLINE_SECONDS,
  planRegistrations,
  type RegistrationPlan,
  type RegistryRow,
  type WantedEntry,
  wantedEntries,
} from "./hook-registry.ts";
export * from "./host.ts";
export { ANSWER_KINDS, type AnswerKind, type Inspection, type InspectOptions, inspect } from "./inspect.ts";
export type { ModuleOptions } from "./module-runtime.ts";
export { mapEvent, nativeEventName } from "./native-events.ts";
export { type NormaliseOptions, normalise } from "./normalise.ts";
export { opencodePlugin } from "./opencode-plugin.ts";
export { type OwnedCommand, ownedCommand, ownedHandler, quoteWord } from "./owned-command.ts";
export { piExtension } from "./pi-extension.ts";
export { type PrintModeCall, type PrintModeRequest, printModeArguments } from "./print-mode.ts";
export { recognise } from "./recognise.ts";
export { render } from "./render.ts";
export { renderFailure } from "./render-failure.ts";
export {
  type Edited,
  type EmptyContainers,
  type IsUnwanted,
  registerEntries,
  type UnregisterOptions,
  unregisterEntries,
} from "./settings-entries.ts";
export { type FoundEntry, listEntries, type Problem } from "./settings-file.ts";
export { listSubcommands, resolveSubcommand, STOCK_SUBCOMMANDS, type Subcommand } from "./subcommands.ts";
