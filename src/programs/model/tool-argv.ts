import type { CodeLanguage, ElsewhereCommand } from "../../hosts/index.ts";
import { powerShellArgv } from "./traits.ts";

/** The argv that does what a tool does with SQL. */
export function sqlArgv(statements: string): readonly string[] {
  return ["psql", "-c", statements];
}

const INTERPRETERS: Readonly<Record<Exclude<CodeLanguage, "unknown">, readonly [string, string]>> = {
  python: ["python3", "-c"],
  javascript: ["node", "-e"],
  ruby: ["ruby", "-e"],
  php: ["php", "-r"],
  perl: ["perl", "-e"],
  lua: ["lua", "-e"],
  applescript: ["osascript", "-e"],
  mongo: ["mongosh", "--eval"],
};

/** The argvs that run code, one for each language that it may be in. */
export function codeArgvs(language: CodeLanguage, code: string): readonly (readonly string[])[] {
  const languages = language === "unknown" ? (["python", "javascript"] as const) : [language];
  return languages.map(one => [...INTERPRETERS[one], code]);
}

/** The argv that runs a command text somewhere else. */
export function elsewhereArgv({ container, host }: ElsewhereCommand, command: string): readonly string[] {
  if (container !== undefined) return ["docker", "exec", container, "sh", "-c", command];
  return ["ssh", host ?? "", command];
}

/** The argv that runs text of another shell; undefined for the shell itself. */
export function dialectArgv(
  dialect: "posix" | "powershell" | "cmd",
  command: string,
): readonly string[] | undefined {
  if (dialect === "powershell") return powerShellArgv(command);
  return dialect === "cmd" ? ["cmd", "/c", command] : undefined;
}
