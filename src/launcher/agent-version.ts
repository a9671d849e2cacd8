import { errorText, type Json, memberAt, numberAt, stringAt } from "../protocol/index.ts";
import { type AgentName, AtomicJsonFile, Problem } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { readVariables } from "./child-environment.ts";
import { LAUNCH_TOOLS } from "./tools.ts";

/** Agents are programs of many megabytes; on a busy machine even their version takes seconds. */
const TIMEOUT_MS = 5_000;
const MAX_LINE_LENGTH = 200;
const LIFE_MS = 24 * 60 * 60 * 1000;
/** A failure may have been the machine's, not the agent's. */
const FAILURE_LIFE_MS = 60 * 60 * 1000;
const MAX_ENTRIES = 50;
const ANSI = /\u001b\[[0-?]*[ -/]*[@-~]/g;

type Known = {
  readonly path: string;
  readonly modifiedMs: number;
  readonly size: number;
  readonly version: string | null;
  readonly checkedMs: number;
};

type Cache = AtomicJsonFile<readonly Known[]>;

/** The version an agent reports; undefined when it does not say. Remembered per file for a day. */
export async function readAgentVersion(
  system: System,
  path: string,
  cachePath: string | undefined,
  warn: (text: string) => void,
): Promise<string | undefined> {
  const facts = system.files.follow(path);
  const cache =
    cachePath === undefined ? undefined : new AtomicJsonFile(cachePath, { system, parse: parseCache });
  const known = readCache(cache).find(each => each.path === path);
  const nowMs = system.clock.nowMs();
  if (known !== undefined && known.modifiedMs === facts?.modifiedMs && known.size === facts.size) {
    const ageMs = nowMs - known.checkedMs;
    const lifeMs = known.version === null ? FAILURE_LIFE_MS : LIFE_MS;
    if (ageMs >= 0 && ageMs < lifeMs) return known.version ?? undefined;
  }
  const version = await askVersion(system, path);
  if (facts !== undefined && cache !== undefined) {
    const { modifiedMs, size } = facts;
    remember(cache, { path, modifiedMs, size, version: version ?? null, checkedMs: nowMs }, warn);
  }
  return version;
}

async function askVersion(system: System, path: string): Promise<string | undefined> {
  const { CLAUDECODE: _, ...env } = readVariables(system);
  const { end, stdout, stderr } = await system.processes.start({
    argv: [path, "--version"],
    cwd: system.files.workingDirectory() ?? "/",
    env: { ...env, AMPLIHACK_NONINTERACTIVE: "1" },
    input: new Uint8Array(),
    timeoutMs: TIMEOUT_MS,
    killAfterMs: 100,
    limits: { stdoutBytes: 4_096, tailBytes: 0, stderrBytes: 4_096, drainBytes: 1024 * 1024 },
    endsGroup: true,
  }).done;
  if (end.kind !== "exit" || end.code !== 0) return undefined;
  // Pi tells its version on stderr.
  return versionIn(system.text.decode(stdout).text) ?? versionIn(system.text.decode(stderr).text);
}

/** The first version number in the first line of what a program printed. */
export function versionIn(output: string): string | undefined {
  const line = (output.split("\n")[0] ?? "").replace(ANSI, "").slice(0, MAX_LINE_LENGTH);
  return /\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?/.exec(line)?.[0];
}

/**
 * Older than wanted: a warning, or with `--strict-version` an error. What the user's variable asks for is always told;
 * our own minimum only to a person, because an agent that starts agents can do nothing about it.
 */
export async function checkMinimum(
  system: Pick<System, "env">,
  agent: AgentName,
  version: string | undefined,
  { isStrict, isInteractive }: { readonly isStrict: boolean; readonly isInteractive: boolean },
  warn: (text: string) => void,
): Promise<void> {
  const variable = `AMPLIHACK_MIN_${agent.toUpperCase()}_VERSION`;
  const asked = system.env.get(variable) ?? "";
  const wanted = asked === "" ? LAUNCH_TOOLS[agent].minimumVersion : asked;
  if (wanted === undefined || (asked === "" && !isStrict && !isInteractive)) return;
  const { default: semver } = await import("semver");
  if (semver.valid(wanted) === null) {
    throw new Problem(`${variable} is not usable: expected a version such as 1.2.3`, {
      kind: "environment",
      fix: `set ${variable} to three numbers with dots, or unset it`,
    });
  }
  const by = asked === "" ? "the oldest in which the hooks are known to work" : `which ${variable} asks for`;
  const isKnown = version !== undefined && semver.valid(version) !== null;
  if (isKnown && semver.gte(version, wanted)) return;
  const found = isKnown
    ? `${agent} ${version} is older than ${wanted}`
    : `the version of ${agent} is unknown, not at least ${wanted}`;
  if (!isStrict) {
    // An unknown version was told already.
    if (isKnown || asked !== "") warn(`${found}, ${by}`);
    return;
  }
  throw new Problem(`${found}, ${by}`, {
    kind: "version",
    fix: `update ${agent}, or leave out --strict-version`,
  });
}

function readCache(cache: Cache | undefined): readonly Known[] {
  try {
    return cache?.read() ?? [];
  } catch {
    // An unreadable cache is an empty one; `remember` replaces it.
    return [];
  }
}

function remember(cache: Cache, known: Known, warn: (text: string) => void): void {
  try {
    const others = readCache(cache).filter(({ path }) => path !== known.path);
    cache.write([...others.slice(1 - MAX_ENTRIES), known]);
  } catch (error) {
    warn(`the version of the agent could not be remembered: ${errorText(error)}`);
  }
}

/** Entries that cannot be read are left out. */
function parseCache(value: Json): readonly Known[] {
  if (!Array.isArray(value)) throw new Error("it is no list");
  return (value as readonly Json[]).flatMap(each => {
    const [path, version] = [stringAt(each, "path"), memberAt(each, "version")];
    const [modifiedMs, size, checkedMs] = [
      numberAt(each, "modifiedMs"),
      numberAt(each, "size"),
      numberAt(each, "checkedMs"),
    ];
    if (path === undefined || modifiedMs === undefined || size === undefined || checkedMs === undefined)
      return [];
    return typeof version === "string" || version === null
      ? [{ path, modifiedMs, size, version, checkedMs }]
      : [];
  });
}
