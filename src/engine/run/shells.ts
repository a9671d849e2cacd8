import type { Files } from "../../system/system.ts";
import type { Dialect } from "../options.ts";
import type { CommandAction } from "../source/handler.ts";
import { type EnvironmentRecord, expandArgument } from "./environment.ts";

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
