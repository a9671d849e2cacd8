import type { GuardSettings, SandboxSettings } from "../config/index.ts";
import { cacheUsers, homeCaches } from "../programs/index.ts";
import { isJsonObject, readJson } from "../protocol/index.ts";
import { words } from "../shell/index.ts";
import { Problem, readText, removeIfThere } from "../state/index.ts";
import { basename, dirname, isInside, join, type System } from "../system/index.ts";
import { PRIVATE_MEMORY, survey, type Workspace } from "../workspace/index.ts";
import { findRegistries } from "./allowed-hosts.ts";
import { checkBwrap, findBwrap } from "./bwrap.ts";
import { checkLayers, type LayerReport, readReport, usableLayers } from "./layers.ts";
import { type Plan, planPolicy } from "./plan.ts";
import type { Overlay, Policy, ProxyStart } from "./policy.ts";
import { runInSandbox, type Streams } from "./start.ts";

const NAME = "amplihack-sandbox";

/** The program that a package brings along, to be installed; undefined where there is none for this machine. */
export function findPackagedProgram(
  { files }: Pick<System, "files">,
  { packageRoot, platform }: { readonly packageRoot: string; readonly platform: string },
): string | undefined {
  const candidates = [
    join(packageRoot, "..", `amplihack-${platform}`, NAME),
    join(packageRoot, "node_modules", `amplihack-${platform}`, NAME),
    join(packageRoot, "dist/native", NAME),
  ];
  return candidates.find(path => files.follow(path)?.kind === "file");
}

/**
 * The enforcing program: the one that was installed, else that of the npm package for this machine, else the one that
 * was built here. Undefined where there is none. It is never looked for in `PATH`.
 */
export function findSandboxProgram(
  system: Pick<System, "files">,
  places: { readonly stateHome: string; readonly packageRoot: string; readonly platform: string },
): string | undefined {
  const installed = join(places.stateHome, ".claude/bin", NAME);
  return system.files.follow(installed)?.kind === "file" ? installed : findPackagedProgram(system, places);
}

export interface SandboxPlaces {
  readonly home: string;
  readonly stateHome: string;
  /** the package that the enforcing program may lie in */
  readonly packageRoot: string;
  /** as npm names it: `linux-x64` */
  readonly platform: string;
}

/** What works on this machine; undefined where there is no enforcing program. */
export interface SandboxCheck {
  readonly program: string | undefined;
  readonly report: LayerReport | undefined;
}

/** Tries every layer for real, and writes down what it found: it takes longer than most commands. */
export function checkSandbox(system: System, places: SandboxPlaces): SandboxCheck {
  const { files, random, text } = system;
  const path = layersFile(places.stateHome);
  const own = findSandboxProgram(system, places);
  const program = own ?? findBwrap(system);
  if (program === undefined) {
    removeIfThere(files, path);
    return { program, report: undefined };
  }
  for (const folder of [places.stateHome, dirname(path)]) files.makeDirectory(folder, 0o700);
  const report = own === undefined ? checkBwrap(program) : checkLayers(program, places.stateHome);
  const temporary = `${path}.${random.hex(8)}`;
  const content = JSON.stringify({ of: machineStamp(system, program), report });
  files.createExclusive(temporary, text.encode(content), 0o600);
  files.rename(temporary, path);
  return { program, report };
}

function layersFile(stateHome: string): string {
  return join(stateHome, "sandbox", "layers.json");
}

/** The same program since the machine was started: what it found then still holds. */
function machineStamp(system: Pick<System, "files" | "text">, program: string): string {
  const boot = readText(system, "/proc/sys/kernel/random/boot_id", MAX_LAYERS_BYTES) ?? "";
  return `${boot.trim()} ${program} ${system.files.exactFacts(program)?.stamp}`;
}

const MAX_LAYERS_BYTES = 64 * 1024;

/** What was found at the last check. A policy that this no longer holds for does not start its command. */
function knownSandbox(system: System, places: SandboxPlaces): SandboxCheck {
  const program = findSandboxProgram(system, places) ?? findBwrap(system);
  const read = readJson(readText(system, layersFile(places.stateHome), MAX_LAYERS_BYTES) ?? "");
  const known = read.ok && isJsonObject(read.value) ? read.value : {};
  if (program === undefined || known["of"] !== machineStamp(system, program))
    return checkSandbox(system, places);
  return { program, report: readReport(known["report"], "it was not tried") };
}

export interface SandboxedCommand {
  readonly words: readonly string[];
  readonly directory: string;
  readonly settings: SandboxSettings;
  readonly guard: GuardSettings;
  /** starts the proxy; the hosts that it allows follow, each behind `--allow` */
  readonly proxyCommand: readonly string[];
  /** this process's own when absent */
  readonly streams?: Streams | undefined;
}

/** On the command's own 127.0.0.1, where nothing else listens. */
const PROXY_PORT = 18_088;

/** Runs a command in the sandbox with this process's streams. Throws where there is none; it never runs bare. */
export async function runCommand(
  system: System,
  places: SandboxPlaces,
  command: SandboxedCommand,
): Promise<number> {
  const { program, plan, report } = prepareSandbox(system, places, command);
  return runInSandbox(system, {
    ...places,
    program,
    by: report.by,
    policy: plan("keep").policy,
    words: command.words,
    directory: command.directory,
    streams: command.streams,
  });
}

export interface PreparedSandbox {
  readonly program: string;
  readonly report: LayerReport;
  readonly workspace: Workspace;
  plan(leftovers: Policy["leftovers"], caught?: readonly Overlay[]): Plan;
}

/** All that is needed to start a command. Throws where there is no sandbox, or none that sees where the command runs. */
export function prepareSandbox(
  system: System,
  places: SandboxPlaces,
  command: SandboxedCommand,
): PreparedSandbox {
  const { program, report } = knownSandbox(system, places);
  const layers = report === undefined ? undefined : usableLayers(report);
  if (program === undefined || report === undefined || layers === undefined)
    throw new Problem("the sandbox is unavailable here, so the command was not started", {
      kind: "unavailable",
      causes: [
        program === undefined
          ? "its program, amplihack-sandbox, is not installed, and neither is bwrap"
          : "this machine lacks layers for it",
      ],
      fix: "amplihack sandbox check",
      exitCode: 126,
    });
  makeCaches(system, places.home, command.words);
  const workspace = surveyAround(system, places, command);
  if (layers.includes("namespaces") && isInside(PRIVATE_MEMORY, workspace.cwd))
    throw new Problem(`the sandbox does not see ${workspace.cwd}, so the command was not started`, {
      kind: "unavailable",
      causes: [`it has a ${PRIVATE_MEMORY} of its own`],
      fix: "work in a folder on a disk, or in /tmp",
      exitCode: 126,
    });
  // With bwrap there is no way to the proxy.
  const isOff = report.by === "bwrap" && command.settings.network === "hosts";
  const settings = isOff ? { ...command.settings, network: "off" as const } : command.settings;
  const proxy = startOfProxy(system, places, command);
  return {
    program,
    report,
    workspace,
    plan: (leftovers, caught) =>
      planPolicy(system, workspace, { settings, layers, leftovers, caught, proxy }),
  };
}

/** Where a command would run. */
export function surveyAround(
  system: System,
  { home, stateHome }: SandboxPlaces,
  { directory, guard }: Pick<SandboxedCommand, "directory" | "guard">,
): Workspace {
  const tmpdir = system.env.get("TMPDIR");
  return survey({ cwd: directory, home, system, settings: guard, stateHome, tmpdir });
}

/**
 * A folder that is not there cannot be opened for writing, and the command cannot make it in a closed home. Where a
 * program has been used before, its folder is there; it is made for those that the command names.
 */
function makeCaches({ files }: Pick<System, "files">, home: string, command: readonly string[]): void {
  const named = new Set(command.flatMap(word => word.split(/[\s;&|()"'`]+/)).map(basename));
  for (const cache of homeCaches()) {
    const path = join(home, cache);
    const isUsed =
      words(cacheUsers(cache)).some(program => program === "*" || named.has(program)) ||
      (cache.includes("/") && files.follow(dirname(path)) !== undefined);
    if (isUsed && files.follow(path) === undefined) files.makeDirectory(path, 0o755);
  }
}

function startOfProxy(system: System, { home }: SandboxPlaces, command: SandboxedCommand): ProxyStart {
  const hosts = [...findRegistries(system, home), ...command.settings.hosts];
  return {
    port: PROXY_PORT,
    ports: command.settings.ports,
    command: [
      ...command.proxyCommand,
      ...hosts.flatMap(host => ["--allow", host]),
      ...command.settings.ports.flatMap(port => ["--port", String(port)]),
    ],
    environment: { HOME: home, PATH: "/usr/bin:/bin" },
  };
}
