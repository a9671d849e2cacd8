// What the commands do, in one import that is made only when one of them runs.

export { requireDirectories } from "../state/index.ts";
export { examine } from "./doctor/doctor.ts";
export { repair } from "./doctor/fix.ts";
export { install, needsTrustAgreement } from "./install.ts";
export { listHooks } from "./list-hooks.ts";
export { findPackage } from "./package.ts";
export { renderInstall, renderUninstall } from "./render-report.ts";
export { hasLastingData, uninstall } from "./uninstall.ts";
