import {
  EVENTS,
  eventKey,
  findEvent,
  type Json,
  ownValue,
  STOCK_HOOKS,
  type StockHook,
  stringAt,
  stringsAt,
} from "../protocol/index.ts";
import { splitWords } from "../system/index.ts";
import { HOST_LIST } from "./descriptors.ts";

/** One name on the command line of the hook program. */
export interface Subcommand {
  /** kebab case, as installed */
  readonly name: string;
  /** snake case: file names, telemetry, metrics */
  readonly hookName: string;
  readonly event: string;
  /** events whose payloads belong here; any other named event reached the wrong hook */
  readonly events: readonly string[];
  /** false for events that are accepted and answered with "no opinion" */
  readonly isStock: boolean;
}

/** The hooks of this program; the one that is an event's own goes before one that runs beside it. */
export const STOCK_SUBCOMMANDS: readonly Subcommand[] = [...STOCK_HOOKS]
  .sort((one: StockHook, other: StockHook) => Number(one.isSecond ?? false) - Number(other.isSecond ?? false))
  .map(({ name, events }) => ({
    name,
    hookName: name.replaceAll("-", "_"),
    event: events[0],
    events,
    isStock: true,
  }));

export const ALIASES: Readonly<Record<string, string>> = {
  agentstop: "stop",
  sessionend: "session-stop",
  sessionstopevent: "session-stop",
  userprompt: "user-prompt-submit",
};

/**
 * The subcommand that a word means: any spelling of a stock hook, of an alias, of a known event, or of a host's own
 * name for one. Undefined for anything else.
 */
export function resolveSubcommand(text: string): Subcommand | undefined {
  const installed = STOCK_SUBCOMMANDS.find(each => each.name === text);
  if (installed !== undefined) return installed;
  const key = eventKey(text);
  if (key === "") return undefined;
  const name = ownValue(ALIASES, key);
  const known = STOCK_SUBCOMMANDS.find(each => each.name === name || eventKey(each.name) === key);
  if (known !== undefined) return known;
  const event = findEvent(text)?.name ?? hostEvent(key);
  return event === undefined ? undefined : ofEvent(event);
}

/** The stock hook of an event, or a name for an event that has none. */
function ofEvent(event: string): Subcommand {
  const own = STOCK_SUBCOMMANDS.find(each => each.event === event);
  if (own !== undefined) return own;
  const name = event.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
  return { name, hookName: name.replaceAll("-", "_"), event, events: [event], isStock: false };
}

/** Two hosts may mean different events by one name; then the one that we register with counts. */
function hostEvent(key: string): string | undefined {
  const found = HOST_LIST.flatMap(({ events, registration }) =>
    Object.entries(events).flatMap(([native, target]) =>
      target !== null && eventKey(native) === key
        ? [{ target, isRegistered: registration !== undefined }]
        : [],
    ),
  );
  return (found.find(({ isRegistered }) => isRegistered) ?? found[0])?.target.split(":")[0];
}

/** Every subcommand by its installed name, for usage texts. */
export function listSubcommands(): readonly Subcommand[] {
  const stockEvents = new Set(STOCK_SUBCOMMANDS.map(each => each.event));
  const others = EVENTS.filter(({ name }) => !stockEvents.has(name)).map(({ name }) => ofEvent(name));
  return [...STOCK_SUBCOMMANDS, ...others];
}

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
