import type { Json } from "../../protocol/index.ts";
import { codeShapes } from "./code-shapes.ts";
import { argumentShapes, commandShapes, programShapes, typedShapes } from "./command-shapes.ts";
import type { Level, ToolShape } from "./shapes.ts";
import { isSqlForm } from "./sql-form.ts";
import { EXECUTORS, nameWords, SEARCHES, type ToolWords } from "./tool-words.ts";
import { hasWord, isOneOf } from "./word-list.ts";

const COMMAND = "command commands cmd cmds script scripts argv cmdline commandline bash sh";
/** `shell_command` is run by any tool; `buildCommand` by those that run things, for others it is a setting. */
const COMMAND_KINDS = "shell bash terminal cli system exec run sh powershell the full raw user my";
const CODE = "code source snippet program expression";
const PROGRAM = "program executable binary exe";
const STATEMENT = "sql statement statements query queries";
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
  if (last === "line" && isOneOf("command cmd", words.at(-2) ?? "")) return true;
  if (!isOneOf(COMMAND, last)) return false;
  return (
    words.length === 1 ||
    isOneOf(COMMAND_KINDS, first) ||
    (tool !== undefined && hasWord(tool.tool, EXECUTORS))
  );
}

/** Without the words that only say that it is text: `script_content` is a script. */
function kindWords(name: string): readonly string[] {
  const words = [...nameWords(name)];
  while (words.length > 1 && isOneOf("content contents text string body block", words.at(-1) ?? ""))
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
  if (isOneOf(STATEMENT, last)) return statementShapes(level.tool, last, member, value);
  if (typeof value !== "string" || value.trim() === "") return [];
  if (last === "shell" && /\s/.test(value)) return commandShapes(level, member, name, value);
  const started = isOneOf(PROGRAM, last) ? programShapes(level, member, value) : [];
  return started.length === 0 && isOneOf(CODE, last) ? codeShapes(level, member, value) : started;
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
