import { ownValue } from "../../protocol/index.ts";
import {
  describe,
  joinPath,
  type OptionGrammar,
  type ParsedOptions,
  parseOptions,
  text,
  type Value,
  words,
} from "../../shell/index.ts";
import table from "./own-commands.json" with { type: "json" };
import { isElsewhere } from "./sql.ts";

/**
 * What a command of this program means for the protection of a session: it `passes`, a person is asked, it `loosens`
 * the guard, or it changes what the `history` kept.
 */
export type OwnUse = "passes" | "asks" | "loosens" | "history";

/** One command as the guard knows it: `forAgents` of its declaration, and its options as a grammar. */
export interface OwnCommand extends Pick<OptionGrammar, "flags" | "values" | "bare"> {
  readonly use: OwnUse;
  readonly passesWith?: readonly string[];
  readonly asksWith?: readonly string[];
  readonly loosensWith?: readonly string[];
  readonly asksAbroad?: string;
  readonly isGivenTexts?: true;
  readonly writes?: readonly string[];
  readonly looks?: readonly string[];
  readonly runs?: "words" | "recipe" | "code" | "file";
  readonly launches?: string;
  readonly runsText?: readonly string[];
  readonly runsFile?: readonly string[];
  readonly shows?: "change";
  /** the first word it does not know, and all behind it, belong to the agent that it starts */
  readonly isPassThrough?: true;
  /** what the name of a family means without a subcommand */
  readonly isInitial?: true;
}

/** Made of the commands themselves, which lie in a layer above, by `scripts/write-own-commands.mjs`. */
const OWN_COMMANDS = table as Readonly<Record<string, OwnCommand>>;

/** Where a project keeps recipes, and what their files are called. */
export const RECIPE_FOLDERS = [".claude/recipes", "amplifier-bundle/recipes"];
export const RECIPE_EXTENSIONS = [".yaml", ".yml"];
/** Where a project keeps the agents that steps of recipes name. */
export const AGENT_FOLDERS = [".claude/agents", "amplifier-bundle/agents"];

/** The files of a folder of agents that may be `name`, `namespace:name` or `namespace:category:name`, in order. */
export function agentFileNames(segments: readonly string[]): readonly string[] {
  const name = `${segments.at(-1)}.md`;
  if (segments.length === 1) return [name];
  const [namespace = "", category = ""] = segments;
  const places = [
    ...(segments.length === 3 ? [`${namespace}/${category}`, category] : []),
    `${namespace}/core`,
    `${namespace}/specialized`,
    "core",
    "specialized",
  ];
  return [...places.map(place => `${place}/${name}`), name];
}

/** Something that a call of this program runs. */
export type Started =
  | { readonly kind: "words"; readonly words: readonly Value[] }
  | { readonly kind: "text"; readonly text: Value }
  | { readonly kind: "code" | "file"; readonly name: Value }
  /** an agent with these words, some of which may name files */
  | { readonly kind: "agent"; readonly words: readonly Value[]; readonly directory: Value | undefined }
  | ({ readonly kind: "recipe"; readonly name: Value } & RecipePlaces);

/** Where the recipes and the agents that a recipe names may lie, besides the working directory. */
export interface RecipePlaces {
  readonly folders: readonly Value[];
  readonly places: readonly Value[];
}

/** One call of this program, read as the program itself reads it. */
export interface OwnCall {
  /** `guard allow-once`; undefined for a word that is no command */
  readonly command: string | undefined;
  readonly use: OwnUse;
  /** what is handed on to the agent that it starts */
  readonly passedOn: readonly string[];
  /** an agent is started */
  readonly isLaunch: boolean;
  /** it prints what it knows, and changes, starts and reaches nothing */
  readonly onlyLooks: boolean;
  /** another option could have changed the use */
  readonly isOptionDependent: boolean;
  /** the names of files that it writes */
  readonly writes: readonly Value[];
  readonly starts: readonly Started[];
  /** the change of the history whose files it shows; all of them unless some are named */
  readonly shows: { readonly change: Value; readonly paths: readonly Value[] } | undefined;
}

const TELLS_ONLY: OwnCall = {
  command: "",
  use: "passes",
  passedOn: [],
  isLaunch: false,
  onlyLooks: true,
  isOptionDependent: false,
  writes: [],
  starts: [],
  shows: undefined,
};
const HELP_FLAGS = ["-h", "--help", "-V", "--version"];
const GLOBAL_FLAGS = [...HELP_FLAGS, "--quiet", "--no-color"];
const DEFAULT_COMMAND = "status";
const FAMILIES = new Set(
  Object.keys(OWN_COMMANDS).flatMap(name => (name.includes(" ") ? [name.slice(0, name.indexOf(" "))] : [])),
);
/** Made by the first call that needs it: most ask nothing of our own commands. */
let writingOptions: readonly string[] | undefined;

/** `argv` are the words behind the program's name. */
export function readOwnCall(argv: readonly Value[]): OwnCall {
  const { asksForHelp, rest } = skipGlobalFlags(argv);
  const [first = text(DEFAULT_COMMAND), ...more] = rest;
  const name = describe(first);
  if (asksForHelp || name === "help") return TELLS_ONLY;
  if (!FAMILIES.has(name)) return readCall(name, more);
  const inner = skipGlobalFlags(more);
  if (inner.asksForHelp) return TELLS_ONLY;
  const [second, ...words] = inner.rest;
  const subcommand = second === undefined ? "-" : describe(second);
  if (!subcommand.startsWith("-")) return readCall(`${name} ${subcommand}`, words);
  const initial = Object.keys(OWN_COMMANDS).find(
    path => OWN_COMMANDS[path]?.isInitial === true && path.startsWith(`${name} `),
  );
  return initial === undefined ? TELLS_ONLY : readCall(initial, more);
}

/** A word that names a command, so that what stands in front of it may well be this program. */
export function isOwnCommand(word: string | undefined): boolean {
  return word !== undefined && (FAMILIES.has(word) || Object.hasOwn(OWN_COMMANDS, word));
}

/** Whether a word begins as an option does that names a file to write: told before a call is read. */
export function mayWriteFile(word: string): boolean {
  if (!word.startsWith("-")) return false;
  writingOptions ??= listWritingOptions();
  return writingOptions.some(option => word.startsWith(option));
}

function listWritingOptions(): readonly string[] {
  return Object.values(OWN_COMMANDS).flatMap(({ values = "", writes = [] }) =>
    words(values)
      .map(spelling => spelling.split("|"))
      .filter(([name = ""]) => writes.includes(name))
      .flat()
      .map(name => (name.length === 1 ? `-${name}` : `--${name}`)),
  );
}

function skipGlobalFlags(argv: readonly Value[]): {
  readonly asksForHelp: boolean;
  readonly rest: readonly Value[];
} {
  const end = argv.findIndex(word => !GLOBAL_FLAGS.includes(describe(word)));
  const flags = end < 0 ? argv : argv.slice(0, end);
  const asksForHelp = flags.some(flag => HELP_FLAGS.includes(describe(flag)));
  return { asksForHelp, rest: end < 0 ? [] : argv.slice(end) };
}

function readCall(name: string, argv: readonly Value[]): OwnCall {
  const command = ownValue(OWN_COMMANDS, name);
  if (command === undefined) return { ...TELLS_ONLY, command: undefined, use: "asks", onlyLooks: false };
  const read = readOptions(command, argv);
  const { options, passedOn } = read;
  const has = (conditions: readonly string[] = []) => conditions.some(each => isGiven(each, options));
  const takesVersion = words(command.values ?? "").includes("version");
  const tellsOnly = has(takesVersion ? ["help"] : ["help", "version"]);
  const isHarmless = tellsOnly || has(command.passesWith);
  const isAbroad = options.some(
    ({ name, value }) =>
      name === command.asksAbroad && isElsewhere(value === undefined ? "" : describe(value)),
  );
  const use = (): OwnUse => {
    if (isHarmless) return "passes";
    if (has(command.loosensWith)) return "loosens";
    return isAbroad || has(command.asksWith) ? "asks" : command.use;
  };
  return {
    command: name,
    use: use(),
    passedOn: passedOn.map(describe),
    isLaunch: command.isPassThrough === true && !isHarmless,
    onlyLooks: tellsOnly || (command.looks !== undefined && use() === "passes" && !has(command.looks)),
    isOptionDependent: command.asksWith !== undefined && command.isGivenTexts !== true && !isHarmless,
    writes: options.flatMap(({ name, value }) =>
      value !== undefined && describe(value) !== "" && command.writes?.includes(name) === true ? [value] : [],
    ),
    starts: isHarmless ? [] : findStarts(command, read),
    shows:
      isHarmless || command.shows === undefined || read.operands[0] === undefined
        ? undefined
        : { change: read.operands[0], paths: passedOn },
  };
}

interface ReadOptions {
  readonly options: ParsedOptions["options"];
  readonly operands: readonly Value[];
  readonly passedOn: readonly Value[];
}

function findStarts(
  { runs, launches, runsText = [], runsFile = [] }: OwnCommand,
  { options, operands, passedOn }: ReadOptions,
): readonly Started[] {
  const listValues = (...names: readonly string[]) =>
    options.flatMap(({ name, value }) => (value !== undefined && names.includes(name) ? [value] : []));
  const texts = [
    ...listValues(...runsText).map((text): Started => ({ kind: "text", text })),
    ...runsFile.flatMap(one => {
      const [option = "", ...inside] = one.split("/");
      return listValues(option).map((value): Started => {
        const name = inside.length === 0 ? value : joinPath(value, text(inside.join("/")));
        return { kind: "file", name };
      });
    }),
  ];
  if (launches !== undefined)
    return [
      ...texts,
      { kind: "agent", words: [text(launches), ...passedOn], directory: listValues("cwd").at(-1) },
    ];
  // What is missing among the words may stand behind `--`.
  const name = operands[0] ?? passedOn[0];
  if (runs === undefined || (runs !== "words" && name === undefined)) return texts;
  if (runs === "words") return passedOn.length === 0 ? texts : [...texts, { kind: "words", words: passedOn }];
  if (runs !== "recipe") return [...texts, { kind: runs, name: name as Value }];
  const places = listValues("working-dir", "cd");
  const folders = places.flatMap(place => RECIPE_FOLDERS.map(folder => joinPath(place, text(folder))));
  return [
    ...texts,
    { kind: runs, name: name as Value, folders: [...listValues("recipe-dir"), ...folders], places },
  ];
}

type Options = ParsedOptions["options"];

/** `dry-run`, or `off=guard` for a value that names it among others. */
function isGiven(condition: string, options: Options): boolean {
  const [wanted = "", wantedValue] = condition.split("=");
  return options.some(
    ({ name, value }) =>
      name === wanted &&
      (wantedValue === undefined ||
        (value !== undefined &&
          describe(value)
            .split(",")
            .some(one => one.trim() === wantedValue))),
  );
}

/** The options up to `--`, or up to the first word that belongs to an agent. */
function readOptions(
  { flags = "help|h version|V", values = "", bare = "", isPassThrough }: OwnCommand,
  argv: readonly Value[],
): ReadOptions {
  const grammar = {
    flags,
    values,
    bare,
    abbreviates: false,
    shortEquals: true,
    stopsAtOperand: isPassThrough === true,
  };
  const { options, operands, endOfOptions } = parseOptions(argv, grammar, 0);
  if (isPassThrough !== true)
    return {
      options,
      operands: operands
        .filter(({ index }) => index < (endOfOptions ?? argv.length))
        .map(({ value }) => value),
      passedOn: endOfOptions === undefined ? [] : argv.slice(endOfOptions + 1),
    };
  const flagNames = words(flags).map(spelling => spelling.split("|")[0]);
  const foreign = options.find(
    ({ name, value, isInGrammar }) => !isInGrammar || (value !== undefined && flagNames.includes(name)),
  )?.index;
  if (foreign !== undefined)
    return {
      options: options.filter(({ index }) => index < foreign),
      operands: [],
      passedOn: argv.slice(foreign),
    };
  return { options, operands: [], passedOn: operands.map(({ value }) => value) };
}
