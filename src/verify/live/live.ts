import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { stripVTControlCharacters } from "node:util";
import {
  type AgentName,
  HOST_LIST,
  type HostId,
  type LiveDriver,
  type TrialEnvironment,
} from "../../hosts/index.ts";
import {
  askVersion,
  type DoctorCheck,
  findFaults,
  hostSetup,
  INSTALLABLE_HOSTS,
  type InstallRequest,
  install,
  isPresent,
  type Package,
  PLAIN_INSTALL,
} from "../../install/index.ts";
import { tryFindBinary, versionIn } from "../../launcher/index.ts";
import { errorText, isJsonObject, type JsonObject, readJson } from "../../protocol/index.ts";
import { readText, type UserDirectories } from "../../state/index.ts";
import { describeEnd, dirname, join, type System } from "../../system/index.ts";
import {
  type Delegation,
  PROMPT,
  type ScriptedModel,
  type ScriptStep,
  startModel,
} from "./scripted-model.ts";

/** How to start one host without a screen, against the scripted model. */
export interface HostDriver extends LiveDriver {
  readonly host: HostId;
  /** the name by which its program is found */
  readonly agent: AgentName;
}

export const DRIVERS: readonly HostDriver[] = HOST_LIST.flatMap(({ id, setup }) => {
  const { live, agent } = setup?.() ?? {};
  return typeof live === "object" && agent !== undefined ? [{ ...live, host: id, agent: agent.name }] : [];
});

/** A user with an empty home and an empty project, removed after the trial. */
export interface TemporaryUser {
  readonly home: string;
  readonly project: string;
  /** the environment of everything this user starts: nothing is inherited but the way to programs */
  readonly env: Readonly<Record<string, string>>;
  /** the real system, seen by this user */
  readonly system: System;
  /** Writes below the home; anything but text as JSON. */
  write(name: string, content: unknown): void;
  remove(): void;
}

/** Directories of a user. */
export interface UserPlace {
  readonly home: string;
  readonly project: string;
  /** their `TMPDIR` */
  readonly temporary: string;
}

/** With a `place` that exists the user works there, and what is in it stays. */
export function createTemporaryUser(
  system: System,
  more: Readonly<Record<string, string>> = {},
  place?: UserPlace,
): TemporaryUser {
  const root = place === undefined ? mkdtempSync(join(realpathSync(tmpdir()), "amplihack-live-")) : undefined;
  const { home, project, temporary } = place ?? makePlace(root ?? "");
  const env = {
    PATH: system.env.get("PATH") ?? "/usr/bin:/bin",
    HOME: home,
    TMPDIR: temporary,
    LANG: "C.UTF-8",
    TERM: "dumb",
    SHELL: "/bin/sh",
    CI: "1",
    AMPLIHACK_NONINTERACTIVE: "1",
    ...more,
  };
  return {
    home,
    project,
    env,
    system: {
      ...system,
      files: Object.assign(Object.create(system.files) as System["files"], {
        workingDirectory: () => project,
      }),
      env: { get: name => Reflect.get(env, name) as string | undefined, names: () => Object.keys(env) },
      processes: system.processes,
    },
    write(name, content) {
      const path = join(home, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2), {
        mode: 0o600,
      });
    },
    remove() {
      if (root !== undefined) rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** An empty home, an empty project and a folder for what is temporary, in a folder that is there. */
export function makePlace(root: string): UserPlace {
  const place = { home: join(root, "home"), project: join(root, "project"), temporary: join(root, "tmp") };
  for (const folder of Object.values(place)) mkdirSync(folder);
  // A repository without commits, so that no host asks whether this is one.
  const git = join(place.project, ".git");
  for (const folder of ["objects", "refs"]) mkdirSync(join(git, folder), { recursive: true });
  writeFileSync(join(git, "HEAD"), "ref: refs/heads/work\n");
  return place;
}

const LIMITS = { stdoutBytes: 65_536, tailBytes: 16_384, stderrBytes: 65_536, drainBytes: 256 * 1024 * 1024 };
const SHOWN = 300;
/** No server listens there: a host that heeds proxies reaches nothing but this machine. */
const DEAD_PROXY = "http://127.0.0.1:9";

/** Runs a host to its end, or to the end of its time, and tells how that went in one line. */
async function runHost(
  user: TemporaryUser,
  driver: LiveDriver,
  program: string,
  trial: TrialEnvironment,
  timeoutMs: number,
): Promise<string> {
  const { processes, text } = user.system;
  const result = await processes.start({
    argv: [program, ...driver.args(PROMPT, trial)],
    cwd: user.project,
    env: { ...user.env, ...noNetwork(), ...driver.env(trial) },
    input: new Uint8Array(0),
    timeoutMs,
    limits: LIMITS,
    endsGroup: true,
  }).done;
  const output = stripVTControlCharacters(
    text.decode(result.stderr).text.trim() || text.decode(result.stdout).text.trim(),
  );
  const last = output
    .split("\n")
    .filter(line => line.trim() !== "")
    .slice(-3)
    .join(" | ");
  return `the host ${describeEnd(result.end)}${last === "" ? "" : `: ${last.slice(-SHOWN)}`}`;
}

function noNetwork(): Readonly<Record<string, string>> {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
  return {
    ...Object.fromEntries(names.map(name => [name, DEAD_PROXY])),
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
  };
}

/** One run of a real host, over but not yet cleared away. */
export interface Trial {
  readonly user: TemporaryUser;
  readonly model: ScriptedModel;
  /** how the host ended, in one line */
  readonly end: string;
  readonly durationMs: number;
}

export interface TrialRequest {
  readonly driver: HostDriver;
  /** the host's executable */
  readonly program: string;
  readonly steps: readonly ScriptStep[];
  /** for agents that the host starts during the run */
  readonly delegation?: Delegation;
  readonly timeoutMs: number;
  /** further variables of the temporary user, also for the installation */
  readonly env?: Readonly<Record<string, string>>;
  /** where they work; without it in directories of their own, which are removed */
  readonly place?: UserPlace;
  /** registers hooks, or does whatever else has to be there before the host starts */
  readonly prepare: (user: TemporaryUser, trial: TrialEnvironment) => Promise<void>;
}

/** Runs a real host for a temporary user, lets `observe` look at what is left, and clears everything away. */
export async function withTrial<T>(
  system: System,
  request: TrialRequest,
  observe: (trial: Trial) => T,
): Promise<T> {
  const { driver, program, steps, timeoutMs, prepare } = request;
  const startedMs = system.clock.monotonicMs();
  const user = createTemporaryUser(system, request.env, request.place);
  const atEnd = system.processes.onEnd(() => user.remove());
  const model = await startModel(steps, request.delegation);
  try {
    const { home, project } = user;
    const trial = { home, project, url: model.url, model: "scripted", key: "not-a-key" };
    for (const [name, content] of Object.entries(driver.files?.(trial) ?? {})) user.write(name, content);
    await prepare(user, trial);
    const end = await runHost(user, driver, program, trial, timeoutMs);
    return observe({ user, model, end, durationMs: system.clock.monotonicMs() - startedMs });
  } finally {
    await model.close();
    atEnd.dispose();
    user.remove();
  }
}

/** Registers our hooks for the temporary user by the installer that every user has. */
export async function registerHooks(
  user: TemporaryUser,
  source: Package,
  host: HostId,
  more: Partial<InstallRequest> = {},
): Promise<void> {
  const report = await install(
    user.system,
    // What is thrown away in a minute need not be copied to a lasting place.
    { ...source, isEphemeral: false },
    { ...PLAIN_INSTALL, hosts: [host], isTrustAgreed: true, ...more },
  );
  const failed = report.hosts.find(({ status }) => status !== "registered" && status !== "unchanged");
  if (failed !== undefined)
    throw new Error(`the hooks could not be registered: ${failed.reason ?? failed.status}`);
}

/** What the real host did with our hooks. */
export interface Proof {
  readonly host: HostId;
  readonly version: string | null;
  /**
   * `proved`: all four hold, and nothing is wrong in the user's own settings; `failed`: one of these does not;
   * `not-driven`: the host could not be tried
   */
  readonly status: "proved" | "failed" | "not-driven";
  /** a hook was started before a command */
  readonly fired: boolean;
  /** the command that the guard refuses did not run */
  readonly deny_honoured: boolean;
  /** the command that the guard lets pass did run */
  readonly allow_honoured: boolean;
  /** the reason of the refusal was in the next request to the model */
  readonly reason_reached_model: boolean;
  /** hooks that ran, in order */
  readonly hooks: readonly string[];
  readonly duration_ms: number;
  readonly detail: string | null;
  /** why the host would not run the hooks with the user's own settings; `proved` with warnings, never with a failure */
  readonly own_settings: readonly DoctorCheck[];
}

const REFUSED = "amplihack-canary-refused";
const ALLOWED = "amplihack-canary-allowed";
const CONFIG = ".amplihack/config.jsonc";
const RUNS = ".amplihack/logs/runs.jsonl";
const LOG_BYTES = 16 * 1024 * 1024;

interface ProveOptions {
  readonly program: string;
  readonly version: string | undefined;
  readonly timeoutMs: number;
  /** what stands behind the hook program; as an installation chooses when absent */
  readonly engine?: "node" | "native";
}

/**
 * Registers our hooks for a temporary user as the installer does, starts the real host, and lets the model ask for a
 * harmless command that a rule of this user refuses and for one that nothing refuses.
 */
export async function prove(
  system: System,
  source: Package,
  driver: HostDriver,
  { program, version, timeoutMs, engine }: ProveOptions,
): Promise<Proof> {
  const reason = `the canary of amplihack doctor is not to be touched (${system.random.hex(12)})`;
  const request = {
    driver,
    program,
    timeoutMs,
    env: engine === undefined ? {} : { AMPLIHACK_HOOK_ENGINE: engine },
    steps: [
      { kind: "command", command: `touch ${REFUSED}` },
      { kind: "command", command: `touch ${ALLOWED}` },
      { kind: "text", text: "done" },
    ],
    prepare(user) {
      user.write(CONFIG, { guard: { custom: [canaryRule(reason)] } });
      return registerHooks(user, source, driver.host);
    },
  } satisfies TrialRequest;
  return withTrial(system, request, trial => {
    const seen = observe(trial, reason);
    const isProved = seen.fired && seen.deny_honoured && seen.allow_honoured && seen.reason_reached_model;
    const isDriven = trial.model.requests.length > 0;
    return {
      host: driver.host,
      version: version ?? null,
      status: isProved ? "proved" : isDriven ? "failed" : "not-driven",
      ...seen,
      duration_ms: Math.round(trial.durationMs),
      detail: isProved ? null : explain(trial),
      own_settings: [],
    };
  });
}

function canaryRule(reason: string) {
  return { id: "amplihack.canary", when: { command: "touch", operand: REFUSED }, verdict: "deny", reason };
}

function observe({ user, model }: Trial, reason: string) {
  const runs = readRuns(user);
  const before = runs.filter(run => run["hook"] === "pre_tool_use");
  const isRefused =
    !existsSync(join(user.project, REFUSED)) && before.some(run => run["decision"] === "deny");
  return {
    fired: before.length > 0,
    deny_honoured: isRefused,
    allow_honoured: existsSync(join(user.project, ALLOWED)),
    reason_reached_model: model.requests.some(request =>
      request.results.some(result => result.includes(reason)),
    ),
    hooks: runs.map(run => String(run["hook"])),
  };
}

function readRuns(user: TemporaryUser): readonly JsonObject[] {
  const text = readText(user.system, join(user.home, RUNS), LOG_BYTES) ?? "";
  return text.split("\n").flatMap(line => {
    const read = readJson(line, { recover: false, maxDepth: 20 });
    return read.ok && isJsonObject(read.value) ? [read.value] : [];
  });
}

function explain({ model, end }: Trial): string {
  if (model.requests.length > 0) return end;
  const asked =
    model.paths.length === 0
      ? "the model was never asked"
      : `asked for ${model.paths.slice(0, 3).join(", ")}`;
  return `${end}; ${asked}`;
}

/** Some hosts need seconds to say who they are. */
const VERSION_TIMEOUT_MS = 20_000;

interface LiveRequest {
  /** all that are there when absent */
  readonly hosts: readonly HostId[] | undefined;
  /** of the user, whose own settings are looked at */
  readonly places: UserDirectories;
  /** the real path of this program: a file that leads back to it is no agent */
  readonly self: string;
  readonly timeoutMs: number;
  readonly onProgress: (text: string) => void;
}

/** Tries every host that was asked for, one after the other. */
export async function proveAll(
  system: System,
  source: Package,
  request: LiveRequest,
): Promise<readonly Proof[]> {
  const asked =
    request.hosts ??
    INSTALLABLE_HOSTS.filter(
      host =>
        isPresent(system, request.places, host) ||
        DRIVERS.some(
          driver => driver.host === host && tryFindBinary(system, driver.agent, request.self) !== undefined,
        ),
    );
  const proofs: Proof[] = [];
  for (const host of asked) {
    const proof = withOwnSettings(system, request, await proveOne(system, source, host, request));
    if (proof.duration_ms > 0)
      request.onProgress(`${host}: ${proof.status} after ${(proof.duration_ms / 1000).toFixed(1)} s`);
    proofs.push(proof);
  }
  return proofs;
}

/** The proof is of a temporary home with settings of its own; what is wrong in the user's is not seen there. */
function withOwnSettings(system: System, { places }: LiveRequest, proof: Proof): Proof {
  const faults = findFaults(system, places, proof.host);
  const isInVain = proof.status === "proved" && faults.some(({ status }) => status === "fail");
  return { ...proof, status: isInVain ? "failed" : proof.status, own_settings: faults };
}

async function proveOne(
  system: System,
  source: Package,
  host: HostId,
  { self, timeoutMs, onProgress }: LiveRequest,
): Promise<Proof> {
  const driver = DRIVERS.find(each => each.host === host);
  if (driver === undefined) {
    const { live } = hostSetup(host);
    return notDriven(host, typeof live === "string" ? live : "it has no driver");
  }
  const program = tryFindBinary(system, driver.agent, self);
  if (program === undefined) return notDriven(host, `its program '${driver.agent}' was not found on PATH`);
  const line = await askVersion(system, program, "--version", VERSION_TIMEOUT_MS);
  const version = line === undefined ? undefined : versionIn(line);
  onProgress(`${host}${version === undefined ? "" : ` ${version}`}: starting it with a scripted model …`);
  try {
    return await prove(system, source, driver, { program, version, timeoutMs });
  } catch (error) {
    return {
      ...notDriven(host, errorText(error)),
      version: version ?? null,
    };
  }
}

function notDriven(host: HostId, detail: string): Proof {
  return {
    host,
    version: null,
    status: "not-driven",
    fired: false,
    deny_honoured: false,
    allow_honoured: false,
    reason_reached_model: false,
    hooks: [],
    duration_ms: 0,
    detail,
    own_settings: [],
  };
}
