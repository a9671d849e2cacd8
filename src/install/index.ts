/**
 * Registers hooks with hosts, takes them back byte for byte, checks and proves that they work. Nothing is written
 * that `uninstall` does not know.
 */
export { settingsEdit } from "./config-setting.ts";
export type { DoctorCheck } from "./doctor/check.ts";
export { findFaults } from "./doctor/doctor.ts";
export { isContainer } from "./doctor/machine.ts";
export { applyEdit, type FileChange, unifiedDiff } from "./file-edit.ts";
export { findOnPath } from "./find-program.ts";
export { findNativeProgram, upgradeCommand } from "./hook-engine.ts";
export { install } from "./install.ts";
export { type InstallRequest, PLAIN_INSTALL } from "./install-report.ts";
export type { ListedHook } from "./list-hooks.ts";
export { findPackage, type Package } from "./package.ts";
export {
  type EnsureOptions,
  ensureSettings,
  type HookPathsCheck,
  type MissingHook,
  updateHookPaths,
  validateHookPaths,
} from "./settings-api.ts";
export { askVersion, hostSetup, hostTitle, INSTALLABLE_HOSTS, isInstallable, isPresent } from "./targets.ts";
export { planUserCommands } from "./user-commands.ts";
export type { BuildReport } from "./user-hooks/build.ts";
export type { ListedUserHook } from "./user-hooks/list.ts";
export const loadBuild = () => import("./user-hooks/build.ts");
export const loadConfigSetting = () => import("./config-setting.ts");
export const loadFileEdit = () => import("./file-edit.ts");
export const loadImportSettings = () => import("./user-hooks/manage.ts");
export const loadListUserHooks = () => import("./user-hooks/list.ts");
export const loadUserHookProblems = () => import("./user-hooks/problems.ts");
export const loadLoadFile = () => import("./user-hooks/bundle.ts");
export const loadManage = () => import("./user-hooks/manage.ts");
export const loadMode = () => import("./plugins.ts");
export const loadOperations = () => import("./operations.ts");
export const loadPlugins = () => import("./plugins.ts");
export const loadManifest = () => import("./manifest.ts");
export const loadPullPolicies = () => import("./pull-policies.ts");
export const loadSources = () => import("./user-hooks/sources.ts");
