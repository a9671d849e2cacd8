import { readJsonc } from "../config/index.ts";
import { configurationPath, HOSTS, type HostId, type Registration } from "../hosts/index.ts";
import { isJsonObject, ownValue } from "../protocol/index.ts";
import { readText } from "../state/index.ts";
import { dirname, join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { findOnPath } from "./find-program.ts";
import type { Places, Scope } from "./places.ts";
import { InstallProblem } from "./problem.ts";

/** How to see that a host is there: a folder below the home directory, or a program on PATH. */
interface HostSigns {
  readonly folders: readonly string[];
  readonly programs: readonly string[];
}

/** Hosts we register with, in the order in which it is done: those that others read along come first. */
const SIGNS = {
  "claude-code": { folders: [".claude"], programs: ["claude"] },
  "vscode-copilot": { folders: [".vscode", ".vscode-server"], programs: ["code"] },
  "copilot-cli": { folders: [".copilot"], programs: ["copilot"] },
  codex: { folders: [".codex"], programs: ["codex"] },
  "gemini-cli": { folders: [".gemini"], programs: ["gemini"] },
  cursor: { folders: [".cursor"], programs: ["cursor", "cursor-agent"] },
  opencode: { folders: [".config/opencode"], programs: ["opencode"] },
  pi: { folders: [".pi"], programs: ["pi"] },
  "amplifier-shell": { folders: [".amplifier"], programs: ["amplifier"] },
  "qwen-code": { folders: [".qwen"], programs: ["qwen"] },
  "factory-droid": { folders: [".factory"], programs: ["droid"] },
  windsurf: { folders: [".codeium/windsurf"], programs: ["windsurf"] },
  cline: { folders: ["Documents/Cline", ".cline"], programs: ["cline"] },
  kiro: { folders: [".kiro"], programs: ["kiro-cli", "kiro"] },
  augment: { folders: [".augment"], programs: ["auggie"] },
  goose: { folders: [".config/goose"], programs: ["goose"] },
} as const satisfies Partial<Record<HostId, HostSigns>>;

export type InstallableHost = keyof typeof SIGNS;
export const INSTALLABLE_HOSTS = Object.keys(SIGNS) as readonly InstallableHost[];
const SETTINGS_BYTES = 16 * 1024 * 1024;
export const DEFAULT_HOST: InstallableHost = "claude-code";

export function isInstallable(host: HostId): host is InstallableHost {
  return Object.hasOwn(SIGNS, host);
}

/** Where one host reads our hooks in one scope. */
export interface Target {
  readonly host: InstallableHost;
  readonly scope: Scope;
  /** whose rules the file follows: VS Code has none of its own and reads those of Claude Code */
  readonly owner: InstallableHost;
  readonly registration: Registration;
  /** a file, or the folder of a host that takes one program per event */
  readonly path: string;
  /** read by several hosts, so nothing in it may name one */
  readonly isShared: boolean;
}

export function findTarget(
  system: Pick<System, "env" | "files" | "text">,
  places: Places,
  host: InstallableHost,
  scope: Scope,
): Target {
  const owner = host === "vscode-copilot" ? "claude-code" : host;
  const { registration } = HOSTS[owner];
  const file = registration?.files.find(each => each.scope === scope);
  if (registration === undefined || file === undefined)
    throw new InstallProblem(`${host} has no place for hooks of a ${scope}`);
  // VS Code looks for Claude Code's settings in the usual place, wherever Claude Code itself was moved.
  const env = host === owner ? system.env : { get: () => undefined };
  const path = configurationPath(registration, file, places, env);
  const actual = host === "factory-droid" ? factoryFile(system, path) : path;
  return { host, scope, owner, registration, path: actual, isShared: file.isShared };
}

/** Factory passes over the hooks in its settings as soon as there is a file for hooks: then they are the place. */
function factoryFile(system: Pick<System, "files" | "text">, path: string): string {
  const settings = join(dirname(path), "settings.json");
  if (system.files.follow(path) !== undefined) return path;
  const read = readJsonc(readText(system, settings, SETTINGS_BYTES) ?? "");
  const hasHooks = read.ok && isJsonObject(read.value) && isJsonObject(ownValue(read.value, "hooks"));
  return hasHooks ? settings : path;
}

/** Whether the user has this host: a folder of it in the home directory, or its program on PATH. */
export function isPresent(
  system: Pick<System, "env" | "files">,
  { home }: Pick<Places, "home">,
  host: InstallableHost,
): boolean {
  const { folders, programs }: HostSigns = SIGNS[host];
  const hasFolder = folders.some(folder => system.files.follow(join(home, folder))?.kind === "directory");
  const { relocation } = HOSTS[host].registration ?? {};
  const isMoved =
    relocation !== undefined &&
    relocation.folder === folders[0] &&
    (system.env.get(relocation.variable) ?? "") !== "";
  return hasFolder || isMoved || programs.some(name => findOnPath(system, name) !== undefined);
}

/** The program that starts a host, when it is on PATH. */
export function findHostProgram(
  system: Pick<System, "env" | "files">,
  host: InstallableHost,
): string | undefined {
  const { programs }: HostSigns = SIGNS[host];
  return programs.map(name => findOnPath(system, name)).find(found => found !== undefined);
}
