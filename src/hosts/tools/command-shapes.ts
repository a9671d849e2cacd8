import { type Json, type JsonObject, readJson } from "../../protocol/index.ts";
import { languageOf } from "./code-shapes.ts";
import type { ElsewhereCommand, Level, ToolShape } from "./shapes.ts";
import { isSqlForm } from "./sql-form.ts";
import { actionOf, nameWords } from "./tool-words.ts";
import { hasWord } from "./word-list.ts";

const SHELLS = "bash shell sh zsh terminal tty pty tmux console cmd commandline powershell pwsh iterm ssh";

/** Of a member that holds a command: text, words or lines. */
export function commandShapes(level: Level, member: string, name: string, value: Json): readonly ToolShape[] {
  const { tool, members } = level;
  const all = [...tool.server, ...tool.tool];
  if (typeof value === "string") {
    const listed = /^\s*\[/.test(value) ? readJson(value, { recover: false, maxDepth: 2 }) : undefined;
    if (listed?.ok === true && isStringList(listed.value))
      return listShapes(level, member, name, listed.value);
    if (value.trim() === "" || isOperation(value, level)) return [];
    const language = languageOf(members, all);
    if (/script$/i.test(name) && language !== undefined && language !== "shell")
      return language === "sql"
        ? [{ as: "sql", member, text: value }]
        : [{ as: "code", member, language, text: value }];
    if (hasWord(all, "sql postgres postgresql mysql sqlite database") && isSqlForm(value))
      return [{ as: "sql", member, text: value }];
    const following = argumentsBeside(members);
    if (following !== undefined && !/\s/.test(value.trim()))
      return [{ as: "program", member, argv: [value.trim(), ...following], ...elsewhereOf(members) }];
    const command = following === undefined ? value : [value, ...following.map(quote)].join(" ");
    return [shellShape(level, member, command), ...clientShapes(level, member, command.split(/\s+/))];
  }
  return isStringList(value) ? listShapes(level, member, name, value) : [];
}

function isStringList(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(item => typeof item === "string");
}

/** A list of words, or of whole lines. */
function listShapes(
  level: Level,
  member: string,
  name: string,
  list: readonly string[],
): readonly ToolShape[] {
  const isLines = /s$/i.test(name) || /\s/.test(list[0] ?? "");
  if (isLines) return [shellShape(level, member, list.join("\n"))];
  const following = argumentsBeside(level.members) ?? [];
  const argv = [...list, ...following];
  return [
    { as: "program", member, argv, ...elsewhereOf(level.members) },
    ...clientShapes(level, member, argv),
  ];
}

function shellShape({ tool, members }: Level, member: string, command: string): ToolShape {
  const named = typeof members["shell"] === "string" ? nameWords(members["shell"]) : [];
  const words = [...named, ...tool.tool, ...tool.server];
  const dialect =
    hasWord(words, "powershell pwsh ps1") && !hasWord(named, "cmd bash gitbash sh zsh")
      ? "powershell"
      : hasWord(named, "cmd")
        ? "cmd"
        : "posix";
  return { as: "shell", member, command, dialect, ...elsewhereOf(members) };
}

/** `{command: "rm", args: ["-rf", "x"]}` */
function argumentsBeside(members: JsonObject): readonly string[] | undefined {
  for (const name of ["args", "arguments", "argv"]) {
    const value = members[name];
    if (Array.isArray(value)) return value.filter(item => typeof item !== "object").map(String);
  }
  return undefined;
}

/** `{program: "rm", args: ["-rf", "x"]}` */
export function programShapes({ members }: Level, member: string, program: string): readonly ToolShape[] {
  const following = argumentsBeside(members);
  if (following === undefined) return [];
  return [{ as: "program", member, argv: [program.trim(), ...following], ...elsewhereOf(members) }];
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** `{command: "view", path}`: the word says what an editor does, and is no program. */
function isOperation(value: string, { tool, members }: Level): boolean {
  if (!/^[A-Za-z_-]{2,30}$/.test(value) || hasWord(tool.tool, SHELLS)) return false;
  const hasPath = Object.keys(members).some(name => /(path|file|uri)s?$/i.test(name));
  return hasPath && actionOf(nameWords(value)) !== undefined;
}

/** Programs whose words a tool takes without the program: `kubectl {command: "delete ns x"}`. */
const CLIENTS: readonly (readonly [string, string])[] = [
  ["redis", "redis-cli"],
  ["kubectl kubernetes k8s", "kubectl"],
  ["git", "git"],
  ["docker", "docker"],
  ["terraform tofu", "terraform"],
  ["helm", "helm"],
  ["aws", "aws"],
  ["gcloud", "gcloud"],
  ["az", "az"],
  ["gh", "gh"],
];

function clientShapes({ tool }: Level, member: string, argv: readonly string[]): readonly ToolShape[] {
  const words = [...tool.tool, ...tool.server];
  const client = CLIENTS.find(([wanted]) => hasWord(words, wanted))?.[1];
  if (client === undefined || argv[0] === client) return [];
  return [{ as: "program", member, argv: [client, ...argv] }];
}

/** `git {args: ["reset", "--hard"]}` */
export function argumentShapes(level: Level): readonly ToolShape[] {
  const { members, place } = level;
  const given = members["args"] ?? members["arguments"] ?? members["subcommand"];
  const argv =
    typeof given === "string" ? given.split(/\s+/) : isStringList(given ?? null) ? (given as string[]) : [];
  return argv.length === 0 ? [] : clientShapes(level, [...place, "args"].join("."), argv);
}

/** Text that is typed into something that runs already. Control characters are keys there. */
export function typedShapes({ members, place }: Level): readonly ToolShape[] {
  return ["input", "text", "keys", "chars", "data", "content", "stdin", "line", "lines"].flatMap(name => {
    const value = members[name];
    const typed =
      typeof value === "string" ? value : isStringList(value ?? null) ? (value as string[]).join(" ") : "";
    const command = typed.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "\n").trim();
    if (command === "") return [];
    const member = [...place, name].join(".");
    return [{ as: "shell" as const, member, command, dialect: "posix" as const, isInput: true as const }];
  });
}

function elsewhereOf(members: JsonObject): { readonly elsewhere?: ElsewhereCommand } {
  const text = (pattern: RegExp) =>
    Object.entries(members).find(
      ([name, value]) => pattern.test(name) && typeof value === "string" && value !== "",
    )?.[1];
  const container = text(/^(container|container_?(id|name)|pod|pod_?name)$/i);
  if (typeof container === "string") return { elsewhere: { container } };
  const host = text(/^(host|hostname|ssh_?host|remote_?host)$/i);
  return typeof host === "string" && !/^(localhost|127\.|::1)/.test(host) ? { elsewhere: { host } } : {};
}
