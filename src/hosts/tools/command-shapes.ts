import { type Json, type JsonObject, readJson } from "../../protocol/index.ts";
import { singleQuoted } from "../../system/index.ts";
import type { CodeLanguage, ElsewhereCommand, Level, ToolShape } from "./tool-words.ts";
import {
  EXECUTORS,
  findAction,
  hasWord,
  isListed,
  nameWords,
  SEARCHES,
  type ToolWords,
} from "./tool-words.ts";

const COMMAND = "command commands cmd cmds script scripts argv cmdline commandline bash sh";
/** `shell_command` is run by any tool; `buildCommand` by those that run things, for others it is a setting. */
const COMMAND_KINDS = "shell bash terminal cli system exec run sh powershell the full raw user my";
const CODE = "code source snippet program expression";
const PROGRAM = "program executable binary exe";
const STATEMENT = "sql statement statements stmt stmts query queries";
/** What these run is a page, not this machine. */
const BROWSERS = `
  browser puppeteer playwright chrome chromium firefox safari page devtools selenium webdriver tab dom cdp
`;
const TYPED = "terminal tmux pty tty stdin console iterm interact keys keyboard computer process zsh";

/** The name of a member that holds something to run. */
export function isExecutedName(name: string, tool?: ToolWords): boolean {
  const words = kindWords(name);
  const last = words.at(-1) ?? "";
  const [first = ""] = words;
  if (last === "line" && isListed("command cmd", words.at(-2) ?? "")) return true;
  if (!isListed(COMMAND, last)) return false;
  return (
    words.length === 1 ||
    isListed(COMMAND_KINDS, first) ||
    (tool !== undefined && hasWord(tool.tool, EXECUTORS))
  );
}

/** Without the words that only say that it is text: `script_content` is a script. */
function kindWords(name: string): readonly string[] {
  const words = [...nameWords(name)];
  while (words.length > 1 && isListed("content contents text string body block", words.at(-1) ?? ""))
    words.pop();
  return words;
}

/** What the members of one object hold that runs: commands, code, SQL. */
export function executedShapes(level: Level): readonly ToolShape[] {
  const { tool, members, place } = level;
  const all = [...tool.server, ...tool.tool];
  if (hasWord(all, BROWSERS)) return [];
  const shapes = Object.entries(members).flatMap(([name, value]) =>
    memberShapes(level, name, value, [...place, name].join(".")),
  );
  if (shapes.length > 0) return shapes;
  const typed = hasWord(all, TYPED) || hasWord(tool.tool, EXECUTORS) ? typedShapes(level) : [];
  return typed.length > 0 ? typed : argumentShapes(level);
}

function memberShapes(level: Level, name: string, value: Json, member: string): readonly ToolShape[] {
  if (isExecutedName(name, level.tool)) return commandShapes(level, member, name, value);
  const last = kindWords(name).at(-1) ?? "";
  if (isListed(STATEMENT, last)) return statementShapes(level.tool, last, member, value);
  if (typeof value !== "string" || value.trim() === "") return [];
  if (last === "shell" && /\s/.test(value)) return commandShapes(level, member, name, value);
  const started = isListed(PROGRAM, last) ? programShapes(level, member, value) : [];
  if (started.length > 0) return started;
  return isListed(CODE, last)
    ? codeShapes(level, member, value)
    : unnamedShapes(level.tool, last, member, value);
}

/** Members that hold words for people, or words to look for. */
const PROSE = `
  title name body description text message content comment comments summary prompt question answer instructions
  instruction note notes thought task todo subject label query search pattern regex reason context example new old
  string contents plan goal step markdown html value data input replace replacement explanation details intent
`;
const TAKES_AWAY = /^\s*(?:drop|truncate|delete|alter|grant)\b/i;
const COMMAND_LINE = /^(?:sudo\s+)?[a-z][\w.-]{1,30}(?:\s+[a-z][\w-]*)?\s+-{1,2}[A-Za-z][\w-]*(?:[\s=]|$)/;

/** What a member of any other name holds is told by its form alone: a statement that takes something away, a command. */
function unnamedShapes(tool: ToolWords, last: string, member: string, value: string): readonly ToolShape[] {
  // The tools that hosts have themselves are known.
  if (tool.server.length === 0 || hasWord([...tool.server, ...tool.tool], SEARCHES)) return [];
  if (isListed(PROSE, last)) return [];
  if (TAKES_AWAY.test(value) && isSqlForm(value)) return [{ as: "sql", member, text: value }];
  return (COMMAND_LINE.test(value) ||
    /^[a-z][\w.-]*\s[^\n]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\s*$/.test(value)) &&
    !/[.!?]$/.test(value)
    ? [{ as: "shell", member, command: value, dialect: "posix", isInput: true }]
    : [];
}

/** `sql` is SQL; a `query` is SQL when it has the form of it and is not looked for. */
function statementShapes(tool: ToolWords, name: string, member: string, value: Json): readonly ToolShape[] {
  const texts = (Array.isArray(value) ? (value as readonly Json[]) : [value]).filter(
    one => typeof one === "string",
  );
  const isSearch = hasWord([...tool.server, ...tool.tool], SEARCHES);
  return texts
    .filter(text => (name === "sql" ? text.trim() !== "" : !isSearch && isSqlForm(text)))
    .map(text => ({ as: "sql", member, text }));
}

const SHELLS = "bash shell sh zsh terminal tty pty tmux console cmd commandline powershell pwsh iterm ssh";

/** Of a member that holds a command: text, words or lines. */
function commandShapes(level: Level, member: string, name: string, value: Json): readonly ToolShape[] {
  const { tool, members } = level;
  const all = [...tool.server, ...tool.tool];
  if (typeof value === "string") {
    const listed = /^\s*\[/.test(value) ? readJson(value, { recover: false, maxDepth: 2 }) : undefined;
    if (listed?.ok === true && isStringList(listed.value))
      return listShapes(level, member, name, listed.value);
    if (value.trim() === "" || isOperation(value, level)) return [];
    const language = findLanguage(members, all);
    if (/script$/i.test(name) && language !== undefined && language !== "shell")
      return language === "sql"
        ? [{ as: "sql", member, text: value }]
        : [{ as: "code", member, language, text: value }];
    if (hasWord(all, "sql postgres postgresql mysql sqlite database") && isSqlForm(value))
      return [{ as: "sql", member, text: value }];
    const following = argumentsBeside(members);
    if (following !== undefined && !/\s/.test(value.trim()))
      return [{ as: "program", member, argv: [value.trim(), ...following], ...readElsewhere(members) }];
    const command = following === undefined ? value : [value, ...following.map(singleQuoted)].join(" ");
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
    { as: "program", member, argv, ...readElsewhere(level.members) },
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
  return { as: "shell", member, command, dialect, ...readElsewhere(members) };
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
function programShapes({ members }: Level, member: string, program: string): readonly ToolShape[] {
  const following = argumentsBeside(members);
  if (following === undefined) return [];
  return [{ as: "program", member, argv: [program.trim(), ...following], ...readElsewhere(members) }];
}

/** `{command: "view", path}`: the word says what an editor does, and is no program. */
function isOperation(value: string, { tool, members }: Level): boolean {
  if (!/^[A-Za-z_-]{2,30}$/.test(value) || hasWord(tool.tool, SHELLS)) return false;
  const hasPath = Object.keys(members).some(name => /(path|file|uri)s?$/i.test(name));
  return hasPath && findAction(nameWords(value)) !== undefined;
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
function argumentShapes(level: Level): readonly ToolShape[] {
  const { members, place } = level;
  const given = members["args"] ?? members["arguments"] ?? members["subcommand"];
  const argv =
    typeof given === "string" ? given.split(/\s+/) : isStringList(given ?? null) ? (given as string[]) : [];
  return argv.length === 0 ? [] : clientShapes(level, [...place, "args"].join("."), argv);
}

/** Text that is typed into something that runs already. Control characters are keys there. */
function typedShapes({ members, place }: Level): readonly ToolShape[] {
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

function readElsewhere(members: JsonObject): { readonly elsewhere?: ElsewhereCommand } {
  const text = (pattern: RegExp) =>
    Object.entries(members).find(
      ([name, value]) => pattern.test(name) && typeof value === "string" && value !== "",
    )?.[1];
  const container = text(/^(container|container_?(id|name))$/i);
  if (typeof container === "string") return { elsewhere: { container } };
  // A pod is treated like another machine: its data belongs to others.
  const host = text(/^(host|hostname|server|machine|ssh_?host|remote_?host|pod|pod_?name)$/i);
  return typeof host === "string" && !/^(localhost|127\.|::1)/.test(host) ? { elsewhere: { host } } : {};
}

const LANGUAGES: readonly (readonly [string, CodeLanguage | "shell" | "sql"])[] = [
  ["python python2 python3 py ipython jupyter pandas", "python"],
  ["javascript js typescript ts node nodejs deno bun jsx tsx", "javascript"],
  ["bash sh shell zsh shellscript", "shell"],
  ["sql postgres postgresql mysql sqlite", "sql"],
  ["ruby rb rails", "ruby"],
  ["php", "php"],
  ["perl pl", "perl"],
  ["lua", "lua"],
  ["applescript osascript jxa", "applescript"],
  ["mongo mongodb mongosh", "mongo"],
];

/** By a member that names it, else by the name of the tool. */
function findLanguage(
  members: JsonObject,
  words: readonly string[],
): CodeLanguage | "shell" | "sql" | undefined {
  const given =
    members["language"] ??
    members["lang"] ??
    members["runtime"] ??
    members["interpreter"] ??
    members["kernel"];
  const named = typeof given === "string" ? nameWords(given) : [];
  return (
    LANGUAGES.find(([wanted]) => hasWord(named, wanted))?.[1] ??
    LANGUAGES.find(([wanted]) => hasWord(words, wanted))?.[1]
  );
}

/** Of a member that holds code, where the tool runs it. */
function codeShapes({ tool, members }: Level, member: string, text: string): readonly ToolShape[] {
  const all = [...tool.server, ...tool.tool];
  if (hasWord(tool.tool, SEARCHES)) return [];
  const hasLanguage = members["language"] !== undefined || members["lang"] !== undefined;
  const isRun = hasWord(all, EXECUTORS) || (hasLanguage && findAction(tool.tool) === undefined);
  // `{source, destination}` are files.
  if (!isRun || ("source" in members && "destination" in members)) return [];
  const language = findLanguage(members, all) ?? "unknown";
  if (language === "sql") return [{ as: "sql", member, text }];
  if (language === "shell") return [{ as: "shell", member, command: text, dialect: "posix" }];
  if (hasWord(all, "powershell pwsh")) return [{ as: "shell", member, command: text, dialect: "powershell" }];
  return [{ as: "code", member, language, text }];
}

const NAME = '[\\w."`\\[\\]$-]+';
const THINGS =
  "database|schema|table|index|view|user|role|function|procedure|sequence|trigger|type|extension|keyspace|collection|policy|tablespace|owned";
const OPENINGS = [
  "select\\b[\\s\\S]*(\\bfrom\\b|\\()",
  'with\\s+(recursive\\s+)?[\\w"]+\\s*(\\([^)]*\\)\\s*)?as\\b',
  `(insert\\s+(or\\s+\\w+\\s+|ignore\\s+)?|replace\\s+|merge\\s+)into\\s+${NAME}`,
  `update\\s+(only\\s+)?${NAME}(\\s+(as\\s+)?\\w+)?\\s+set\\s+\\S`,
  `delete\\s+from\\s+(only\\s+)?${NAME}\\s*($|where\\b|using\\b|returning\\b|as\\b|--|/\\*)`,
  `(drop|alter|create)\\s+(or\\s+replace\\s+|unique\\s+|temp\\s+|temporary\\s+|materialized\\s+)*(${THINGS})\\s+\\S`,
  `truncate\\s+(table\\s+|only\\s+)*${NAME}(\\s*,\\s*${NAME})*\\s*($|restart\\b|continue\\b|cascade\\b|restrict\\b)`,
  "(grant|revoke)\\s+[\\s\\S]+\\s(on|to|from)\\s",
  "(explain|call|exec|execute|do|copy)\\s+[\\s\\S]*",
];
const MAX_STATEMENTS = 50;
const MAX_OPENING = 2000;

let opening: RegExp | undefined;

/** One of its statements has the form of SQL, as words that are searched for have not. */
function isSqlForm(text: string): boolean {
  const form = opening ?? new RegExp(`^\\(*\\s*(?:${OPENINGS.join("|")})`, "i");
  opening = form;
  const statements = skipComments(text).split(";").slice(0, MAX_STATEMENTS);
  return statements.some(statement => form.test(skipComments(statement).slice(0, MAX_OPENING)));
}

/** Comments in front of a statement say nothing of it. */
function skipComments(text: string): string {
  let rest = text.trimStart();
  for (let seen = 0; seen < MAX_STATEMENTS; seen += 1) {
    const [mark, length] = rest.startsWith("--") ? ["\n", 1] : rest.startsWith("/*") ? ["*/", 2] : ["", 0];
    const end = length === 0 ? -1 : rest.indexOf(mark);
    if (end < 0) return rest;
    rest = rest.slice(end + length).trimStart();
  }
  return rest;
}
