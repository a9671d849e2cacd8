export { install, wouldSkipInCodex } from "./install.ts";
export type { InstalledHost, InstallReport, InstallRequest } from "./install-report.ts";
export { findPackage, type Package } from "./package.ts";
export { findPlaces, type Places, type Scope } from "./places.ts";
export { InstallProblem } from "./problem.ts";
export { renderInstall, renderUninstall } from "./render-report.ts";
export {
  ensureSettings,
  type HookPathsCheck,
  type MissingHook,
  updateHookPaths,
  validateHookPaths,
} from "./settings-api.ts";
export { INSTALLABLE_HOSTS, type InstallableHost } from "./targets.ts";
export { type UninstallReport, type UninstallRequest, uninstall } from "./uninstall.ts";
