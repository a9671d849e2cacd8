import { userInfo } from "node:os";
import { findAssetHome, readText } from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";

export interface RunFacts {
  readonly agent: string;
  readonly runId: string;
  readonly workingDir: string;
  /** private to the run */
  readonly runtimeRoot: string;
  /** undefined when no global timeout is set */
  readonly stepTimeoutSeconds: number | undefined;
}

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
const DEFAULT_SESSION_DEPTH_LIMIT = 6;
const MAX_SESSION_DEPTH = 32;
const DEFAULT_SESSION_LIMIT = 10;

/** How deep sessions may start sessions, how many at once, and how deep this one is. */
export interface SessionLimits {
  readonly depth: number;
  readonly maxDepth: number;
  readonly maxSessions: number;
}

/** A depth that cannot be read counts as the deepest. */
export function sessionLimits({ env }: Pick<System, "env">): SessionLimits {
  const number = (name: string): number | undefined => {
    const text = env.get(name)?.trim() ?? "";
    return /^\d+$/.test(text) ? Number(text) : undefined;
  };
  const maxDepth = Math.min(number("AMPLIHACK_MAX_DEPTH") ?? DEFAULT_SESSION_DEPTH_LIMIT, MAX_SESSION_DEPTH);
  const isDepthGiven = (env.get("AMPLIHACK_SESSION_DEPTH")?.trim() ?? "") !== "";
  return {
    depth: number("AMPLIHACK_SESSION_DEPTH") ?? (isDepthGiven ? maxDepth : 0),
    maxDepth,
    maxSessions: number("AMPLIHACK_MAX_SESSIONS") || DEFAULT_SESSION_LIMIT,
  };
}

/** The parent's environment without what would make a child believe it runs inside an agent. */
export function inheritedEnvironment({ env }: Pick<System, "env">): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const name of env.names()) {
    const value = env.get(name);
    if (value !== undefined && name !== "CLAUDECODE") inherited[name] = value;
  }
  if ((inherited["HOME"] ?? "") === "") inherited["HOME"] = userInfo().homedir;
  if ((inherited["PATH"] ?? "") === "") inherited["PATH"] = DEFAULT_PATH;
  return inherited;
}

/** What the engine tells every child, whatever the context says. */
export function runVariables(system: System, facts: RunFacts): Record<string, string> {
  const { env } = system;
  const assets = findAssetHome(system);
  const depth = Number(env.get("AMPLIHACK_SESSION_DEPTH") || "0");
  return {
    AMPLIHACK_NONINTERACTIVE: "1",
    NONINTERACTIVE: "1",
    DEBIAN_FRONTEND: "noninteractive",
    CI: "true",
    GIT_PAGER: "cat",
    GH_PAGER: "cat",
    PAGER: "cat",
    LESS: "FRX",
    AMPLIHACK_AGENT_BINARY: facts.agent,
    ...(assets === undefined ? {} : { AMPLIHACK_HOME: assets }),
    AMPLIHACK_RECIPE_RUN_ID: facts.runId,
    AMPLIHACK_TREE_ID: env.get("AMPLIHACK_TREE_ID") || system.random.hex(8),
    AMPLIHACK_SESSION_DEPTH: String((Number.isSafeInteger(depth) ? depth : 0) + 1),
    AMPLIHACK_MAX_DEPTH: env.get("AMPLIHACK_MAX_DEPTH") || String(DEFAULT_SESSION_DEPTH_LIMIT),
    AMPLIHACK_MAX_SESSIONS: env.get("AMPLIHACK_MAX_SESSIONS") || String(DEFAULT_SESSION_LIMIT),
    AMPLIHACK_GRAPH_DB_PATH: join(facts.workingDir, ".amplihack/graph_db"),
    AMPLIHACK_RUNTIME_ROOT: facts.runtimeRoot,
    TMPDIR: facts.runtimeRoot,
    ...(facts.stepTimeoutSeconds === undefined
      ? {}
      : { AMPLIHACK_STEP_TIMEOUT: String(facts.stepTimeoutSeconds) }),
  };
}

const MIN_LINUX_LIMIT = 128 * 1024;
const MAX_LINUX_LIMIT = 6 * 1024 * 1024;
const MAC_LIMIT = 1024 * 1024;
const CAUTIOUS_LIMIT = 256 * 1024;

/** How many bytes of arguments and environment this machine gives to a program. */
export function argumentLimit(system: System): number {
  if (process.platform === "darwin") return MAC_LIMIT;
  const limits = readLimits(system);
  const stack = limits === undefined ? undefined : /^Max stack size\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (stack === undefined) return CAUTIOUS_LIMIT;
  // Linux gives a quarter of the stack, within bounds.
  return stack === "unlimited"
    ? MAX_LINUX_LIMIT
    : Math.min(MAX_LINUX_LIMIT, Math.max(MIN_LINUX_LIMIT, Number(stack) / 4));
}

function readLimits(system: System): string | undefined {
  try {
    return readText(system, "/proc/self/limits", 64 * 1024);
  } catch {
    return undefined;
  }
}
