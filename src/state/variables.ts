import type { System } from "../system/index.ts";
import {
  anyText,
  exactlyOne,
  integer,
  nonEmptyText,
  oneOf,
  path,
  plainPath,
  unlessOff,
} from "./env-parsers.ts";
import { EnvVar } from "./env-var.ts";

export const SESSION_TYPES = [
  "SIMPLE",
  "DEVELOPMENT",
  "INFORMATIONAL",
  "MAINTENANCE",
  "INVESTIGATION",
  "OPERATIONS",
] as const;

/**
 * Every variable that hooks read, with its own rule: they never shared one. Switches that are off by default read
 * as false when unset.
 */
export const VARIABLES = {
  HOME: new EnvVar("HOME", path),
  AMPLIHACK_HOME: new EnvVar("AMPLIHACK_HOME", plainPath),
  AMPLIHACK_ROOT: new EnvVar("AMPLIHACK_ROOT", path),
  CLAUDE_PROJECT_DIR: new EnvVar("CLAUDE_PROJECT_DIR", path),
  CLAUDE_PLUGIN_ROOT: new EnvVar("CLAUDE_PLUGIN_ROOT", path),
  AMPLIHACK_RUNTIME_ROOT: new EnvVar("AMPLIHACK_RUNTIME_ROOT", path),

  AMPLIHACK_SESSION_ID: new EnvVar("AMPLIHACK_SESSION_ID", nonEmptyText),
  CLAUDE_SESSION_ID: new EnvVar("CLAUDE_SESSION_ID", nonEmptyText),
  CLAUDE_CODE_SESSION_ID: new EnvVar("CLAUDE_CODE_SESSION_ID", nonEmptyText),
  AMPLIHACK_PROJECT_ID: new EnvVar("AMPLIHACK_PROJECT_ID", nonEmptyText, "amplihack"),

  AMPLIHACK_SHUTDOWN_IN_PROGRESS: new EnvVar("AMPLIHACK_SHUTDOWN_IN_PROGRESS", exactlyOne, false),
  AMPLIHACK_SKIP_POWER_STEERING: new EnvVar("AMPLIHACK_SKIP_POWER_STEERING", anyText, false),
  AMPLIHACK_SKIP_REFLECTION: new EnvVar("AMPLIHACK_SKIP_REFLECTION", anyText, false),
  AMPLIHACK_DEBUG: new EnvVar("AMPLIHACK_DEBUG", anyText, false),
  AMPLIHACK_AUTO_DEV: new EnvVar("AMPLIHACK_AUTO_DEV", unlessOff, true),
  AMPLIHACK_NONINTERACTIVE: new EnvVar("AMPLIHACK_NONINTERACTIVE", exactlyOne, false),
  AMPLIHACK_TESTING: new EnvVar("AMPLIHACK_TESTING", exactlyOne, false),

  AMPLIHACK_SESSION_DEPTH: new EnvVar("AMPLIHACK_SESSION_DEPTH", integer({ atLeast: 0 }), 0),
  AMPLIHACK_HOOK_DEPTH: new EnvVar("AMPLIHACK_HOOK_DEPTH", integer({ atLeast: 0 }), 0),
  AMPLIHACK_MAX_LOCK_ITERATIONS: new EnvVar("AMPLIHACK_MAX_LOCK_ITERATIONS", integer({ atLeast: 1 }), 50),
  AMPLIHACK_LOCK_TTL_SECONDS: new EnvVar("AMPLIHACK_LOCK_TTL_SECONDS", integer({ atLeast: 1 }), 86_400),
  PSC_MAX_TRANSCRIPT_LINES: new EnvVar("PSC_MAX_TRANSCRIPT_LINES", integer({ atLeast: 1 }), 50_000),
  PSC_PARALLEL_TIMEOUT: new EnvVar("PSC_PARALLEL_TIMEOUT", integer({ atLeast: 1 }), 60),
  PSC_CHECKER_TIMEOUT: new EnvVar("PSC_CHECKER_TIMEOUT", integer({ atLeast: 1 }), 25),

  AMPLIHACK_SESSION_TYPE: new EnvVar("AMPLIHACK_SESSION_TYPE", oneOf(...SESSION_TYPES)),
  AMPLIHACK_HOOK_ENGINE: new EnvVar("AMPLIHACK_HOOK_ENGINE", oneOf("node", "native")),
  AMPLIHACK_GUARD_LEVEL: new EnvVar("AMPLIHACK_GUARD_LEVEL", oneOf("relaxed", "standard", "strict")),
} as const;

/** What is wrong with variables that lead hooks to places, in sentences; each counts as unset. */
export function unusablePlaces(source: Pick<System, "env">): readonly string[] {
  const { AMPLIHACK_HOME, AMPLIHACK_ROOT, CLAUDE_PROJECT_DIR, CLAUDE_PLUGIN_ROOT } = VARIABLES;
  return [AMPLIHACK_HOME, AMPLIHACK_ROOT, CLAUDE_PROJECT_DIR, CLAUDE_PLUGIN_ROOT].flatMap(
    variable => variable.complaint(source) ?? [],
  );
}
