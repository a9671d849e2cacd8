import { HOSTS, type HostId, type Registration } from "../hosts/index.ts";
import { isAbsolute, join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { findOnPath } from "./find-program.ts";
import type { Places, Scope } from "./places.ts";
import { InstallProblem } from "./problem.ts";

/** How to see that a host is there, and where it keeps its files when not in the usual place. */
interface HostSigns {
  /** below the home directory */
  readonly folders: readonly string[];
  readonly programs: readonly string[];
  /** a variable, and the part of the usual path that its value stands for */
  readonly moved?: { readonly variable: string; readonly folder: string };
}

/** Hosts we register with, in the order in which it is done: those that others read along come first. */
const SIGNS = {
  "claude-code": {
    folders: [".claude"],
    programs: ["claude"],
    moved: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
  },
  "vscode-copilot": { folders: [".vscode", ".vscode-server"], programs: ["code"] },
  "copilot-cli": {
    folders: [".copilot"],
    programs: ["copilot"],
    moved: { variable: "COPILOT_HOME", folder: ".copilot" },
  },
  codex: {
    folders: [".codex"],
    programs: ["codex"],
    moved: { variable: "CODEX_HOME", folder: ".codex" },
  },
  "gemini-cli": {
    folders: [".gemini"],
    programs: ["gemini"],
    moved: { variable: "GEMINI_CLI_HOME", folder: "" },
  },
  cursor: { folders: [".cursor"], programs: ["cursor", "cursor-agent"] },
  opencode: {
    folders: [".config/opencode"],
    programs: ["opencode"],
    moved: { variable: "XDG_CONFIG_HOME", folder: ".config" },
  },
  pi: {
    folders: [".pi"],
    programs: ["pi"],
    moved: { variable: "PI_CODING_AGENT_DIR", folder: ".pi/agent" },
  },
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
  system: Pick<System, "env">,
  places: Places,
  host: InstallableHost,
  scope: Scope,
): Target {
  const owner = host === "vscode-copilot" ? "claude-code" : host;
  const { registration } = HOSTS[owner];
  const file = registration?.files.find(each => each.scope === scope);
  if (registration === undefined || file === undefined)
    throw new InstallProblem(`${host} has no place for hooks of a ${scope}`);
  const path =
    scope === "project"
      ? join(places.projectRoot, file.path)
      : join(userFolder(system, places, host, file.path));
  return { host, scope, owner, registration, path, isShared: file.isShared };
}

function userFolder(
  system: Pick<System, "env">,
  { home }: Places,
  host: InstallableHost,
  path: string,
): string {
  const { moved }: HostSigns = SIGNS[host];
  const value = moved === undefined ? undefined : system.env.get(moved.variable);
  if (moved === undefined || value === undefined || !isAbsolute(value) || value.split("/").includes(".."))
    return join(home, path);
  return join(value, path.slice(moved.folder.length));
}

/** Whether the user has this host: a folder of it in the home directory, or its program on PATH. */
export function isPresent(
  system: Pick<System, "env" | "files">,
  { home }: Pick<Places, "home">,
  host: InstallableHost,
): boolean {
  const { folders, programs, moved }: HostSigns = SIGNS[host];
  const hasFolder = folders.some(folder => system.files.follow(join(home, folder))?.kind === "directory");
  const isMoved =
    moved !== undefined && moved.folder !== ".config" && system.env.get(moved.variable) !== undefined;
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
