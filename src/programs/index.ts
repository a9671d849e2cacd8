/**
 * What programs do with their words: `records/` has one record for each program, `model/` finds, follows and runs
 * records. The answer is effects; what is allowed is decided elsewhere.
 */
export { analyseArgv, analyseCommand, analyseFile } from "./model/analyse.ts";
export {
  findMissing,
  handsOnWords,
  MAY_BE_OPTION,
  namesFrom,
  onlyReads,
  reachesOut,
  startedBy,
} from "./model/completeness.ts";
export type { ProgramDescription } from "./model/describe.ts";
export { harmlessUse } from "./model/harmless.ts";
export { isForTests, OWN_CLUSTER } from "./model/operations.ts";
export { otherFiles, wordsNotTold } from "./model/other-files.ts";
export {
  filesThatSet,
  findDangerous,
  hasTrait,
  isEveryday,
  isInterpreter,
  isProgramName,
  isStartedByName,
  variablesThatSet,
} from "./model/registry.ts";
export { lossesInText } from "./model/unknown.ts";
export {
  CHANGE,
  destroyingVerb,
  endsRunning,
  isCalm,
  isOfDatabases,
  isProtection,
  isRegenerable,
  isResource,
  isThingOfService,
  isWeakVerb,
  namesEverybody,
  operationsSaid,
  paysOut,
  singular,
  takesOut,
} from "./model/vocabulary.ts";
export { changedWords, tellsAllChanges } from "./records/changed-files.ts";
export { isOwnHost } from "./records/credentials.ts";
export { namesInPatch } from "./records/files.ts";
export { filledBy } from "./records/filling.ts";
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
export { missingOfGit, opensEditor } from "./records/git-complete.ts";
export { registryHosts } from "./records/installs.ts";
export { goesOn } from "./records/lasting.ts";
export { isForge } from "./records/network.ts";
export {
  AGENT_FOLDERS,
  agentFileNames,
  type OwnCommand,
  type OwnUse,
  RECIPE_EXTENSIONS,
  RECIPE_FOLDERS,
} from "./records/own-commands.ts";
export {
  type FoundCall,
  filesOfOwn,
  findOwnCall,
  loadsOwnProgram,
  readHookEvent,
  removesOwnPackage,
} from "./records/own-program.ts";
export { INSTALLED_IN, isOwnName, isOwnText, isWrapper, wrappedCommand } from "./records/own-wrapper.ts";
export {
  cacheUsers,
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
export { isDeletingMutation, isLocalAddress, isMetadataAddress, requestLosses } from "./records/requests.ts";
export { isSecretName } from "./records/secret-names.ts";
export { changesPrograms, entersFolder, isShellWord, readsSubscripts } from "./records/shell-words.ts";
export { startedLater } from "./records/started-later.ts";
export {
  agentOfProcess,
  asksForSecret,
  capturedBy,
  codeArgvs,
  dialectArgv,
  dropsValues,
  elsewhereArgv,
  findAgent,
  isOpenShell,
  isOwnAccount,
  keepsInput,
  LOADING_OPTION,
  loadsVariables,
  mayShowSecret,
  namedVariables,
  onlyDisplays,
  opensDescriptors,
  PACKAGE_FILE,
  PROGRAM_VARIABLE,
  powerShellArgv,
  printsEnvironment,
  readsClipboard,
  runsForSocket,
  searchesWithoutLinks,
  showsInput,
  showsOnlyNames,
  sqlArgv,
  startedAddress,
  startedFiles,
  storesWords,
  takesPassword,
  takesVariables,
  tracesCommands,
  turnsPermissionsOff,
  unpacksOutput,
} from "./records/uses.ts";
export const loadDescribe = () => import("./model/describe.ts");
export const loadOwnPrograms = () => import("./model/own-programs.ts");
export const loadRegistry = () => import("./model/registry.ts");
export { filesRunBy } from "./model/runs-files.ts";
export { isInstaller, mayBringOrSend } from "./records/written-code.ts";
