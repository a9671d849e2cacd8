import { isJsonObject, type Json, type JsonObject, ownValue } from "../protocol/index.ts";
import { STOCK_SUBCOMMANDS } from "./subcommands.ts";

/** Files of earlier versions, below `tools/amplihack/hooks/`. */
const LEGACY_FILES: ReadonlyMap<string, string> = new Map(
  STOCK_SUBCOMMANDS.map(({ name, hookName }) => [`${hookName}.py`, name]),
);
const LEGACY_FOLDER = "tools/amplihack/hooks/";
const PROGRAM = "amplihack-hooks";
const COMMAND_MEMBERS = ["command", "bash", "powershell"];

export interface OwnedCommand {
  /** `legacy` commands are replaced at the next install */
  readonly kind: "program" | "legacy";
  /** as written, for a program; undefined when the command line has none */
  readonly subcommand: string | undefined;
  /** path of the program or script, quotes removed */
  readonly program: string;
}

/**
 * Whether a handler is ours: its program is called `amplihack-hooks`, or it names a script of an earlier version in
 * its own folder. The word `amplihack` somewhere in a path is no ownership, and neither is `tools/xpia`.
 */
export function ownedHandler(handler: Json): OwnedCommand | undefined {
  if (!isJsonObject(handler)) return undefined;
  for (const member of COMMAND_MEMBERS) {
    const command = ownValue(handler, member);
    const owned = typeof command === "string" ? ownedCommand(command) : undefined;
    if (owned !== undefined) return withArguments(owned, handler);
  }
  return undefined;
}

function withArguments(owned: OwnedCommand, handler: JsonObject): OwnedCommand {
  if (owned.subcommand !== undefined) return owned;
  const words = ownValue(handler, "args");
  const first: unknown = Array.isArray(words) ? words[0] : undefined;
  return typeof first === "string" ? { ...owned, subcommand: first } : owned;
}

export function ownedCommand(command: string): OwnedCommand | undefined {
  const words = splitWords(command);
  const start = words.findIndex(word => !/^[A-Za-z_]\w*=/.test(word));
  const program = words[start];
  if (program === undefined) return undefined;
  if (baseName(program) === PROGRAM) return { kind: "program", subcommand: words[start + 1], program };
  for (const word of words.slice(start)) {
    const at = word.lastIndexOf(LEGACY_FOLDER);
    const subcommand = at < 0 ? undefined : LEGACY_FILES.get(word.slice(at + LEGACY_FOLDER.length));
    const isWholeFolder = at === 0 || word[at - 1] === "/";
    if (subcommand !== undefined && isWholeFolder) return { kind: "legacy", subcommand, program: word };
  }
  return undefined;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The words of a plain command line, quotes removed. Nothing is expanded: only names are compared. */
export function splitWords(command: string): readonly string[] {
  const pattern = /(?:[^\s"'\\]|\\.|"(?:\\.|[^"\\])*"|'[^']*')+/gs;
  return (command.match(pattern) ?? []).map(word =>
    word.replace(/\\(.)|"((?:\\.|[^"\\])*)"|'([^']*)'/gs, (_, escaped, double, single) => {
      if (escaped !== undefined) return String(escaped);
      return double === undefined ? String(single) : String(double).replace(/\\([$`"\\])/g, "$1");
    }),
  );
}

/** A word that every POSIX shell reads back as it is. */
export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_/.:=@%+,-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
