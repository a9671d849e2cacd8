/**
 * The policy a command runs under, and its start under the program that enforces it (`native/sandbox`). It says of
 * every set of layers what stays open; it never runs a command bare.
 */
export { checkLayers, type LayerAnswer, type LayerReport, usableLayers } from "./layers.ts";
export { OPEN_WITHOUT } from "./open-without.ts";
export { type Plan, type PlanRequest, planPolicy } from "./plan.ts";
export type { Hidden, Layer, Overlay, Policy, ProxyStart, Reserved } from "./policy.ts";
export type { SandboxCheck, SandboxedCommand, SandboxPlaces } from "./sandbox.ts";
export { DEFAULT_SANDBOX, type SandboxSettings } from "./settings.ts";
export { policyPath, writePolicy } from "./store.ts";

/** What commands need, and nothing that a hook should load. */
export const loadSandbox = async () => ({
  ...(await import("./sandbox.ts")),
  ...(await import("./layers.ts")),
  ...(await import("./serve-proxy.ts")),
});
