import { errorText } from "../protocol/index.ts";
import { isStateError, Problem, VARIABLES } from "../state/index.ts";
import { type System, SystemError } from "../system/index.ts";
import { didYouMean, nearest } from "../text/index.ts";
import { version } from "../version.ts";
import {
  type Command,
  type CommandInvocation,
  isFamily,
  type LeafCommand,
  runsSomething,
} from "./command.ts";
import { commandNames, loadCommand, readCommandTable } from "./command-table.ts";
import {
  CommandError,
  fileFix,
  OutputGone,
  OutputLost,
  renderErrorJson,
  renderErrorText,
  usageError,
} from "./errors.ts";
import { commandHelp, overviewHelp } from "./help.ts";
import { checkComplete, GLOBAL_OPTIONS, parseWords } from "./parse.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

export interface Program {
  readonly system: System;
  /** words after the program's name */
  readonly argv: readonly string[];
  /** every file in it is one command, named after it */
  readonly commandsFolder: string;
  /** the one that is loaded already */
  readonly bundled?: Command;
}

/** Names that other tools have and this one lacks: a clear no, and the way to go where there is one. */
const NOT_BUILT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "fleet remote signal docker auto auto-mode index-code index-scip query-code new goal-agent pr"
      .split(" ")
      .map(name => [name, ""]),
  ),
  eval: "there is no command that evaluates models; write the evaluation as a recipe and run it with `amplihack recipe run`",
  proxy:
    "requests to a model do not go through this program; to send them elsewhere, set the agent's own variable " +
    "(ANTHROPIC_BASE_URL, OPENAI_BASE_URL), which `amplihack claude` and the other launchers pass on",
};
/** What `amplihack` alone means. */
const DEFAULT_COMMAND = "status";

interface RunContext extends Program {
  readonly terminal: Terminal;
  readonly flags: GlobalFlags;
}

interface GlobalFlags {
  readonly isHelp: boolean;
  readonly isVersion: boolean;
  readonly isQuiet: boolean;
  readonly noColor: boolean;
}

/** Runs one command line to its exit code. Everything that goes wrong is told in the form that was asked for. */
export async function main(program: Program): Promise<number> {
  const { flags, words } = splitGlobalFlags(program.argv);
  const isJson = wantsJson(program.argv);
  const context = { ...program, terminal: openTerminal(program.system, { ...flags, isJson }), flags };
  try {
    return await runWords(context, words);
  } catch (error) {
    return reportFailure(context, error, isJson);
  }
}

/** Global flags may stand before the command; those after it are read with the command's own. */
function splitGlobalFlags(argv: readonly string[]): {
  readonly flags: GlobalFlags;
  readonly words: readonly string[];
} {
  const given = new Set<string>();
  let index = 0;
  for (; index < argv.length; index++) {
    const word = argv[index] as string;
    const found = Object.entries(GLOBAL_OPTIONS).find(
      ([name, spec]) => word === `--${name}` || ("short" in spec && word === `-${spec.short}`),
    );
    if (found === undefined) break;
    given.add(found[0]);
  }
  const flags = {
    isHelp: given.has("help"),
    isVersion: given.has("version"),
    isQuiet: given.has("quiet") || argv.includes("--quiet"),
    noColor: given.has("no-color") || argv.includes("--no-color"),
  };
  return { flags, words: argv.slice(index) };
}

async function runWords(context: RunContext, words: readonly string[]): Promise<number> {
  const { commandsFolder, terminal, flags } = context;
  const names = commandNames(commandsFolder);
  if (flags.isVersion) return printVersion(terminal);
  const isHelpCommand = words[0] === "help";
  const [name, ...more] = isHelpCommand ? words.slice(1) : words;
  const isHelp = flags.isHelp || isHelpCommand;
  if (name !== undefined) {
    if (!names.includes(name)) throw unknownCommand(name, names);
    return runCommand(context, name, isHelp ? [...more, "--help"] : more);
  }
  if (!isHelp) return runCommand(context, DEFAULT_COMMAND, []);
  const { summaries } = await readCommandTable(commandsFolder);
  terminal.print(overviewHelp(summaries, terminal));
  return 0;
}

async function runCommand(context: RunContext, name: string, words: readonly string[]): Promise<number> {
  const { bundled, commandsFolder, terminal } = context;
  const command = bundled?.name === name ? bundled : await loadCommand(commandsFolder, name);
  const path = `amplihack ${name}`;
  if (!isFamily(command)) return runLeaf(context, command, words, path);

  const { subcommands, usageExitCode } = command;
  const names = subcommands.map(sub => sub.name);
  const fail = (message: string): CommandError => usageError(message, `${path} --help`, usageExitCode);
  const { flags, words: afterFlags } = splitGlobalFlags(words);
  const [subName, ...more] = flags.isHelp ? [...afterFlags, "--help"] : afterFlags;
  if (flags.isVersion) return printVersion(terminal);
  if (subName === "--help") return printHelp(terminal, command, path);
  if (subName === undefined || subName.startsWith("-")) {
    if (command.initial !== undefined) return runLeaf(context, command.initial, words, path);
    throw fail(`${path} needs one of: ${names.join(", ")}`);
  }
  const found = subcommands.find(sub => sub.name === subName);
  if (found === undefined) {
    const meant = alikeName(subName, names) ?? nearest(subName, names);
    if (meant === undefined) throw fail(`unknown command '${path} ${subName}'; it has ${names.join(", ")}`);
    const hint = `unknown command '${path} ${subName}'; did you mean '${path} ${meant}'?`;
    throw usageError(hint, `${path} ${meant}`, usageExitCode);
  }
  const leaf: LeafCommand = usageExitCode === undefined ? found : { usageExitCode, ...found };
  return runLeaf(context, leaf, more, `${path} ${subName}`);
}

async function runLeaf(
  context: RunContext,
  command: LeafCommand,
  words: readonly string[],
  path: string,
): Promise<number> {
  const { system, terminal, flags } = context;
  try {
    const parsed = parseWords(command, words, path);
    const { options } = parsed;
    if (options["help"] === true) return printHelp(terminal, command, path);
    if (options["version"] === true) return printVersion(terminal);
    checkComplete(command, parsed, path);
    // A launch passes over a home that cannot be used, with a warning.
    if (command.isPassThrough !== true && command.ignoresHome !== true) await checkHome(system);
    const isQuiet = flags.isQuiet || options["quiet"] === true;
    if (runsSomething(command)) {
      const { requireAgreed } = await import("./agreed.ts");
      await requireAgreed(system, [...path.split(" "), ...words]);
    }
    return await runTelling(
      context,
      command,
      { ...parsed, options: options as never, isQuiet, system, terminal },
      path,
    );
  } catch (thrown) {
    const error = withUsageHint(command, path, thrown);
    // The words of a pass-through command are the agent's: that they ask for JSON says nothing about us.
    if (command.isPassThrough === true) return reportFailure(context, error, false);
    if (!(error instanceof Problem) || command.failureDocument === undefined || !wantsJson(words))
      throw error;
    terminal.warn(renderErrorText(error, terminal));
    terminal.printJson(command.failureDocument(error, words));
    return error.exitCode;
  }
}

/** Progress output is loaded only when a terminal shows it. */
async function runTelling(
  { system, terminal }: RunContext,
  command: LeafCommand,
  invocation: CommandInvocation,
  path: string,
): Promise<number> {
  const isQuick = command.isPassThrough === true || command.ownsTerminal === true || !terminal.showsProgress;
  if (isQuick) return command.run(invocation);
  const { tellWhileSilent } = await import("./progress.ts");
  const telling = tellWhileSilent(system, terminal, `${path} …`);
  try {
    return await command.run({ ...invocation, terminal: telling.terminal });
  } finally {
    telling.stop();
  }
}

/** A usage error, wherever it was found, ends with the command's own code and says where the usage is told. */
function withUsageHint({ usageExitCode }: LeafCommand, path: string, error: unknown): unknown {
  if (!(error instanceof CommandError) || error.kind !== "usage") return error;
  return usageError(error.message, error.fix ?? `${path} --help`, usageExitCode, error.causes);
}

function printHelp(terminal: Terminal, command: Command, path: string): number {
  terminal.print(commandHelp(command, path, terminal));
  return 0;
}

function printVersion(terminal: Terminal): number {
  terminal.print(`amplihack ${version}\n`);
  return 0;
}

/** Words that other programs have for the same. */
const ALIKE: readonly (readonly string[])[] = [
  ["add", "store", "create", "new", "save", "put", "set"],
  ["remove", "delete", "rm", "clear", "forget", "clean"],
  ["show", "get", "view", "cat", "print", "diff"],
  ["list", "ls", "tree", "all"],
  ["find", "search", "recall", "query"],
];

function alikeName(word: string, names: readonly string[]): string | undefined {
  const group = ALIKE.find(words => words.includes(word));
  return group?.find(each => names.includes(each));
}

/** A home that cannot be used must not quietly become another one. */
async function checkHome(system: System): Promise<void> {
  if (system.env.get("AMPLIHACK_HOME") === undefined) return;
  VARIABLES.AMPLIHACK_HOME.getOrError(system);
}

function unknownCommand(name: string, names: readonly string[]): CommandError {
  const fail = (message: string): CommandError => usageError(message, "amplihack --help");
  if (Object.hasOwn(NOT_BUILT, name)) {
    const reason = NOT_BUILT[name] ?? "";
    return fail(`'${name}' is not part of this build${reason === "" ? "" : `: ${reason}`}`);
  }
  if (name.startsWith("-")) {
    const options = Object.keys(GLOBAL_OPTIONS).map(option => `--${option}`);
    // Many programs show their version with -v.
    if (name === "-v") return fail("unknown option '-v'; did you mean -V?");
    return fail(`unknown option '${name}'${didYouMean(name, options)}`);
  }
  const meant = nearest(name, names);
  return meant === undefined
    ? fail(`unknown command '${name}'`)
    : usageError(`unknown command '${name}'; did you mean '${meant}'?`, `amplihack ${meant}`);
}

/** Whether the words ask for JSON, judged before they are understood so that usage errors obey it too. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some(
    (word, index) =>
      ["--json", "--format=json", "-fjson", "-f=json"].includes(word) ||
      ((word === "--format" || word === "-f") && words[index + 1] === "json"),
  );
}

function reportFailure({ system, terminal }: RunContext, error: unknown, isJson: boolean): number {
  if (error instanceof OutputGone) return 0;
  const known = error instanceof Problem ? error : unexpected(error);
  const isDebug = (system.env.get("AMPLIHACK_DEBUG") ?? "") !== "";
  if (isDebug && error instanceof Error && error.stack !== undefined) terminal.warn(`${error.stack}\n`);
  // What standard output does not take is told on the other one.
  if (!isJson || system.stdio.writeOutput(renderErrorJson(known)) !== "written")
    terminal.warn(renderErrorText(known, terminal));
  return known.exitCode;
}

function unexpected(error: unknown): Problem {
  const message = errorText(error);
  if (isStateError(error, "environment"))
    return new CommandError(message, {
      kind: "environment",
      fix: `set ${error.subject} as expected, or unset it`,
    });
  const knownFix = error instanceof SystemError ? fileFix(error.code) : undefined;
  if (error instanceof OutputLost)
    return new CommandError(message, { kind: "failed", fix: "send it elsewhere, or free some space" });
  return new CommandError(message, {
    kind: "failed",
    fix: knownFix ?? "set AMPLIHACK_DEBUG=1 to see where this came from",
  });
}
