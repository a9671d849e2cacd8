import type { JsonObject } from "../../protocol/index.ts";
import type { CodeLanguage, Level, ToolShape } from "./shapes.ts";
import { actionOf, EXECUTORS, nameWords, SEARCHES } from "./tool-words.ts";
import { hasWord } from "./word-list.ts";

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
export function languageOf(
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
export function codeShapes({ tool, members }: Level, member: string, text: string): readonly ToolShape[] {
  const all = [...tool.server, ...tool.tool];
  if (hasWord(tool.tool, SEARCHES)) return [];
  const hasLanguage = members["language"] !== undefined || members["lang"] !== undefined;
  const isRun = hasWord(all, EXECUTORS) || (hasLanguage && actionOf(tool.tool) === undefined);
  // `{source, destination}` are files.
  if (!isRun || ("source" in members && "destination" in members)) return [];
  const language = languageOf(members, all) ?? "unknown";
  if (language === "sql") return [{ as: "sql", member, text }];
  if (language === "shell") return [{ as: "shell", member, command: text, dialect: "posix" }];
  if (hasWord(all, "powershell pwsh")) return [{ as: "shell", member, command: text, dialect: "powershell" }];
  return [{ as: "code", member, language, text }];
}
