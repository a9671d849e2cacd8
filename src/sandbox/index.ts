/**
 * The policy a command runs under, and its start under the program that enforces it (`native/sandbox`). It says of
 * every set of layers what stays open; it never runs a command bare.
 */
export {
  checkLayers,
  type LayerAnswer,
  type LayerReport,
  OPEN_WITHOUT,
  usableLayers,
} from "./layers.ts";
export { type Plan, type PlanRequest, planPolicy } from "./plan.ts";
export type { Hidden, Layer, Overlay, Policy, ProxyStart, Reserved } from "./policy.ts";
export { findSandboxProgram } from "./program.ts";
export { DEFAULT_SANDBOX, type SandboxSettings } from "./settings.ts";
export { runInSandbox, type SandboxStart } from "./start.ts";
export { policyPath, writePolicy } from "./store.ts";
