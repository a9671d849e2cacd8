/**
 * Starts an agent: finds it, builds its environment, supervises it, and updates this program. It passes on signals and
 * exit codes as they are.
 */
export type { AgentStatus } from "./agent-status.ts";
export { readAgentVersion, versionIn } from "./agent-version.ts";
export { readVariables } from "./child-environment.ts";
export { describeEnvironment, describePlan } from "./describe-plan.ts";
export { tryFindBinary } from "./find-binary.ts";
export type { LaunchConsole, LaunchRequest } from "./launch-request.ts";
export { runChild } from "./managed-child.ts";
export { isNonInteractive, planLaunch } from "./plan.ts";
export { checkPlatform } from "./platform.ts";
export { offerInstall } from "./repair.ts";
export { runPlan } from "./run-plan.ts";
export { LAUNCH_TOOLS } from "./tools.ts";
export { startUpdateCheck, type UpdateCheck, whySkipped } from "./update/check.ts";
export { fetchBytes } from "./update/fetch.ts";
export { findOwner } from "./update/owner.ts";
export { isNewer, type Release } from "./update/releases.ts";
export { canRestart } from "./update/restart.ts";
export { readUpdateSettings, type UpdateSettings } from "./update/settings.ts";
export { checkSignature, readPublicKey } from "./update/verify.ts";
export const loadAgentStatus = () => import("./agent-status.ts");
export const loadApply = () => import("./update/apply.ts");
export const loadCheckout = () => import("./checkout.ts");
export const loadOffer = () => import("./update/offer.ts");
export const loadOwner = () => import("./update/owner.ts");
export const loadPlatform = () => import("./platform.ts");
export const loadReleases = () => import("./update/releases.ts");
export const loadSettings = () => import("./update/settings.ts");
export const loadVerify = () => import("./update/verify.ts");
