/**
 * What lies where: disk, repository, ignore rules, and the zones of a path (system, home, project, temporary, secret,
 * wired). It looks, and changes nothing.
 */
export { PRIVATE_MEMORY, whyNotCaught } from "./caught.ts";
export { createDisk, type Disk, linkedDirectories, MAX_PATH, partsBelow } from "./disk.ts";
export {
  type GitSetting,
  gitSettings,
  includedBy,
  listGitHooks,
  settingsOfFile,
  usesAttribute,
  valuesOfSetting,
} from "./git-settings.ts";
export {
  type IgnoreFile,
  isIgnored,
  isIgnoredByGit,
  isIgnoredNow,
  isIgnoredWith,
  matchesAnyPattern,
  parseIgnoreFile,
} from "./ignore.ts";
export { holdsActiveLock, holdsHookProgram, isOwnFile, isSwitchFile } from "./own-files.ts";
export { isSecretVariable, whyOtherProgram } from "./program-identity.ts";
export { filesBelow, type ProtectedPath, protectedPaths } from "./protected.ts";
export {
  activeHooks,
  currentBranch,
  findAlias,
  findRepository,
  hasBranch,
  hasCommitName,
  hiddenFiles,
  hooksIn,
  type IndexedFile,
  isWholeRepository,
  listRemotes,
  listSubmodules,
  openRepository,
  type Repository,
  remoteUrl,
  trackedFiles,
  trackedId,
  tracksAnything,
} from "./repository.ts";
export {
  hasSecretsBelow,
  isSettingsFile,
  mayHoldLogin,
  patternNamesSecret,
  type SecretKind,
  secretByName,
  secretPlaces,
} from "./secrets.ts";
export { NO_SESSION_FACTS, type SessionFacts, warnedSincePrompt } from "./session-facts.ts";
export {
  hasSecretsIn,
  startersBelow,
  startersInCaches,
  startsLater,
  withoutNested,
} from "./starts-later.ts";
export { readSurroundings } from "./surroundings.ts";
export {
  componentCouldBe,
  componentCouldBeInAnyShell,
  expandTarget,
  literalTarget,
  plainName,
  resolveTargets,
  type Target,
} from "./target.ts";
export {
  findWiring,
  holdsWiring,
  hookFiles,
  isLinkedWiring,
  mayNameWiring,
  wiringBelow,
  wiringPart,
} from "./wiring.ts";
export {
  configuredAuditLog,
  inDirectory,
  type SessionWrites,
  type Surroundings,
  SYSTEM_TOPS,
  survey,
  type Workspace,
  withDisk,
} from "./workspace.ts";
export {
  classifyPath,
  isConfigured,
  isLinkedStartup,
  isStartupFile,
  isStartupName,
  isWholeTree,
  secretAt,
  type Zone,
} from "./zones.ts";
