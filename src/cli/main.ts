import { Problem } from "../state/problem.ts";
import { isStateError } from "../state/state-error.ts";
import { type System, SystemError } from "../system/system.ts";
import { version } from "../version.ts";
import { isFamily, type LeafCommand } from "./command.ts";
import { commandNames, loadCommand } from "./command-files.ts";
import { readCommandTable } from "./command-table.ts";
import {
  CommandError,
  OutputGone,
  renderErrorJson,
  renderErrorText,
  USAGE_EXIT_CODE,
  usageError,
} from "./errors.ts";
import { commandHelp, overviewHelp } from "./help.ts";
import { nearest } from "./nearest.ts";
import { checkComplete, GLOBAL_OPTIONS, parseWords } from "./parse.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

export interface Program {
  readonly system: System;
  /** words after the program's name */
  readonly argv: readonly string[];
  /** every file in it is one command, named after it */
  readonly commandsFolder: string;
}

/** Names people know from elsewhere; they get a clear no instead of a guess. */
const NOT_BUILT = new Set([
  "fleet",
  "remote",
  "signal",
  "docker",
  "auto",
  "auto-mode",
  "index-code",
  "index-scip",
  "query-code",
  "new",
  "goal-agent",
  "pr",
]);
const STATUS_COMMAND = "status";

/** Answer whatever the environment holds. A launch passes over a home that cannot be used, with a warning. */
const READ_NO_HOME = new Set([STATUS_COMMAND, "version", "completions", "bridge"]);

/** Runs one command line to its exit code. Everything that goes wrong is told in the form that was asked for. */
export async function main(program: Program): Promise<number> {
  const { system, argv } = program;
  const { flags, words } = splitGlobalFlags(argv);
  const terminal = openTerminal(system, flags);
  try {
    return await runWords(program, terminal, words, flags);
  } catch (error) {
    const isPassedOn = error instanceof PassedOn;
    const failure = isPassedOn ? error.cause : error;
    if (failure instanceof OutputGone) return 0;
    return reportFailure(failure, !isPassedOn && wantsJson(argv), system, terminal);
  }
}

/** A failure of a command whose words are another program's: that they ask for JSON says nothing about us. */
class PassedOn extends Error {
  override readonly name = "PassedOn";
}

interface GlobalFlags {
  readonly isHelp: boolean;
  readonly isVersion: boolean;
  readonly isQuiet: boolean;
  readonly noColor: boolean;
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

async function runWords(
  program: Program,
  terminal: Terminal,
  words: readonly string[],
  flags: GlobalFlags,
): Promise<number> {
  const names = commandNames(program.commandsFolder);
  const [name, ...more] = words;
  if (flags.isVersion) {
    terminal.print(`amplihack ${version}\n`);
    return 0;
  }
  if (name === undefined || name === "help") {
    if (name === undefined && !flags.isHelp) return runCommand(program, terminal, STATUS_COMMAND, [], flags);
    const [topic, ...rest] = more;
    if (topic !== undefined && !names.includes(topic)) throw unknownCommand(topic, names);
    if (topic !== undefined) return runCommand(program, terminal, topic, [...rest, "--help"], flags);
    const { summaries } = await readCommandTable(program.commandsFolder);
    terminal.print(overviewHelp(summaries, terminal));
    return 0;
  }
  if (!names.includes(name)) throw unknownCommand(name, names);
  return runCommand(program, terminal, name, flags.isHelp ? [...more, "--help"] : more, flags);
}

async function runCommand(
  program: Program,
  terminal: Terminal,
  name: string,
  words: readonly string[],
  flags: GlobalFlags,
): Promise<number> {
  const command = await loadCommand(program.commandsFolder, name);
  const path = `amplihack ${name}`;
  if (!isFamily(command)) return runLeaf(program, terminal, command, words, path, flags);

  const { flags: ownFlags, words: afterFlags } = splitGlobalFlags(words);
  const [subName, ...more] = ownFlags.isHelp ? [...afterFlags, "--help"] : afterFlags;
  if (ownFlags.isVersion) {
    terminal.print(`amplihack ${version}\n`);
    return 0;
  }
  if (subName === "--help") {
    terminal.print(commandHelp(command, path, terminal));
    return 0;
  }
  if (subName === undefined || subName.startsWith("-")) {
    const listed = command.subcommands.map(sub => sub.name).join(", ");
    throw usageError(`${path} needs one of: ${listed}`, `${path} --help`, command.usageExitCode);
  }
  const found = command.subcommands.find(sub => sub.name === subName);
  if (found === undefined) {
    const meant = nearest(
      subName,
      command.subcommands.map(sub => sub.name),
    );
    const hint = meant === undefined ? "" : `; did you mean '${path} ${meant}'?`;
    throw usageError(`unknown command '${path} ${subName}'${hint}`, `${path} --help`, command.usageExitCode);
  }
  const usageExitCode = found.usageExitCode ?? command.usageExitCode;
  const leaf: LeafCommand = usageExitCode === undefined ? found : { ...found, usageExitCode };
  return runLeaf(program, terminal, leaf, more, `${path} ${subName}`, flags);
}

async function runLeaf(
  program: Program,
  terminal: Terminal,
  command: LeafCommand,
  words: readonly string[],
  path: string,
  flags: GlobalFlags,
): Promise<number> {
  try {
    return await runParsed(program, terminal, command, words, path, flags);
  } catch (error) {
    if (command.isPassThrough === true) throw new PassedOn("", { cause: error });
    if (!(error instanceof Problem) || command.failureDocument === undefined || !wantsJson(words))
      throw error;
    terminal.warn(renderErrorText(error));
    terminal.printJson(command.failureDocument(error, words));
    return error.exitCode;
  }
}

async function runParsed(
  program: Program,
  terminal: Terminal,
  command: LeafCommand,
  words: readonly string[],
  path: string,
  flags: GlobalFlags,
): Promise<number> {
  const parsed = parseWords(command, words, path);
  if (parsed.options["help"] === true) {
    terminal.print(commandHelp(command, path, terminal));
    return 0;
  }
  if (parsed.options["version"] === true) {
    terminal.print(`amplihack ${version}\n`);
    return 0;
  }
  checkComplete(command, parsed, path);
  if (command.isPassThrough !== true && !READ_NO_HOME.has(command.name)) await checkHome(program.system);
  return command.run({
    options: parsed.options as never,
    positionals: parsed.positionals,
    rest: parsed.rest,
    isQuiet: flags.isQuiet || parsed.options["quiet"] === true,
    system: program.system,
    terminal,
  });
}

/** A home that cannot be used must not quietly become another one. Loaded only when it is set: few set it. */
async function checkHome(system: System): Promise<void> {
  if (system.env.get("AMPLIHACK_HOME") === undefined) return;
  const { VARIABLES } = await import("../state/variables.ts");
  VARIABLES.AMPLIHACK_HOME.getOrError(system);
}

function unknownCommand(name: string, names: readonly string[]): CommandError {
  if (NOT_BUILT.has(name)) return usageError(`'${name}' is not part of this build`, "amplihack --help");
  if (name.startsWith("-")) {
    const meant = nearest(
      name,
      Object.keys(GLOBAL_OPTIONS).map(option => `--${option}`),
    );
    return usageError(
      `unknown option '${name}'${meant ? `; did you mean ${meant}?` : ""}`,
      "amplihack --help",
    );
  }
  const meant = nearest(name, names);
  const hint = meant === undefined ? "" : `; did you mean '${meant}'?`;
  return usageError(`unknown command '${name}'${hint}`, "amplihack --help");
}

/** Whether the words ask for JSON, judged before they are understood so that usage errors obey it too. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some(
    (word, index) =>
      word === "--json" ||
      word === "--format=json" ||
      word === "-fjson" ||
      word === "-f=json" ||
      ((word === "--format" || word === "-f") && words[index + 1] === "json"),
  );
}

function reportFailure(error: unknown, isJson: boolean, system: System, terminal: Terminal): number {
  const known = error instanceof Problem ? error : unexpected(error);
  const isDebug = (system.env.get("AMPLIHACK_DEBUG") ?? "") !== "";
  if (isDebug && error instanceof Error && error.stack !== undefined) terminal.warn(`${error.stack}\n`);
  if (isJson) system.stdio.writeOutput(renderErrorJson(known));
  else terminal.warn(renderErrorText(known));
  return known.exitCode;
}

/** What a person can do about a file that could not be used. */
const FILE_FIXES: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file: check the path",
  ENOTDIR: "a part of the path is a file: check the path",
  EISDIR: "it is a folder: name a file",
  EACCES: "check who may read and write it: ls -l",
  EPERM: "check who may read and write it: ls -l",
  EROFS: "the disk cannot be written to",
  ENOSPC: "the disk is full: free some space",
};

function unexpected(error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  if (isStateError(error, "environment"))
    return new CommandError(message, {
      kind: "environment",
      fix: `set ${error.subject} as expected, or unset it`,
    });
  const fileFix = error instanceof SystemError ? FILE_FIXES[error.code] : undefined;
  return new CommandError(message, {
    kind: "failed",
    fix: fileFix ?? "set AMPLIHACK_DEBUG=1 to see where this came from",
  });
}

export { USAGE_EXIT_CODE };
