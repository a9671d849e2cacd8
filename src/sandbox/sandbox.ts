import type { GuardSettings, SandboxSettings } from "../config/index.ts";
import { homeCaches } from "../programs/index.ts";
import { Problem } from "../state/index.ts";
import { dirname, join, type System } from "../system/index.ts";
import { survey, type Workspace } from "../workspace/index.ts";
import { findRegistries } from "./allowed-hosts.ts";
import { checkLayers, type LayerReport, usableLayers } from "./layers.ts";
import { type Plan, planPolicy } from "./plan.ts";
import type { Overlay, Policy, ProxyStart } from "./policy.ts";
import { findSandboxProgram } from "./program.ts";
import { runInSandbox } from "./start.ts";

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

export function checkSandbox(system: Pick<System, "files">, places: SandboxPlaces): SandboxCheck {
  const program = findSandboxProgram(system, places);
  if (program === undefined) return { program, report: undefined };
  system.files.makeDirectory(`${places.stateHome}/sandbox`, 0o700);
  return { program, report: checkLayers(program, places.stateHome) };
}

export interface SandboxedCommand {
  readonly words: readonly string[];
  readonly directory: string;
  readonly settings: SandboxSettings;
  readonly guard: GuardSettings;
  /** starts the proxy; the hosts that it allows follow, each behind `--allow` */
  readonly proxyCommand: readonly string[];
}

/** On the command's own 127.0.0.1, where nothing else listens. */
const PROXY_PORT = 18_088;

/** Runs a command in the sandbox with this process's streams. Throws where there is none; it never runs bare. */
export async function runCommand(
  system: System,
  places: SandboxPlaces,
  command: SandboxedCommand,
): Promise<number> {
  const { program, plan } = prepareSandbox(system, places, command);
  return runInSandbox(system, {
    ...places,
    program,
    policy: plan("keep").policy,
    words: command.words,
    directory: command.directory,
  });
}

export interface PreparedSandbox {
  readonly program: string;
  readonly report: LayerReport;
  readonly workspace: Workspace;
  plan(leftovers: Policy["leftovers"], caught?: readonly Overlay[]): Plan;
}

/** All that is needed to start a command. Throws where there is no sandbox. */
export function prepareSandbox(
  system: System,
  places: SandboxPlaces,
  command: SandboxedCommand,
): PreparedSandbox {
  const { program, report } = checkSandbox(system, places);
  const layers = report === undefined ? undefined : usableLayers(report);
  if (program === undefined || report === undefined || layers === undefined)
    throw new Problem("the sandbox is unavailable here, so the command was not started", {
      kind: "unavailable",
      causes: [
        program === undefined
          ? "its program, amplihack-sandbox, is not installed"
          : "this machine lacks layers for it",
      ],
      fix: "amplihack sandbox check",
      exitCode: 126,
    });
  makeCaches(system, places.home);
  const workspace = survey({
    cwd: command.directory,
    home: places.home,
    system,
    settings: command.guard,
    stateHome: places.stateHome,
    tmpdir: system.env.get("TMPDIR"),
  });
  const { settings } = command;
  const proxy = startOfProxy(system, places, command);
  return {
    program,
    report,
    workspace,
    plan: (leftovers, caught) =>
      planPolicy(system, workspace, { settings, layers, leftovers, caught, proxy }),
  };
}

/** Where package managers begin; the others only where the program has been used before. */
const FIRST_CACHES = [".cache", ".npm"];

/** A folder that is not there cannot be opened for writing, and the command cannot make it in a closed home. */
function makeCaches({ files }: Pick<System, "files">, home: string): void {
  for (const cache of homeCaches()) {
    const path = join(home, cache);
    const isUsed =
      FIRST_CACHES.includes(cache) || (cache.includes("/") && files.follow(dirname(path)) !== undefined);
    if (isUsed && files.follow(path) === undefined) files.makeDirectory(path, 0o755);
  }
}

function startOfProxy(system: System, { home }: SandboxPlaces, command: SandboxedCommand): ProxyStart {
  const hosts = [...findRegistries(system, home), ...command.settings.hosts];
  return {
    port: PROXY_PORT,
    command: [...command.proxyCommand, ...hosts.flatMap(host => ["--allow", host])],
    environment: { HOME: home, PATH: "/usr/bin:/bin" },
  };
}
