import { userInfo } from "node:os";
import { findAssetHome, programToStart, readText } from "../../state/index.ts";
import { join, quoteWord, resolve, type System } from "../../system/index.ts";
import { findGitRoot, isDirectory, isFile } from "../find/find-recipe.ts";

/** What the files of a checkout tell without starting git. */
export interface GitFacts {
  readonly worktree: string;
  readonly branch: string | undefined;
  /** the spelling of `core.bare`; undefined when it is not set */
  readonly coreBare: string | undefined;
}

const FILE_LIMIT = 1_000_000;

export function readGitFacts(system: System, directory: string): GitFacts | undefined {
  const worktree = findGitRoot(system.files, directory);
  if (worktree === undefined) return undefined;
  const gitDir = findGitDir(system, worktree);
  if (gitDir === undefined) return undefined;
  const head = read(system, join(gitDir, "HEAD"))?.trim() ?? "";
  const common = read(system, join(gitDir, "commondir"))?.trim();
  const config = read(system, join(common === undefined ? gitDir : resolve(gitDir, common), "config")) ?? "";
  return {
    worktree,
    branch: /^ref: refs\/heads\/(.+)$/.exec(head)?.[1],
    coreBare: readCoreBare(config),
  };
}

/** `.git` itself, or where it points to in a linked worktree. */
function findGitDir(system: System, worktree: string): string | undefined {
  const entry = join(worktree, ".git");
  if (isDirectory(system.files, entry)) return entry;
  const target = /^gitdir: (.+)$/m.exec(read(system, entry) ?? "")?.[1];
  return target === undefined ? undefined : resolve(worktree, target.trim());
}

function readCoreBare(config: string): string | undefined {
  let section = "";
  let value: string | undefined;
  for (const line of config.split("\n")) {
    const heading = /^\s*\[([^\]]*)\]/.exec(line);
    if (heading !== null) section = (heading[1] ?? "").trim().toLowerCase();
    const entry = /^\s*bare\s*(?:=\s*(.*?))?\s*$/i.exec(line.replace(/[#;].*$/, ""));
    if (section === "core" && entry !== null) value = entry[1] ?? "true";
  }
  return value;
}

function read(system: System, path: string): string | undefined {
  try {
    return readText(system, path, FILE_LIMIT);
  } catch {
    return undefined;
  }
}

/** Puts `core.bare` back as it was; answers what was done, or what went wrong. */
export async function restoreCoreBare(
  system: System,
  before: GitFacts,
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const now = readGitFacts(system, before.worktree);
  if (now === undefined || now.coreBare === before.coreBare) return undefined;
  const change = before.coreBare === undefined ? ["--unset", "core.bare"] : ["core.bare", before.coreBare];
  const { end } = await system.processes.start({
    argv: [
      programToStart(system, "git", before.worktree),
      "--git-dir",
      join(before.worktree, ".git"),
      "config",
      ...change,
    ],
    cwd: before.worktree,
    env,
    input: new Uint8Array(0),
    timeoutMs: 10_000,
    limits: { stdoutBytes: 0, tailBytes: 0, stderrBytes: 0, drainBytes: 1_000_000 },
    endsGroup: true,
  }).done;
  return end.kind === "exit" && end.code === 0
    ? `core.bare of ${before.worktree} had changed during the run and was put back`
    : `core.bare of ${before.worktree} has changed during the run; put it back with 'git config ${change.join(" ")}'`;
}

/** This program under the name of the runner that recipes look for; `--output-format` is its word for `--format`. */
const RUNNER_SCRIPT = `words=()
for word in "$@"; do [ "$word" = --output-format ] && word=--format; words+=("$word"); done
exec amplihack recipe run "\${words[@]}"
`;

const NAMED = /\b(?:amplihack|recipe-runner)/;

/**
 * Steps call `amplihack`, and some ask for `recipe-runner-rs` before they begin. What PATH does not lead to, as after
 * `npx`, gets a stand-in for the time of the run, last on the PATH. A text that names neither gets the PATH as it is.
 */
export function pathFinder(
  system: System,
  path: string,
  runtimeRoot: string,
  launcher: readonly string[],
): (text: string) => string {
  let extended: string | undefined;
  return text => {
    if (!NAMED.test(text)) return path;
    extended ??= pathWithPrograms(system, path, runtimeRoot, launcher);
    return extended;
  };
}

function pathWithPrograms(
  { files, text }: System,
  path: string,
  runtimeRoot: string,
  launcher: readonly string[],
): string {
  const folders = path.split(":").filter(folder => folder.startsWith("/"));
  const missing = Object.entries({
    amplihack: `exec ${launcher.map(quoteWord).join(" ")} "$@"\n`,
    "recipe-runner-rs": RUNNER_SCRIPT,
  }).filter(([name]) => !folders.some(folder => isFile(files, join(folder, name))));
  if (missing.length === 0) return path;
  const folder = join(runtimeRoot, "bin");
  files.makeDirectory(folder, 0o700);
  for (const [name, script] of missing)
    files.createExclusive(join(folder, name), text.encode(`#!/bin/bash\n${script}`), 0o700);
  return `${path}:${folder}`;
}

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
interface SessionLimits {
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
