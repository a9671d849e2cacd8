/**
 * What lies where: disk, repository, ignore rules, and the zones of a path (system, home, project, temporary, secret,
 * wired). It looks, and changes nothing.
 */
export { createDisk, type Disk, linkedDirectories, partsBelow } from "./disk.ts";
export { type IgnoreFile, isIgnored, isIgnoredNow, matchesAnyPattern, parseIgnoreFile } from "./ignore.ts";
export { holdsActiveLock, holdsHookProgram, isOwnFile, isSwitchFile } from "./own-files.ts";
export { filesBelow, type ProtectedPath, protectedPaths } from "./protected.ts";
export {
  currentBranch,
  findAlias,
  findRepository,
  hasBranch,
  hasCommitName,
  openRepository,
  type Repository,
  remotesOf,
  remoteUrl,
  trackedFiles,
  tracksAnything,
} from "./repository.ts";
export {
  hasSecretsBelow,
  isSettingsFile,
  patternNamesSecret,
  type SecretKind,
  secretByName,
  secretPlaces,
} from "./secrets.ts";
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
  holdsWiring,
  hookFiles,
  isLinkedWiring,
  mayNameWiring,
  wiringBelow,
  wiringOf,
  wiringPart,
} from "./wiring.ts";
export type { SessionWrites } from "./workspace.ts";
export {
  configuredAuditLog,
  findHostFolders,
  inDirectory,
  type Surroundings,
  SYSTEM_TOPS,
  startClock,
  survey,
  type Workspace,
  withDisk,
} from "./workspace.ts";
export { isConfigured, isStartupFile, isWholeTree, secretAt, type Zone, zoneOf } from "./zones.ts";
