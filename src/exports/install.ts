/** `amplihack/install`: the settings of Claude Code, for programs that manage them. */
export { HOOK_REGISTRY, type RegistryRow } from "../hosts/index.ts";
export {
  type EnsureOptions,
  ensureSettings,
  type HookPathsCheck,
  type MissingHook,
  updateHookPaths,
  validateHookPaths,
} from "../install/index.ts";
export { Problem as InstallProblem } from "../state/index.ts";
