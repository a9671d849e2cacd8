import { isJsonObject, type Json } from "../../protocol/index.ts";
import { readShapes } from "./shapes.ts";
import { hasWord, isOneOf, toolWords } from "./tool-words.ts";

/** A tool called by nothing but these words runs what it is given on a machine. */
const SHELL_WORDS = `
  run runs exec execute shell bash sh zsh terminal console command commands cmd commandline powershell pwsh tty pty
  process spawn subprocess system ssh
`;
/** Words that may stand beside them without making it something else. */
const FILLERS = "a an the in on my user local remote tool new any line do call invoke and async start";

/** The members of a call whose tool looks like a shell by its name, and of which none can be read as something to run. */
export function unreadShell(toolName: string, canonicalName: string, input: Json): readonly string[] {
  if (!isJsonObject(input) || typeof input["command"] === "string" || !looksLikeShell(toolName)) return [];
  if (readShapes(canonicalName, input).shapes.some(({ as }) => as !== "file")) return [];
  return Object.entries(input).flatMap(([name, value]) => (holdsText(value) ? [name] : []));
}

function looksLikeShell(toolName: string): boolean {
  const { tool } = toolWords(toolName);
  const isPlain = (word: string) => isOneOf(SHELL_WORDS, word) || isOneOf(FILLERS, word);
  return hasWord(tool, SHELL_WORDS) && tool.every(isPlain);
}

function holdsText(value: Json): boolean {
  if (typeof value === "string") return value.trim() !== "";
  if (Array.isArray(value)) return value.some(holdsText);
  return isJsonObject(value) && Object.values(value).some(holdsText);
}
