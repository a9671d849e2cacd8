/**
 * The policy a command runs under, and its start under the program that enforces it (`native/sandbox`). It says of
 * every set of layers what stays open; it never runs a command bare.
 */

export { OPEN_WITH_BWRAP } from "./bwrap.ts";
export { heldAsChange } from "./held-change.ts";
export { checkLayers, type LayerReport, usableLayers } from "./layers.ts";
export { OPEN_WITHOUT, type Plan, type PlanRequest, planPolicy } from "./plan.ts";
export type { Layer, Policy } from "./policy.ts";
export type { SandboxedCommand, SandboxPlaces } from "./sandbox.ts";
export { findPackagedProgram } from "./sandbox.ts";
export { policyPath, writePolicy } from "./store.ts";
export type { TryContext } from "./try.ts";
export type { TriedChanges } from "./try-changes.ts";
export type { TryRecord } from "./try-store.ts";

/** What commands need, and nothing that a hook should load. */
export const loadSandbox = async () => ({
  ...(await import("./sandbox.ts")),
  ...(await import("./layers.ts")),
  ...(await import("./serve-proxy.ts")),
  ...(await import("./open-here.ts")),
  ...(await import("./judge-try.ts")),
  ...(await import("./try.ts")),
  ...(await import("./try-changes.ts")),
  ...(await import("./try-store.ts")),
});
