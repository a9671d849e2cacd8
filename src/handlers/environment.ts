import { defined } from "../protocol/index.ts";
import type { Files } from "../system/index.ts";
import type { CommandAction, Dialect } from "./handler.ts";

/** Names whose values a hook has no business with, and those that would change how its shell starts. */
const SCRUBBED = [
  /token|secret|passw|credential|private|api[_-]?key/i,
  /^(?:OTEL_|DYLD_)/,
  /^(?:BASH_ENV|ENV|PROMPT_COMMAND|LD_PRELOAD)$/,
];

export type EnvironmentRecord = Readonly<Record<string, string>>;

/** The snapshot without secrets and start-up files. `SHLVL` of at least 1 keeps bash from reading `~/.bashrc`. */
export function scrubEnvironment(snapshot: EnvironmentRecord, passEnv: readonly string[]): EnvironmentRecord {
  const passed = new Set(passEnv);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(snapshot)) {
    if (passed.has(name) || !SCRUBBED.some(pattern => pattern.test(name))) kept[name] = value;
  }
  const level = Number(kept["SHLVL"]);
  kept["SHLVL"] = String(Number.isInteger(level) && level > 1 ? level : 1);
  return kept;
}

/** A plugin's data folder: one per plugin, below the home, named so that no id can point elsewhere. */
function pluginData(snapshot: EnvironmentRecord, pluginId: string): Record<string, string> {
  const home = snapshot["HOME"];
  if (home === undefined) return {};
  return { CLAUDE_PLUGIN_DATA: `${home}/.claude/plugins/data/${pluginId.replace(/[^A-Za-z0-9_-]/g, "-")}` };
}

interface PluginSource {
  readonly pluginRoot?: string;
  readonly pluginId?: string;
}

/** The variables the engine tells every hook of a source. */
export function engineVariables(
  projectDir: string,
  snapshot: EnvironmentRecord,
  { pluginRoot, pluginId }: PluginSource,
): EnvironmentRecord {
  return {
    CLAUDE_PROJECT_DIR: projectDir,
    ...defined({ CLAUDE_PLUGIN_ROOT: pluginRoot }),
    ...(pluginId === undefined ? {} : pluginData(snapshot, pluginId)),
  };
}

const ARGUMENT_VARIABLE = /\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_DATA)\}/g;

/** The exec form has no shell that would expand these three; nothing else is ever substituted. */
export function expandArgument(argument: string, variables: EnvironmentRecord): string {
  return argument.replace(ARGUMENT_VARIABLE, (whole, name: string) => variables[name] ?? whole);
}

/** The shells of the environment hooks run in, found once. */
export interface Shells {
  readonly bash: string | undefined;
  readonly sh: string;
}

export function findShells(files: Files, env: EnvironmentRecord): Shells {
  const folders = (env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(":");
  const find = (name: string): string | undefined =>
    folders.map(folder => `${folder}/${name}`).find(path => path.startsWith("/") && isProgram(files, path));
  return { bash: find("bash"), sh: find("sh") ?? "/bin/sh" };
}

function isProgram(files: Files, path: string): boolean {
  const facts = files.follow(path);
  return facts?.kind === "file" && (facts.mode & 0o111) !== 0;
}

/** Never a login or interactive shell: what a profile prints would stand in the hook's answer. */
export function commandLine(
  action: CommandAction,
  dialect: Dialect,
  shells: Shells,
  variables: EnvironmentRecord,
): readonly [string, ...string[]] {
  const { command, args, shell } = action;
  if (args !== undefined)
    return [expandArgument(command, variables), ...args.map(argument => expandArgument(argument, variables))];
  if (shell === "powershell") return ["pwsh", "-NoProfile", "-NonInteractive", "-Command", command];
  const isBash = dialect === "claude" && shells.bash !== undefined;
  return isBash ? [shells.bash, "--noprofile", "--norc", "-c", command] : [shells.sh, "-c", command];
}
