import { type Json, stringAt, stringsAt } from "../protocol/index.ts";
import { splitWords } from "../system/index.ts";
import { STOCK_SUBCOMMANDS } from "./subcommands.ts";

/** Files of earlier versions, below `tools/amplihack/hooks/`. */
const LEGACY_FILES: ReadonlyMap<string, string> = new Map(
  STOCK_SUBCOMMANDS.map(({ name, hookName }) => [`${hookName}.py`, name]),
);
const LEGACY_FOLDER = "tools/amplihack/hooks/";
const PROGRAM = /(?:^|\/)amplihack-hooks$/;
/** Members of a handler that hold a command line. */
const COMMAND_MEMBERS = ["command", "bash", "powershell"];

export interface OwnedCommand {
  /** `legacy` commands are replaced at the next install */
  readonly kind: "program" | "legacy";
  /** as written, for a program; undefined when the command line has none */
  readonly subcommand: string | undefined;
  /** path of the program or script, quotes removed */
  readonly program: string;
  /** the words after the program, those of a list of arguments included */
  readonly words: readonly string[];
  /** the command line as written, with those arguments */
  readonly line: string;
}

/**
 * Whether a handler is ours: its program is called `amplihack-hooks`, or it names a script of an earlier version in
 * its own folder. The word `amplihack` somewhere in a path is no ownership, and neither is `tools/xpia`.
 */
export function ownedHandler(handler: Json): OwnedCommand | undefined {
  const args = stringsAt(handler, "args");
  if (stringAt(handler, "command") === "/bin/sh" && args[0] === "-c") return ownedCommand(args[1] ?? "");
  for (const member of COMMAND_MEMBERS) {
    const owned = ownedCommand(stringAt(handler, member) ?? "");
    if (owned === undefined) continue;
    return {
      ...owned,
      subcommand: owned.subcommand ?? args[0],
      words: [...owned.words, ...args],
      line: [owned.line, ...args].join(" "),
    };
  }
  return undefined;
}

function splitAt(words: readonly string[], mark: string): readonly (readonly string[])[] {
  const end = words.indexOf(mark);
  return end < 0 ? [words] : [words.slice(0, end), words.slice(end + 1)];
}

export function ownedCommand(line: string): OwnedCommand | undefined {
  // A line for every clone of a project goes on after the call, for machines without the program.
  const [words = []] = splitAt(splitWords(line), ";");
  const start = words.findIndex(word => !/^[A-Za-z_]\w*=/.test(word));
  const program = words[start];
  if (program === undefined) return undefined;
  const rest = words.slice(start + 1);
  if (PROGRAM.test(program)) return { kind: "program", subcommand: rest[0], program, words: rest, line };
  for (const word of words.slice(start)) {
    const at = word.lastIndexOf(LEGACY_FOLDER);
    const subcommand = at < 0 ? undefined : LEGACY_FILES.get(word.slice(at + LEGACY_FOLDER.length));
    const isWholeFolder = at === 0 || word[at - 1] === "/";
    if (subcommand !== undefined && isWholeFolder)
      return { kind: "legacy", subcommand, program: word, words: [], line };
  }
  return undefined;
}
