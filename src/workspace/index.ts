/**
 * What lies where: disk, repository, ignore rules, and the zones of a path (system, home, project, temporary, secret,
 * wired). It looks, and changes nothing.
 */
export { partsBelow } from "./below.ts";
export { createDisk, type Disk } from "./disk.ts";
export { expandTarget } from "./expand.ts";
export { holdsHookProgram } from "./hook-program.ts";
export { type IgnoreFile, isIgnored, matchesAnyPattern, parseIgnoreFile } from "./ignore.ts";
export { isIgnoredNow } from "./ignored.ts";
export { linkedDirectories } from "./linked.ts";
export { componentCouldBe, componentCouldBeInAnyShell, plainName } from "./match.ts";
export { isOwnFile } from "./own-program.ts";
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
} from "./repository.ts";
export {
  hasSecretsBelow,
  isSettingsFile,
  patternNamesSecret,
  type SecretKind,
  secretByName,
  secretPlaces,
} from "./secrets.ts";
export type { SessionWrites } from "./session-writes.ts";
export { isStartupFile } from "./startup.ts";
export { holdsActiveLock, isSwitchFile } from "./switches.ts";
export { literalTarget, resolveTargets, type Target } from "./target.ts";
export { tracksAnything } from "./tracked.ts";
export { isWholeTree } from "./whole-tree.ts";
export { mayNameWiring, wiringPart } from "./wiring.ts";
export { holdsWiring, hookFiles, isLinkedWiring, wiringBelow, wiringOf } from "./wiring-on-disk.ts";
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
export { isConfigured, secretAt, type Zone, zoneOf } from "./zones.ts";
