import {
  type Config,
  type ConfigNotice,
  effectiveAutonomy,
  findMisplacedConfig,
  type GuardSettings,
  loadConfig,
  MAX_CONFIG_BYTES,
  openJson,
  resolveFailurePolicy,
} from "../../config/index.ts";
import { ruleSettingProblems } from "../../guard/index.ts";
import { shownPath } from "../../history/index.ts";
import { findImpostors, type OverriddenRule, overriddenRule } from "../../hooks/index.ts";
import {
  AGENTS,
  HOOK_REGISTRY,
  HOST_LIST,
  type HostId,
  locateActiveAgent,
  ownNames,
  type Sandboxing,
} from "../../hosts/index.ts";
import { LAUNCH_TOOLS, readAgentVersion, tryFindBinary } from "../../launcher/index.ts";
import { describeEvent, stringAt } from "../../protocol/index.ts";
import { listRecipes } from "../../recipes/index.ts";
import { readText, type UserDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { count } from "../../text/index.ts";
import { describeProblem, readFile } from "../file-edit.ts";
import {
  describeDuplicate,
  type FoundRegistration,
  findDuplicates,
  findRegistrations,
  findServing,
  isRegistered,
} from "../hook-entries.ts";
import { allServerFiles, findServer, serverProgram } from "../mcp-entries.ts";
import { isServerWanted } from "../mcp-servers.ts";
import type { Package } from "../package.ts";
import { findTarget, hostSetup, INSTALLABLE_HOSTS, isPresent } from "../targets.ts";
import { listUserHooks, readLastRuns } from "../user-hooks/list.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";
import { checkOwnFiles, checkRegistration, checkSwitches, probeHooks } from "./hosts.ts";
import { checkMachine, findRepair } from "./machine.ts";

/** Agent programs with their versions, and which one is meant where no command names one. */
async function checkAgents(
  system: System,
  places: UserDirectories,
  self: string,
): Promise<readonly DoctorCheck[]> {
  const found = AGENTS.flatMap(agent => {
    const path = tryFindBinary(system, agent, self);
    return path === undefined ? [] : [{ agent, path }];
  });
  const checks = await Promise.all(
    found.map(async ({ agent, path }) => {
      const version = await readAgentVersion(system, path, undefined, () => {});
      const id = `agent.${agent}`;
      return version === undefined
        ? warn(id, `${LAUNCH_TOOLS[agent].title} at ${path} does not tell its version in time`)
        : pass(id, `${LAUNCH_TOOLS[agent].title} ${version}`);
    }),
  );
  if (checks.length === 0) checks.push(warn("agents", "no agent was found", LAUNCH_TOOLS.claude.installHint));
  return [...checks, activeAgent(system, places), await checkRecipes(system, places)];
}

function activeAgent(system: System, { projectRoot }: UserDirectories): DoctorCheck {
  const warnings: string[] = [];
  const { agent, by } = locateActiveAgent(system, projectRoot, message => warnings.push(message));
  const [problem] = warnings;
  return problem === undefined
    ? pass("active-agent", `active agent: ${agent}, ${by === undefined ? "by default" : `by ${by}`}`)
    : warn("active-agent", `${problem}; going on with ${agent}`);
}

async function checkRecipes(system: System, { projectRoot }: UserDirectories): Promise<DoctorCheck> {
  const currentDir = system.files.workingDirectory() ?? projectRoot;
  const { recipes, invalid } = await listRecipes(system, {
    currentDir,
    workingDir: projectRoot,
    recipeDirs: [],
  });
  const [first] = invalid;
  if (first === undefined) return pass("recipes", `${recipes.length} recipes, all valid`);
  return warn(
    "recipes",
    `${invalid.length} of ${recipes.length + invalid.length} recipe files are not valid: ${first.path}`,
    `amplihack recipe validate ${first.path}`,
  );
}

/** Configuration files: what in them does not count, and what a failure policy cannot do. */
function checkConfiguration(system: System, places: UserDirectories): readonly DoctorCheck[] {
  const { config, notices, used } = loadConfig(system, places);
  const misplaced = findMisplacedConfig(system, { ...places, cwd: system.files.workingDirectory() });
  const checks = [...notices, ...misplaced].map(notice => asCheck(system, notice));
  for (const { message } of ruleSettingProblems(config.guard))
    checks.push(warn("configuration", `guard.rules: ${message}`, "amplihack config list"));
  const policies = HOOK_REGISTRY.map(row => ({
    ...row,
    policy: resolveFailurePolicy(config, row.subcommand),
  }));
  const strict = policies.find(({ policy }) => policy !== "open");
  const isBound = policies.some(
    ({ event, policy }) => policy !== "open" && describeEvent(event).power !== "veto",
  );
  if (strict !== undefined && isBound)
    checks.push(
      pass(
        "failure-policy",
        `hooks that cannot run: ${strict.policy}; on stop and after tools that counts as open, and hosts ignore timeouts`,
      ),
    );
  if (config.managed) checks.push(managedCheck(config.guard));
  if (config.autonomy !== "off") checks.push(...autonomyChecks(system, places, config));
  if (checks.every(({ status }) => status === "pass")) {
    const files = used.map(({ path }) => path);
    checks.unshift(
      pass(
        "configuration",
        files.length === 0 ? "no configuration file" : `configuration: ${files.join(", ")}`,
      ),
    );
  }
  return checks;
}

/** Where questions are answered for the person, and why they are not elsewhere. */
function autonomyChecks(system: System, places: UserDirectories, config: Config): readonly DoctorCheck[] {
  const { level, why } = effectiveAutonomy(config);
  if (level === "off")
    return [
      warn("autonomy", `autonomy is set to ${config.autonomy} and is off: ${why}`, "amplihack autonomy"),
    ];
  return HOST_LIST.filter(({ id, setup }) => setup !== undefined && isPresent(system, places, id)).map(
    ({ id, answering, sandboxing }) => {
      const where = { home: places.home, project: places.projectRoot };
      const runs =
        level === "sandbox" && sandboxing !== undefined
          ? `; ${sandboxedWhen(id, sandboxing, system, where)}`
          : "";
      if (typeof answering === "string")
        return pass(`autonomy.${id}`, `${id}: its questions stay yours, because it ${answering}${runs}`);
      const rule = overriddenRule(id, system, where);
      return rule === undefined
        ? pass(`autonomy.${id}`, `${id}: calls that are understood are answered for you${runs}`)
        : pass(
            `autonomy.${id}`,
            `${id}: its questions stay yours while you have ${describeRule(rule, where)}${runs}`,
          );
    },
  );
}

interface Places {
  readonly home: string;
  readonly project: string;
}

/** When the commands of a host are sent to the sandbox, in words that follow its name. */
function sandboxedWhen(
  host: string,
  { ownSandbox, onlyWith, overrides = [] }: Sandboxing,
  system: System,
  where: Places,
): string {
  const rule = overriddenRule(host, system, where, where.project, overrides);
  if (rule !== undefined)
    return `none of its commands run in the sandbox while you have ${describeRule(rule, where)}`;
  const when = [
    ...(ownSandbox === undefined ? [] : ["while its own is off"]),
    ...(onlyWith === undefined ? [] : [`while it is started with ${onlyWith.what}`]),
  ];
  return ["its commands run in the sandbox", ...when].join(" ");
}

function describeRule({ what, file }: OverriddenRule, { home, project }: Places): string {
  return `${what} (${shownPath(file, project, home)})`;
}

function managedCheck({ managed }: GuardSettings): DoctorCheck {
  const managedHere = "the configuration of this machine is managed";
  if (managed === undefined || managed.missing.length === 0)
    return pass("managed", `${managedHere}: what it sets cannot be loosened here`);
  const calls = `calls that do more than read are ${managed.isClosed ? "denied" : "asked about"}`;
  const entries = managed.missing.map(({ entry }) => entry).join(", ");
  return fail(
    "managed",
    `${managedHere} and not complete (${entries}): ${calls}`,
    "sudo amplihack config pull --system",
  );
}

function asCheck(system: System, { code, source, message }: ConfigNotice): DoctorCheck {
  return code === "broken"
    ? fail("configuration", message, `repair ${source}${whereBroken(system, source)}`)
    : warn("configuration", message, `look at ${source}`);
}

function whereBroken(system: System, path: string): string {
  const opened = openJson(readText(system, path, MAX_CONFIG_BYTES) ?? "");
  return opened.ok ? "" : `: line ${opened.line}, column ${opened.column}: ${opened.problem}`;
}

/** When each host last ran a hook, by the log of all runs; the newest part of it is enough. */
export function findLastFired(system: System, { stateHome }: UserDirectories): ReadonlyMap<string, string> {
  const latest = new Map<string, string>();
  for (const run of readLastRuns(system, stateHome)) {
    const [host, ts] = [stringAt(run, "host"), stringAt(run, "ts")];
    if (host !== undefined && ts !== undefined && ts > (latest.get(host) ?? "")) latest.set(host, ts);
  }
  return latest;
}

/** How long ago, in words. */
export function describeAge(nowMs: number, ts: string): string {
  const minutes = Math.floor((nowMs - Date.parse(ts)) / 60_000);
  if (Number.isNaN(minutes) || minutes < 0) return ts;
  if (minutes < 2) return "just now";
  if (minutes < 120) return `${minutes} minutes ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours ago` : `${Math.floor(hours / 24)} days ago`;
}

const EXECUTABLE = 0o111;

/** Whether the hosts that are there start our MCP server, where the part is on. */
function checkServers(
  system: System,
  places: UserDirectories,
  isWanted: (host: HostId) => boolean,
): readonly DoctorCheck[] {
  if (!isServerWanted(system, places, { parts: undefined })) return [];
  const program = serverProgram(places);
  const isRunnable = ((system.files.follow(program)?.mode ?? 0) & EXECUTABLE) !== 0;
  const files = allServerFiles(system, places).filter(
    ({ host }) => isWanted(host) && isPresent(system, places, host),
  );
  return [...new Set(files.map(({ host }) => host))].map(host => {
    const id = `mcp.${host}`;
    const fix = `amplihack install --host ${host}`;
    try {
      const found = files.find(
        file =>
          file.host === host && findServer(readFile(system, file.path) ?? "", file.servers) !== undefined,
      );
      if (found === undefined) return warn(id, `${host} does not start the MCP server`, fix);
      return isRunnable
        ? pass(id, `${host} starts the MCP server, by ${found.path}`)
        : fail(id, `${program} is not there or not executable, so ${host} has no MCP server`, fix);
    } catch (error) {
      return fail(id, describeProblem(error), fix);
    }
  });
}

/** Hooks of the user's: those that run, and for each that does not, why. None at all is no matter. */
function checkUserHooks(system: System, places: UserDirectories): readonly DoctorCheck[] {
  const hooks = listUserHooks(system, places);
  if (hooks.length === 0) return [];
  const problems = new Map(
    hooks.flatMap(({ source, problem, scope }) => (problem === null ? [] : [[source, { problem, scope }]])),
  );
  const running = hooks.filter(({ runs }) => runs !== "not");
  return [
    ...(running.length === 0
      ? []
      : [pass("own-hooks", `of your own, in every host: ${count(running.length, "hook")}`)]),
    ...[...problems].map(([source, { problem, scope }]) =>
      scope === "project"
        ? warn("own-hooks", `${source}: ${problem}`, "amplihack hooks trust")
        : fail("own-hooks", `${source}: ${problem}`, "amplihack hooks build"),
    ),
  ];
}

/** Texts of this project that hosts take for ours. */
function checkNames(system: System, { projectRoot, stateHome }: UserDirectories): readonly DoctorCheck[] {
  return findImpostors(system, projectRoot, stateHome, HOST_LIST.flatMap(ownNames)).map(({ path }) =>
    warn(
      "own-names",
      `${path} has the name of a text of amplihack and is not ours, nor trusted`,
      "amplihack hooks trust",
    ),
  );
}

interface DoctorRequest {
  /** only these; all when absent */
  readonly hosts: readonly HostId[] | undefined;
  readonly nodeVersion: string;
  /** the real path of this program */
  readonly self: string;
  /** for each hook that is started; 10 seconds when absent */
  readonly probeTimeoutMs?: number;
}

interface DoctorReport {
  readonly ok: boolean;
  readonly checks: readonly DoctorCheck[];
}

/** Looks at everything that keeps hooks from working. Changes nothing. */
export async function examine(
  system: System,
  places: UserDirectories,
  source: Package,
  request: DoctorRequest,
): Promise<DoctorReport> {
  const isWanted = (host: HostId) => request.hosts?.includes(host) ?? true;
  const all = findRegistrations(system, places).filter(({ target }) => isWanted(target.host));
  const own = all.filter(({ target }) => target.host === target.owner);
  const registered = own.filter(each => each.entries.length > 0);
  const [machine, agents, probes] = await Promise.all([
    checkMachine(system, places, source, request.nodeVersion),
    checkAgents(system, places, request.self),
    probeHooks(system, registered, {
      fix: findRepair(system, places, source),
      timeoutMs: request.probeTimeoutMs,
    }),
  ]);
  const checks = [
    checkAnyRegistered(registered),
    ...own
      .filter(each => each.entries.length > 0 || each.problem !== undefined)
      .flatMap(each => checkOne(system, places, each)),
    ...checkUnregistered(system, places, all, isWanted),
    ...INSTALLABLE_HOSTS.filter(isWanted).flatMap(host => checkOwnFiles(system, places, host)),
    ...probes,
    ...findDuplicates(system, places)
      .filter(({ host }) => isWanted(host))
      .map(each => warn("double", describeDuplicate(each), "amplihack install --scope project --dedupe")),
    ...checkLastFired(system, places, registered),
    ...checkServers(system, places, isWanted),
    ...checkConfiguration(system, places),
    ...checkUserHooks(system, places),
    ...checkNames(system, places),
    ...machine,
    ...agents,
  ];
  return { ok: checks.every(({ status }) => status !== "fail"), checks };
}

/**
 * Why one host would not run the hooks with the settings that are there: a failure where they register the hooks in
 * vain, a warning where they do not register them.
 */
export function findFaults(system: System, places: UserDirectories, host: HostId): readonly DoctorCheck[] {
  const all = findRegistrations(system, places).filter(({ target }) => target.host === host);
  return [
    ...all
      .filter(({ target }) => target.owner === host)
      .filter(({ entries, problem }) => entries.length > 0 || problem !== undefined)
      .flatMap(each => checkOne(system, places, each))
      .filter(({ status }) => status === "fail"),
    ...checkUnregistered(system, places, all, each => each === host).filter(
      ({ status }) => status === "warn",
    ),
  ];
}

function checkOne(system: System, places: UserDirectories, found: FoundRegistration): readonly DoctorCheck[] {
  const isReadable = found.entries.length > 0 && found.problem === undefined;
  return [
    ...checkRegistration(system, places, found),
    ...(isReadable ? checkSwitches(system, places, found.target) : []),
  ];
}

function checkAnyRegistered(registered: readonly FoundRegistration[]): DoctorCheck {
  const hosts = [...new Set(registered.filter(isRegistered).map(({ target }) => target.host))];
  return hosts.length === 0
    ? fail("registered", "the hooks are registered with no host", "amplihack install")
    : pass("registered", `the hooks are registered with ${hosts.join(", ")}`);
}

/** Hosts that are there but do not call our hooks. */
function checkUnregistered(
  system: System,
  places: UserDirectories,
  all: readonly FoundRegistration[],
  isWanted: (host: HostId) => boolean,
): readonly DoctorCheck[] {
  return INSTALLABLE_HOSTS.filter(host => isWanted(host) && isPresent(system, places, host)).flatMap(host => {
    if (all.some(each => each.target.host === host && isRegistered(each))) return [];
    const serving = findServing(system, places, findTarget(system, places, host, "project"), []);
    if (serving !== undefined) return [pass(`hooks.${host}`, `${host}: served by ${serving.path}`)];
    return [warn(`hooks.${host}`, `${host} is here but has no hooks`, `amplihack install --host ${host}`)];
  });
}

function checkLastFired(
  system: System,
  places: UserDirectories,
  registered: readonly FoundRegistration[],
): readonly DoctorCheck[] {
  const latest = findLastFired(system, places);
  const hosts = [...new Set(registered.map(({ target }) => target.host))];
  const nowMs = system.clock.nowMs();
  return hosts.map(host => {
    const ts = latest.get(host);
    const id = `last-fired.${host}`;
    if (ts !== undefined) return pass(id, `${host}: a hook last ran ${describeAge(nowMs, ts)}`);
    return warn(
      id,
      `${host}: no hook has run yet`,
      typeof hostSetup(host).live === "object"
        ? `amplihack doctor --live --host ${host}`
        : "use it once and look again",
    );
  });
}
