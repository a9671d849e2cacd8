import type { System } from "../system/index.ts";
import { clip, escapeControls } from "../text/index.ts";
import {
  anyText,
  type EnvParser,
  exactlyOne,
  integer,
  nonEmptyText,
  oneOf,
  type ParsedVariable,
  path,
  plainPath,
  unlessOff,
} from "./env-parsers.ts";
import { StateError } from "./files.ts";

type EnvSource = Pick<System, "env">;

const SHOWN_LENGTH = 40;

/** A typed environment variable. Set but empty counts as set; the parser says what that means. */
export class EnvVar<T> {
  readonly name: string;
  private readonly parser: EnvParser<T>;
  private readonly fallback: T | undefined;

  constructor(name: string, parser: EnvParser<T>, fallback?: T) {
    this.name = name;
    this.parser = parser;
    this.fallback = fallback;
  }

  isSet(source: EnvSource): boolean {
    return source.env.get(this.name) !== undefined;
  }

  /**
   * The value, or the default when it is unset or, after a warning, cannot be parsed. Without a default both are
   * errors. Hooks read variables this way; `warn` is where their warnings go.
   */
  get(source: EnvSource & Pick<System, "stdio">, warn?: (message: string) => void): T {
    const parsed = this.parse(source);
    if (parsed?.ok === true) return parsed.value;
    if (this.fallback === undefined) throw this.problem(source, parsed);
    if (parsed !== undefined) {
      const message = `${this.describe(source, parsed.expected)}; using the default`;
      if (warn === undefined) source.stdio.writeError(`amplihack: ${message}\n`);
      else warn(message);
    }
    return this.fallback;
  }

  /** As `get`, but what cannot be parsed is always an error. Commands read variables this way. */
  getOrError(source: EnvSource): T {
    const parsed = this.parse(source);
    if (parsed?.ok === true) return parsed.value;
    if (parsed === undefined && this.fallback !== undefined) return this.fallback;
    throw this.problem(source, parsed);
  }

  /** Undefined when it is unset or cannot be parsed. */
  tryGet(source: EnvSource): T | undefined {
    const parsed = this.parse(source);
    return parsed?.ok === true ? parsed.value : undefined;
  }

  /** Why what it is set to cannot be used; undefined when it is unset or can be. */
  complaint(source: EnvSource): string | undefined {
    const parsed = this.parse(source);
    return parsed?.ok === false ? this.describe(source, parsed.expected) : undefined;
  }

  private parse(source: EnvSource): ParsedVariable<T> | undefined {
    const raw = source.env.get(this.name);
    return raw === undefined ? undefined : this.parser.parse(raw, source.env.get("HOME"));
  }

  private problem(source: EnvSource, parsed: ParsedVariable<T> | undefined): StateError {
    const message =
      parsed?.ok === false
        ? this.describe(source, parsed.expected)
        : `the environment variable ${this.name} is required; set it`;
    return new StateError("environment", this.name, message);
  }

  private describe(source: EnvSource, expected: string): string {
    const raw = source.env.get(this.name) ?? "";
    const shown = this.parser.isShown ? `, found "${escapeControls(clip(raw, SHOWN_LENGTH))}"` : "";
    return `the environment variable ${this.name} is not usable: expected ${expected}${shown}`;
  }
}

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
  const home = (source.env.get("HOME") ?? "").includes("\ufffd")
    ? ["HOME is not UTF-8, so your configuration cannot be found"]
    : [];
  const others = [AMPLIHACK_HOME, AMPLIHACK_ROOT, CLAUDE_PROJECT_DIR, CLAUDE_PLUGIN_ROOT].flatMap(
    variable => variable.complaint(source) ?? [],
  );
  return [...home, ...others];
}
