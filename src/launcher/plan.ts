import { loadConfig, resolveFailurePolicy } from "../config/index.ts";
import type { AgentName } from "../hosts/index.ts";
import { Problem, readText, requireDirectories, type UserDirectories, VARIABLES } from "../state/index.ts";
import { ancestors, dirname, join, quoteWord, type System } from "../system/index.ts";
import { version } from "../version.ts";
import { checkMinimum, checkSettings, readAgentVersion, type SettingsFinding } from "./agent-status.ts";
import {
  agentArguments,
  buildEnvironment,
  describeDifference,
  type LaunchRequest,
  readVariables,
  type Shims,
  type Variables,
} from "./child-environment.ts";
import { findBinary, findProgramPlaces, LAUNCH_TOOLS } from "./find-binary.ts";
import { detectNesting, type Nesting, nextDepth } from "./sessions.ts";

interface LaunchDirectories extends UserDirectories {
  /** the one to start in */
  readonly directory: string;
}

/** Everything decided before anything is started or written. */
export interface LaunchPlan {
  readonly agent: AgentName;
  readonly program: string;
  readonly version: string | undefined;
  readonly args: readonly string[];
  readonly parent: Variables;
  readonly env: Variables;
  readonly places: LaunchDirectories;
  readonly nesting: Nesting;
  readonly sessionId: string;
  readonly depth: number;
  readonly isInteractive: boolean;
  readonly isRegistered: boolean;
  readonly drift: readonly SettingsFinding[];
  /** only when they are wanted */
  readonly shims: Shims | undefined;
  /** the version whose `install` ran last, when it is another one */
  readonly otherInstalled: string | undefined;
}

export function isNonInteractive(system: System): boolean {
  return system.env.get("AMPLIHACK_NONINTERACTIVE") === "1" || !system.stdio.isTerminal("stdin");
}

function isSubprocessSafe(system: System, isAsked: boolean): boolean {
  const hasAllTerminals = (["stdin", "stdout", "stderr"] as const).every(system.stdio.isTerminal);
  const isInsideAgent = (system.env.get("AMPLIHACK_AGENT_BINARY") ?? "") !== "";
  return isAsked || isInsideAgent || isNonInteractive(system) || !hasAllTerminals;
}

/** Decides all of a launch; writes nothing but the cache of versions. */
export async function planLaunch(
  system: System,
  request: LaunchRequest,
  warn: (text: string) => void,
): Promise<LaunchPlan> {
  const { agent, directory, self } = request;
  if (VARIABLES.AMPLIHACK_HOOK_ENGINE.isSet(system)) VARIABLES.AMPLIHACK_HOOK_ENGINE.getOrError(system);
  const places = { ...requireDirectories(system, directory), directory };
  const { home, stateHome } = places;
  const ownBin = dirname(self);
  const settings = checkSettings(system, LAUNCH_TOOLS[agent].host, { ...places, ownBin });
  refuseTampering(settings.findings, request.allowsUntrustedHooks, warn);

  const nesting = detectNesting(system, places, warn);
  const depth = nextDepth(system, nesting);
  const isInteractive = !isNonInteractive(system);
  const program = await findAgent(system, request, join(stateHome, "cache", "agents.json"), warn);

  const parent = readVariables(system);
  const staged = join(stateHome, ".claude");
  const session = {
    sessionId: sessionIdFor(system, nesting),
    depth,
    isSubprocessSafe: isSubprocessSafe(system, request.isDelegated),
  };
  const built = buildEnvironment(parent, {
    ...request,
    ...places,
    ...session,
    ...lookUpEnvironment(system, request, staged, [
      join(home, ".local/bin"),
      ...(parent["PATH"] ?? "").split(":"),
    ]),
    version,
    isNonInteractive: !isInteractive,
  });
  for (const warning of built.warnings) warn(warning);
  const isPlugin = system.files.follow(join(staged, ".claude-plugin", "plugin.json"))?.kind === "file";
  const stagedPlugin = isPlugin ? staged : undefined;
  return {
    agent,
    ...program,
    args: agentArguments(parent, { ...request, ...session, stagedPlugin }),
    parent,
    env: built.env,
    places,
    nesting,
    ...session,
    isInteractive,
    isRegistered: settings.isRegistered,
    drift: settings.findings.filter(({ kind }) => kind === "drift"),
    shims: request.usesShims
      ? {
          directory: join(staged, "shims"),
          guard: [process.execPath, join(ownBin, "amplihack-hooks.cjs")],
          policy: resolveFailurePolicy(loadConfig(system, places).config, "pre-tool-use"),
        }
      : undefined,
    otherInstalled: findOtherInstalled(system, stateHome),
  };
}

async function findAgent(
  system: System,
  { agent, self, isStrictVersion: isStrict }: LaunchRequest,
  cachePath: string,
  warn: (text: string) => void,
): Promise<Pick<LaunchPlan, "program" | "version">> {
  const program = findBinary(system, agent, self);
  const found = await readAgentVersion(system, program, cachePath, warn);
  if (found === undefined) warn(`the version of ${agent} is unknown: ${program} --version did not say`);
  await checkMinimum(system, agent, found, { isStrict, isInteractive: !isNonInteractive(system) }, warn);
  return { program, version: found };
}

/** What of the environment depends on the disk. `staged` is where the agent's files of ours are. */
function lookUpEnvironment(
  system: System,
  { agent, directory, self, usesShims }: LaunchRequest,
  staged: string,
  directories: readonly string[],
) {
  return {
    bundleDirectory: ancestors(directory).find(each => isDirectory(system, join(each, "amplifier-bundle"))),
    pluginRoot: agent === "claude" && isDirectory(system, staged) ? staged : undefined,
    shimDirectory: usesShims ? join(staged, "shims") : undefined,
    programs: findProgramPlaces(system, [join(staged, "bin"), ...directories], self),
    newTreeId: system.random.hex(8),
  };
}

function refuseTampering(
  findings: readonly SettingsFinding[],
  isAllowed: boolean,
  warn: (text: string) => void,
): void {
  const signs = findings.filter(({ kind }) => kind === "tampering");
  if (signs.length === 0) return;
  const causes = signs.map(({ file, message }) => `${file}: ${message}`);
  if (isAllowed) {
    for (const cause of causes) warn(cause);
    return;
  }
  throw new Problem("hooks are registered that may not be amplihack's own; nothing was started", {
    kind: "untrusted-hooks",
    causes,
    fix: "look at these entries; amplihack install replaces them, --allow-untrusted-hooks starts anyway",
  });
}

function sessionIdFor(system: System, nesting: Nesting): string {
  const inherited = nesting.kind === "nested" ? nesting.sessionId : "";
  const clean = inherited.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
  return clean || `rs-${Math.floor(system.clock.nowMs() / 1000)}-${system.processes.self.pid}`;
}

function isDirectory(system: Pick<System, "files">, path: string): boolean {
  try {
    return system.files.follow(path)?.kind === "directory";
  } catch {
    return false;
  }
}

function findOtherInstalled(system: System, stateHome: string): string | undefined {
  try {
    const stamp = readText(system, join(stateHome, ".installed-version"), 256)?.trim();
    return stamp === undefined || stamp === version || !/^[\w.+-]+$/.test(stamp) ? undefined : stamp;
  } catch {
    return undefined;
  }
}

/** What `--dry-run` prints. */
export function describePlan(plan: LaunchPlan): string {
  const { nesting, drift, places } = plan;
  const hooks = drift.length > 0 ? drift.map(({ message }) => message).join("; ") : "as they should be";
  const rows: readonly (readonly [string, string])[] = [
    ["agent", `${plan.agent} ${plan.version ?? "(version unknown)"}`],
    ["program", plan.program],
    ["arguments", plan.args.map(quoteWord).join(" ")],
    ["directory", places.directory],
    ["project", places.projectRoot],
    ["session", `${plan.sessionId}, depth ${plan.depth}${nesting.kind === "nested" ? ", nested" : ""}`],
    ["hooks", plan.isRegistered ? hooks : "not registered"],
    ["process", plan.isInteractive ? "in the foreground of this terminal" : "in a group of its own"],
  ];
  return rows.map(([name, value]) => `${`${name}:`.padEnd(11)}${value}\n`).join("");
}

/** What `--print-env` prints: the difference to the environment here, then the command line. */
export function describeEnvironment(plan: LaunchPlan): string {
  const words = [plan.program, ...plan.args].map(quoteWord).join(" ");
  return [...describeDifference(plan.parent, plan.env), `argv: ${words}`, ""].join("\n");
}
