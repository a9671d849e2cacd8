/**
 * What programs do with their words: `records/` has one record for each program, `model/` finds, follows and runs
 * records. The answer is effects; what is allowed is decided elsewhere.
 */
export { analyseArgv, analyseCommand } from "./model/analyse.ts";
export { changedWords } from "./model/changed-words.ts";
export { findDangerous } from "./model/dangerous.ts";
export type { ProgramDescription } from "./model/describe.ts";
export { harmlessUse } from "./model/read-only.ts";
export { hasTrait } from "./model/registry.ts";
export { tellsAllChanges } from "./model/told-changes.ts";
export { codeArgvs, dialectArgv, elsewhereArgv, sqlArgv } from "./model/tool-argv.ts";
export {
  asksForSecret,
  dropsValues,
  isOpenShell,
  isOwnAccount,
  isSecretName,
  keepsInput,
  loadsVariables,
  namedVariables,
  onlyDisplays,
  opensDescriptors,
  powerShellArgv,
  printsEnvironment,
  runsForSocket,
  startedAddress,
  storesWords,
  takesPassword,
  takesVariables,
  unpacksOutput,
} from "./model/traits.ts";
export { agentOf, agentOfProcess, turnsPermissionsOff } from "./records/agents.ts";
export { isOwnHost } from "./records/credentials.ts";
export {
  changesOfGit,
  commitsWritten,
  isGitCommand,
  movedByGit,
  printsChanges,
  printsOldContent,
  runsHooks,
  staysInRepository,
  takesIgnored,
  writtenByGit,
} from "./records/git-changes.ts";
export { readGitOptions } from "./records/git-options.ts";
export { isMetadataAddress } from "./records/metadata.ts";
export { isForge } from "./records/network.ts";
export type { OwnCommand, OwnUse } from "./records/own-commands.ts";
export {
  type FoundCall,
  isOwnName,
  isOwnText,
  loadsOwnProgram,
  ownCallOf,
  removesOwnPackage,
  writtenByOwn,
} from "./records/own-program.ts";
export { INSTALLED_IN, isWrapper, wrappedCommand } from "./records/own-wrapper.ts";
export {
  isDistinctiveName,
  isGenericName,
  isHomeCache,
  isJunkName,
  isRegenerableElsewhere,
  isRegenerableInProject,
  isRegenerableName,
  isRegenerablePattern,
} from "./records/regenerable.ts";
export { isLocalAddress } from "./records/requests.ts";
export const loadDescribe = () => import("./model/describe.ts");
export const loadOwnPrograms = () => import("./model/own-programs.ts");
export const loadRegistry = () => import("./model/registry.ts");
