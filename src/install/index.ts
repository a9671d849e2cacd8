/**
 * Registers hooks with hosts, takes them back byte for byte, checks and proves that they work. Nothing is written
 * that `uninstall` does not know.
 */
export { settingsEdit } from "./config-setting.ts";
export type { DoctorCheck } from "./doctor/check.ts";
export { findFaults } from "./doctor/doctor.ts";
export { applyEdit, type FileChange } from "./file-edit.ts";
export { findOnPath } from "./find-program.ts";
export { findNativeProgram, upgradeCommand } from "./hook-engine.ts";
export { hostTitle } from "./host-title.ts";
export { askVersion } from "./host-version.ts";
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
export { INSTALLABLE_HOSTS, isInstallable, isPresent, setupOf } from "./targets.ts";
export { unifiedDiff } from "./unified-diff.ts";
export { planUserCommands } from "./user-commands.ts";
export type { BuildReport } from "./user-hooks/build.ts";
export type { OwnHook } from "./user-hooks/list-own.ts";
export { loadCompiled } from "./user-hooks/load-compiled.ts";
export { findServerEntry, type McpServer, readServer } from "./user-hooks/mcp-servers.ts";
export { readSettingsFile } from "./user-hooks/settings-file.ts";
export const loadBuild = () => import("./user-hooks/build.ts");
export const loadConfigSetting = () => import("./config-setting.ts");
export const loadFileEdit = () => import("./file-edit.ts");
export const loadImportSettings = () => import("./user-hooks/import-settings.ts");
export const loadListOwn = () => import("./user-hooks/list-own.ts");
export const loadLoadFile = () => import("./user-hooks/load-file.ts");
export const loadManage = () => import("./user-hooks/manage.ts");
export const loadMcpCall = () => import("./user-hooks/mcp-call.ts");
export const loadMode = () => import("./plugin/mode.ts");
export const loadOperations = () => import("./operations.ts");
export const loadPlugins = () => import("./plugin/plugins.ts");
export const loadPullPolicies = () => import("./pull-policies.ts");
export const loadSources = () => import("./user-hooks/sources.ts");
