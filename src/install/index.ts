/** `amplihack/install`: the settings of Claude Code, for programs that manage them. */
export { HOOK_REGISTRY, type RegistryRow } from "../hosts/registry-rows.ts";
export { Problem as InstallProblem } from "../state/problem.ts";
export {
  type EnsureOptions,
  ensureSettings,
  type HookPathsCheck,
  type MissingHook,
  updateHookPaths,
  validateHookPaths,
} from "./settings-api.ts";
