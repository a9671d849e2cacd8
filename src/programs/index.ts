/**
 * What programs do with their words: `records/` has one record for each program, `model/` finds, follows and runs
 * records. The answer is effects; what is allowed is decided elsewhere.
 */
export { analyseArgv, analyseCommand } from "./model/analyse.ts";
export type { ProgramDescription } from "./model/describe.ts";
export { findDangerous, harmlessUse, hasTrait } from "./model/registry.ts";
export { changedWords, tellsAllChanges } from "./records/changed-files.ts";
export { isOwnHost } from "./records/credentials.ts";
export {
  changesOfGit,
  commitsWritten,
  isGitCommand,
  movedByGit,
  printsChanges,
  printsOldContent,
  readGitOptions,
  runsHooks,
  staysInRepository,
  takesIgnored,
  writtenByGit,
} from "./records/git-changes.ts";
export { registryHosts } from "./records/installs.ts";
export { isForge } from "./records/network.ts";
export { type OwnCommand, type OwnUse, RECIPE_EXTENSIONS, RECIPE_FOLDERS } from "./records/own-commands.ts";
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
  homeCaches,
  isDistinctiveName,
  isGenericName,
  isHomeCache,
  isJunkName,
  isRegenerableElsewhere,
  isRegenerableInProject,
  isRegenerableName,
  isRegenerablePattern,
} from "./records/regenerable.ts";
export { isLocalAddress, isMetadataAddress } from "./records/requests.ts";
export {
  agentOf,
  agentOfProcess,
  asksForSecret,
  codeArgvs,
  dialectArgv,
  dropsValues,
  elsewhereArgv,
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
  sqlArgv,
  startedAddress,
  storesWords,
  takesPassword,
  takesVariables,
  turnsPermissionsOff,
  unpacksOutput,
} from "./records/uses.ts";
export const loadDescribe = () => import("./model/describe.ts");
export const loadOwnPrograms = () => import("./model/own-programs.ts");
export const loadRegistry = () => import("./model/registry.ts");
