export type { Check } from "./doctor/check.ts";
export { type DoctorReport, type DoctorRequest, examine } from "./doctor/doctor.ts";
export { repair } from "./doctor/fix.ts";
export { install, wouldSkipInCodex } from "./install.ts";
export type { InstalledHost, InstallReport, InstallRequest } from "./install-report.ts";
export { type ListedHook, listHooks } from "./list-hooks.ts";
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
