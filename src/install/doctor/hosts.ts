import { tmpdir } from "node:os";
import { findLooseJson, readJsonc } from "../../config/index.ts";
import {
  HOSTS,
  type HostId,
  type HostRegistration,
  planRegistrations,
  type RegistryRow,
  resolveSubcommand,
  rowsWaiting,
} from "../../hosts/index.ts";
import {
  eventKey,
  isJsonObject,
  type JsonObject,
  memberAt,
  objectAt,
  readJson,
  stringsAt,
} from "../../protocol/index.ts";
import { DOCTOR_SESSION, readText, type UserDirectories } from "../../state/index.ts";
import { describeEnd, dirname, isInside, join, removeTree, type System } from "../../system/index.ts";
import { readFile } from "../file-edit.ts";
import { runProgram, trialEnvironment } from "../find-program.ts";
import type { FoundRegistration, OwnEntry } from "../hook-entries.ts";
import { hookProgramPath } from "../package.ts";
import { configuredWaitMs } from "../stage.ts";
import { findTarget, type RegistrationTarget } from "../targets.ts";
import { readTrust, trustFile } from "../trust.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";

// Reasons why a host would not run hooks that are registered: switched off, overruled, not trusted, or a file that
// the host throws away as a whole. Code by host, because the hook program does not need it.

const FILE_BYTES = 16 * 1024 * 1024;
const CLAUDE_MANAGED = "managed-settings.json";

type SwitchCheck = (
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
) => readonly DoctorCheck[];

const SWITCH_CHECKS: Partial<Record<HostId, SwitchCheck>> = {
  "claude-code": checkClaude,
  "copilot-cli": checkOwnSwitch,
  "qwen-code": checkOwnSwitch,
  codex: checkCodex,
  "gemini-cli": checkGemini,
  cursor: checkCursor,
};

/** Those of them that switch all hooks off, whatever is registered and trusted. */
const OFF_CHECKS: Partial<Record<HostId, SwitchCheck>> = {
  "claude-code": checkClaude,
  "copilot-cli": checkOwnSwitch,
  "qwen-code": checkOwnSwitch,
  codex: checkCodexSwitch,
  "gemini-cli": checkGeminiSwitch,
};

/** Why registered hooks of this file do not run: they were switched off. */
export function findSwitchedOff(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
): DoctorCheck | undefined {
  return OFF_CHECKS[target.owner]?.(system, places, target)[0];
}

export function checkSwitches(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  return SWITCH_CHECKS[target.owner]?.(system, places, target) ?? [];
}

/** Files of a host that matter whether or not hooks are registered. */
export function checkOwnFiles(system: System, places: UserDirectories, host: HostId): readonly DoctorCheck[] {
  return host === "copilot-cli" ? checkCopilotFiles(system, places, host) : [];
}

function checkOwnSwitch(
  system: System,
  _: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  return switchedOff(system, target, target.path);
}

function checkId({ host, scope }: RegistrationTarget): string {
  return `armed.${host}.${scope}`;
}

function switchedOff(system: System, target: RegistrationTarget, path: string): readonly DoctorCheck[] {
  if (memberAt(readSettings(system, path), "disableAllHooks") !== true) return [];
  const message = `${target.host}: no hook fires, ${path} has "disableAllHooks": true`;
  return [fail(checkId(target), message, `remove it from ${path}`)];
}

function checkClaude(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  const folders = [dirname(target.path), join(places.projectRoot, ".claude")];
  const managed = (HOSTS[target.owner].protects?.managed ?? []).map(folder => join(folder, CLAUDE_MANAGED));
  const files = new Set([
    ...folders.flatMap(folder => [join(folder, "settings.json"), join(folder, "settings.local.json")]),
    ...managed,
  ]);
  return [
    ...[...files].flatMap(path => switchedOff(system, target, path)),
    ...managed
      .filter(path => memberAt(readSettings(system, path), "allowManagedHooksOnly") === true)
      .map(path => {
        const message = `${target.host}: only managed hooks run, says ${path}`;
        return fail(checkId(target), message, "ask who manages this machine");
      }),
  ];
}

/** Copilot reads none of its settings from a broken file. */
function checkCopilotFiles(system: System, places: UserDirectories, host: HostId): readonly DoctorCheck[] {
  const folder = dirname(dirname(findTarget(system, places, host, "user").path));
  const files = ["config.json", "settings.json"]
    .map(name => ({ path: join(folder, name), text: readText(system, join(folder, name), FILE_BYTES) ?? "" }))
    .filter(({ text }) => text.trim() !== "");
  const broken = files.filter(({ text }) => !readJsonc(text).ok);
  if (files.length === 0) return [];
  return broken.length === 0
    ? [pass("copilot-config", `the files of Copilot CLI in ${folder} are valid`)]
    : broken.map(file => fail("copilot-config", `${file.path} is not valid JSON`, `repair ${file.path}`));
}

function checkCodex(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  const id = checkId(target);
  const { host, path } = target;
  const hooks = readFile(system, path) ?? "";
  const checks: DoctorCheck[] = [];
  const [unknown] = Object.keys(readSettings(system, path)).filter(
    name => name !== "hooks" && name !== "description",
  );
  if (unknown !== undefined)
    checks.push(fail(id, `${host}: ${path} is ignored because of "${unknown}"`, "remove that member"));
  if (hooks.startsWith("\uFEFF"))
    checks.push(
      warn(id, `${host}: ${path} begins with a byte order mark, which Codex may reject`, "remove it"),
    );
  checks.push(...checkCodexSwitch(system, places, target));
  const states = readTrust(system, places, target, hooks);
  const silent = states.filter(state => state === "untrusted" || state === "modified").length;
  const disabled = states.filter(state => state === "disabled").length;
  if (silent > 0)
    checks.push(
      fail(
        id,
        `${host}: ${silent} of ${states.length} hooks are not trusted and never fire`,
        `type /hooks in Codex and trust them, or run: amplihack install --host ${host} --yes`,
      ),
    );
  if (disabled > 0)
    checks.push(warn(id, `${host}: ${disabled} hooks are switched off in Codex`, "switch them on in /hooks"));
  return checks;
}

function checkCodexSwitch(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  const config = readFile(system, trustFile(system, places, target)) ?? "";
  const features = /^\[features\][^\n]*\n((?:(?!\[)[^\n]*\n?)*)/m.exec(config)?.[1] ?? "";
  if (!/^\s*hooks\s*=\s*false/m.test(features)) return [];
  const message = `${target.host}: hooks are switched off under [features] in config.toml`;
  return [fail(checkId(target), message, "remove that line")];
}

function checkGeminiSwitch(
  system: System,
  _: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  const settings = readSettings(system, target.path);
  const isOff =
    memberAt(settings, "hooksConfig", "enabled") === false ||
    memberAt(settings, "tools", "enableHooks") === false;
  if (!isOff) return [];
  const message = `${target.host}: hooks are switched off in ${target.path}`;
  return [fail(checkId(target), message, "set hooksConfig.enabled to true")];
}

function checkGemini(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
): readonly DoctorCheck[] {
  const { host, path, scope } = target;
  const settings = readSettings(system, path);
  const id = checkId(target);
  const checks = [...checkGeminiSwitch(system, places, target)];
  const disabled = stringsAt(objectAt(settings, "hooksConfig"), "disabled");
  if (disabled.some(name => name.includes("amplihack-hooks")))
    checks.push(
      fail(id, `${host}: hooks of amplihack are listed under hooksConfig.disabled`, "take them out"),
    );
  if (scope === "project" && !isTrustedByGemini(system, places))
    checks.push(
      warn(
        id,
        `${host}: project hooks fire only once this folder is trusted`,
        "start gemini here and trust the folder",
      ),
    );
  return checks;
}

function isTrustedByGemini(system: System, { home, projectRoot }: UserDirectories): boolean {
  const user = readSettings(system, join(home, ".gemini", "settings.json"));
  if (memberAt(user, "security", "folderTrust", "enabled") === false) return true;
  const trusted = readSettings(system, join(home, ".gemini", "trustedFolders.json"));
  return Object.entries(trusted).some(
    ([folder, how]) =>
      (how === "TRUST_FOLDER" && isInside(folder, projectRoot)) ||
      (how === "TRUST_PARENT" && isInside(dirname(folder), projectRoot)),
  );
}

/** One name that Cursor does not know, or no version, and it throws the whole file away. */
function checkCursor(system: System, _: UserDirectories, target: RegistrationTarget): readonly DoctorCheck[] {
  const { host, owner, path } = target;
  const file = readSettings(system, path);
  const id = checkId(target);
  const unknown = Object.keys(objectAt(file, "hooks")).filter(
    name => !Object.hasOwn(HOSTS[owner].events, name),
  );
  const noVersion = fail(
    id,
    `${host}: ${path} is ignored, because it has no "version": 1`,
    `amplihack install --host ${host}`,
  );
  return [
    ...(memberAt(file, "version") === 1 ? [] : [noVersion]),
    ...unknown.map(name =>
      fail(
        id,
        `${host}: ${path} is ignored because of the unknown event "${name}"`,
        `rename or remove "${name}"`,
      ),
    ),
  ];
}

function readSettings(system: System, path: string): JsonObject {
  const read = readJsonc(readText(system, path, FILE_BYTES) ?? "");
  return read.ok && isJsonObject(read.value) ? read.value : {};
}

const WRITABLE_BY_OTHERS = 0o022;
const EXECUTABLE = 0o111;
const SETTINGS_BYTES = 16 * 1024 * 1024;

/** Compares what a host's configuration holds with what an installation would write. */
export function checkRegistration(
  system: System,
  places: UserDirectories,
  { target, entries, problem }: FoundRegistration,
): readonly DoctorCheck[] {
  const id = `hooks.${target.host}.${target.scope}`;
  const fix = `amplihack install --host ${target.host}${target.scope === "project" ? " --scope project" : ""}`;
  if (problem !== undefined)
    return [fail(id, `${target.path} cannot be read: ${problem}`, `repair ${target.path}`)];
  const loose = findLooseLine(system, target);
  if (loose !== undefined)
    return [
      fail(
        id,
        `${target.host}: no hook runs: ${target.path} has a comment or trailing comma in line ${loose}`,
        `take it out of ${target.path}`,
      ),
    ];
  const checks = [
    ...entries.flatMap(entry => judgeEntry(target, entry, rowsWaiting(configuredWaitMs(system, places)))),
    ...judgePrograms(system, places, entries),
    ...judgeSet(target, entries),
  ].map(({ status, message }) => (status === "fail" ? fail : warn)(id, `${target.host}: ${message}`, fix));
  return checks.length === 0
    ? [pass(id, `${target.host}: ${entries.length} hooks in ${target.path}`)]
    : checks;
}

interface Fault {
  readonly status: "fail" | "warn";
  readonly message: string;
}

const broken = (message: string): Fault => ({ status: "fail", message });
const doubtful = (message: string): Fault => ({ status: "warn", message });

/** The line for which a host that reads plain JSON alone would pass over the whole file. */
function findLooseLine(system: System, { path, registration }: RegistrationTarget): number | undefined {
  if (registration.layout.isPlainJson !== true) return undefined;
  return findLooseJson(readText(system, path, SETTINGS_BYTES) ?? "")?.line;
}

function judgeEntry(
  target: RegistrationTarget,
  entry: OwnEntry,
  rows: readonly RegistryRow[],
): readonly Fault[] {
  if (entry.kind === "legacy") return [broken(`${entry.event} still calls a script of an earlier version`)];
  const subcommand = entry.subcommand === undefined ? undefined : resolveSubcommand(entry.subcommand);
  if (subcommand === undefined) return [broken(`${entry.event} calls a hook that does not exist`)];
  const { registrations } = planRegistrations(target.owner, rows);
  const wanted = registrations.find(
    each => each.nativeEvent === entry.event && each.subcommand === subcommand.name,
  );
  if (wanted !== undefined) return [...judgeTimeout(target, entry, wanted), ...judgeMatcher(entry, wanted)];
  const meant = registrations.find(each => eventKey(each.nativeEvent) === eventKey(entry.event));
  return meant !== undefined && meant.nativeEvent !== entry.event
    ? [broken(`${entry.event} never fires there: the event is called ${meant.nativeEvent}`)]
    : [doubtful(`${subcommand.name} on ${entry.event} is not needed`)];
}

function judgeTimeout(
  { registration }: RegistrationTarget,
  { event, timeout }: OwnEntry,
  { timeout: wanted }: HostRegistration,
): readonly Fault[] {
  if (wanted === undefined || registration.timeout === undefined) return [];
  const { unit } = registration.timeout;
  if (timeout === undefined) return [doubtful(`the hook on ${event} has no time limit`)];
  if (unit === "ms" && timeout < 1_000)
    return [
      broken(`the limit on ${event} is ${timeout} milliseconds there: no hook can answer in that time`),
    ];
  if (unit === "s" && timeout >= 1_000)
    return [doubtful(`the limit on ${event} is ${timeout} seconds there; milliseconds were meant`)];
  return timeout < wanted
    ? [doubtful(`the limit on ${event} is ${timeout}, less than the hook needs (${wanted})`)]
    : [];
}

const ALL_TOOLS = new Set([undefined, "", "*", ".*"]);

function judgeMatcher({ event, matcher }: OwnEntry, wanted: HostRegistration): readonly Fault[] {
  if (matcher === wanted.matcher) return [];
  if (ALL_TOOLS.has(matcher) && wanted.matcher !== undefined) return [];
  return [broken(`the hook on ${event} sees only what matches ${matcher}; it should see everything`)];
}

function judgePrograms(
  system: System,
  places: UserDirectories,
  entries: readonly OwnEntry[],
): readonly Fault[] {
  const programs = new Set(entries.filter(({ kind }) => kind === "program").map(({ program }) => program));
  return [...programs].flatMap(program => {
    const facts = program.startsWith("/") ? system.files.follow(program) : undefined;
    if (facts === undefined) return [broken(`${program} does not exist, so no hook runs`)];
    if (facts.kind !== "file" || (facts.mode & EXECUTABLE) === 0)
      return [broken(`${program} is not executable, so no hook runs`)];
    const owner = system.files.follow(places.home)?.uid;
    if (facts.uid !== 0 && facts.uid !== owner) return [broken(`${program} belongs to another user`)];
    if ((facts.mode & WRITABLE_BY_OTHERS) !== 0) return [broken(`${program} can be changed by others`)];
    return program === hookProgramPath(places)
      ? []
      : [doubtful(`the hooks start ${program}, not the program of this installation`)];
  });
}

function judgeSet(target: RegistrationTarget, entries: readonly OwnEntry[]): readonly Fault[] {
  const count = ({ nativeEvent, subcommand }: HostRegistration) =>
    entries.filter(
      entry =>
        entry.kind === "program" &&
        entry.event === nativeEvent &&
        resolveSubcommand(entry.subcommand ?? "")?.name === subcommand,
    ).length;
  return planRegistrations(target.owner).registrations.flatMap(row => {
    const found = count(row);
    if (found === 0) return [broken(`${row.subcommand} is not registered on ${row.nativeEvent}`)];
    return found === 1 ? [] : [doubtful(`${row.subcommand} runs ${found} times on ${row.nativeEvent}`)];
  });
}

/** What hosts give a hook before a tool: one that is slow on a busy machine still works. */
const TIMEOUT_MS = 10_000;
const MAX_AT_ONCE = 4;

/**
 * Starts every registered hook as its host would, with an ordinary event, in a home and a project that are thrown
 * away. A hook that answers here can still be passed over by its host: that is what `doctor --live` is for.
 */
export async function probeHooks(
  system: System,
  registrations: readonly FoundRegistration[],
  { fix, timeoutMs = TIMEOUT_MS }: { readonly fix: string; readonly timeoutMs?: number | undefined },
): Promise<readonly DoctorCheck[]> {
  const home = join(tmpdir(), `amplihack-probe-${system.random.hex(16)}`);
  const project = join(home, "project");
  system.files.makeDirectory(join(project, ".claude"), 0o700);
  try {
    const waiting = registrations.flatMap(({ target, entries }) =>
      entries.filter(({ kind }) => kind === "program").map(entry => ({ target, entry })),
    );
    const problems = new Map<RegistrationTarget, string[]>();
    await inTurns(waiting, async ({ target, entry }) => {
      const problem = await probe(system, target, entry, { home, project, timeoutMs });
      if (problem !== undefined) problems.set(target, [...(problems.get(target) ?? []), problem]);
    });
    return registrations
      .filter(({ entries }) => entries.some(({ kind }) => kind === "program"))
      .map(({ target, entries }) => summarise(target, entries.length, problems.get(target) ?? [], fix));
  } finally {
    removeTree(system.files, home);
  }
}

function summarise(
  target: RegistrationTarget,
  count: number,
  problems: readonly string[],
  fix: string,
): DoctorCheck {
  const id = `probe.${target.host}.${target.scope}`;
  const [first] = problems;
  if (first === undefined) return pass(id, `${target.host}: ${count} hooks were started and answered`);
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return fail(id, `${target.host}: ${first}${more}`, fix);
}

async function inTurns<T>(tasks: readonly T[], run: (task: T) => Promise<void>): Promise<void> {
  const queue = [...tasks];
  const worker = async (): Promise<void> => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) await run(task);
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, worker));
}

async function probe(
  system: System,
  { registration, owner }: RegistrationTarget,
  { event, program, words }: OwnEntry,
  {
    home,
    project,
    timeoutMs,
  }: { readonly home: string; readonly project: string; readonly timeoutMs: number },
): Promise<string | undefined> {
  const { code, end, stdout, stderr } = await runProgram(system, [program, ...words], {
    timeoutMs,
    input: JSON.stringify(payloadFor(event, project, registration.isShared === true)),
    cwd: project,
    env: trialEnvironment(system, home),
  });
  const name = `${words[0] ?? "the hook"} on ${event}`;
  if (code !== 0) return `${name} ${describeEnd(end)}`;
  const answer = readJson(stdout, { recover: false, maxDepth: 50 });
  const isText = HOSTS[owner].encode !== undefined;
  const isAnswer = isText || stdout.trim() === "" || (answer.ok && isJsonObject(answer.value));
  if (!isAnswer) return `${name} answered with something that is not a JSON object`;
  const telemetry = readJson(stderr.trim().split("\n").at(-1) ?? "", { recover: false, maxDepth: 20 });
  const isBroken = telemetry.ok && memberAt(telemetry.value, "result") === "panic";
  return isBroken ? `${name} broke` : undefined;
}

/** An ordinary event with the members of many hosts; each reads its own. */
function payloadFor(event: string, cwd: string, isShared: boolean): Readonly<Record<string, unknown>> {
  const common = {
    session_id: DOCTOR_SESSION,
    cwd,
    hook_event_name: event,
    tool_name: "Bash",
    tool_input: { command: "true" },
    tool_response: { stdout: "" },
    prompt: "hello",
  };
  if (isShared) return common;
  return {
    ...common,
    agent_action_name: event,
    tool_info: { command_line: "true", cwd },
    tool_call: { name: "run_commands", input: { commands: ["true"] } },
    tool_result: { name: "run_commands", input: { commands: ["true"] }, output: "" },
    input: { tool: "bash", sessionID: DOCTOR_SESSION, callID: "1" },
    output: { args: { command: "true" }, parts: [] },
    toolName: "bash",
    toolCallId: "1",
  };
}
