/**
 * Starts an agent: finds it, builds its environment, supervises it, and updates this program. It passes on signals and
 * exit codes as they are.
 */
export type { AgentStatus } from "./agent-status.ts";
export { readAgentVersion, versionIn } from "./agent-status.ts";
export type { LaunchConsole, LaunchRequest } from "./child-environment.ts";
export { readVariables } from "./child-environment.ts";
export { LAUNCH_TOOLS, tryFindBinary } from "./find-binary.ts";
export { describeEnvironment, describePlan, isNonInteractive, planLaunch } from "./plan.ts";
export { checkPlatform } from "./platform.ts";
export { offerInstall } from "./repair.ts";
export { runChild, runPlan } from "./run-plan.ts";
export { checkSignature, readPublicKey } from "./update/apply.ts";
export {
  canRestart,
  fetchBytes,
  findOwner,
  isNewer,
  type Release,
  readUpdateSettings,
  startUpdateCheck,
  type UpdateCheck,
  type UpdateSettings,
  whySkipped,
} from "./update/releases.ts";
export const loadAgentStatus = () => import("./agent-status.ts");
export const loadApply = () => import("./update/apply.ts");
export const loadCheckout = () => import("./checkout.ts");
export const loadOffer = () => import("./update/releases.ts");
export const loadOwner = () => import("./update/releases.ts");
export const loadPlatform = () => import("./platform.ts");
export const loadReleases = () => import("./update/releases.ts");
export const loadSettings = () => import("./update/releases.ts");
export const loadVerify = () => import("./update/apply.ts");
