import type { OwnUse } from "../programs/index.ts";
import type { Problem } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { type OptionSpecs, type OptionValues, withJsonFlag } from "./option.ts";
import type { Terminal } from "./terminal.ts";

export interface PositionalSpec {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: boolean;
  /** takes all that follow; only the last may */
  readonly isVariadic?: boolean;
  /** the words of some other command: options behind the first belong to it, except our own long ones */
  readonly isCommandLine?: boolean;
  /** what a shell completes here */
  readonly completes?: CompletedStatic | CompletedNow;
}

/** Names that are always the same. */
type CompletedStatic = "event" | "host" | "file" | "directory" | "shell" | "rule" | "setting" | "part";
/** Names of the moment; changes of the history by what the command does with them. */
export const COMPLETED_NOW = ["recipe", "run", "session", "change", "undoable", "redoable"] as const;
export type CompletedNow = (typeof COMPLETED_NOW)[number];

/** What a command's `run` gets. It returns its exit code, or throws a `Problem`. */
export interface Invocation<O extends OptionSpecs = OptionSpecs> {
  readonly options: OptionValues<O>;
  readonly positionals: readonly string[];
  /** everything after `--`; for a pass-through command everything from the first word it does not know */
  readonly rest: readonly string[];
  readonly isQuiet: boolean;
  readonly system: System;
  readonly terminal: Terminal;
}

interface CommandBase {
  readonly name: string;
  readonly summary: string;
  /** shown in the list of commands under this heading; hidden when absent */
  readonly group?: CommandGroup;
  /** further paragraphs of the help page */
  readonly details?: string;
  /** command lines, and what each does */
  readonly examples: Readonly<Record<string, string>>;
  /** exit code of usage errors, where the command has its own meaning for 2 */
  readonly usageExitCode?: number;
  /** works although `AMPLIHACK_HOME` cannot be used */
  readonly ignoresHome?: boolean;
}

/** A failure as the command's own JSON document, where readers of its output expect that form. */
type FailureDocument = (error: Problem, words: readonly string[]) => unknown;

/**
 * What a call means where an agent makes it: see `OwnUse`. Options change it. The guard reads it in a table that
 * `scripts/write-own-commands.mjs` makes of all commands, because it must not load any of them.
 */
export interface ForAgents<Name extends string = string> {
  readonly use: OwnUse;
  /** `dry-run`, or `failure=open` for one value of an option */
  readonly passesWith?: readonly Condition<Name>[];
  readonly asksWith?: readonly Condition<Name>[];
  readonly loosensWith?: readonly Condition<Name>[];
  /** an option with an address: one on another machine, which is told a password and what is looked for, is asked about */
  readonly asksAbroad?: Name;
  /** words that are known only when it runs are its texts: it takes what programs print, and rarely options */
  readonly isGivenTexts?: true;
  /** options that name a file which it writes */
  readonly writes?: readonly Name[];
}

type Condition<Name extends string> = Name | `${Name}=${string}`;

export interface LeafCommand<O extends OptionSpecs = OptionSpecs> extends CommandBase {
  readonly options: O;
  readonly positionals?: readonly PositionalSpec[];
  /** the first unknown word and all after it belong to another program */
  readonly isPassThrough?: boolean;
  /** `--` and what stands behind it, for the usage line, where the command itself reads it */
  readonly wordsBehind?: string;
  /** serves, or hands the terminal to another program: no line tells that it is at work */
  readonly ownsTerminal?: true;
  readonly failureDocument?: FailureDocument;
  readonly forAgents: OwnUse | ForAgents<keyof O & string>;
  run(invocation: Invocation<O>): Promise<number> | number;
}

export interface CommandFamily extends CommandBase {
  readonly subcommands: readonly LeafCommand[];
  /** what the family's name alone, or with options only, means; one of `subcommands` */
  readonly initial?: LeafCommand;
}

export type Command = LeafCommand | CommandFamily;

export const COMMAND_GROUPS = ["Protect", "Work", "Look", "Set up"] as const;
type CommandGroup = (typeof COMMAND_GROUPS)[number];

export function isFamily(command: Command): command is CommandFamily {
  return "subcommands" in command;
}

/** Gives `run` the types of the options declared beside it. */
export function defineCommand<const O extends OptionSpecs>(command: LeafCommand<O>): LeafCommand {
  return { ...command, options: withJsonFlag(command.options) } as unknown as LeafCommand;
}

export function defineFamily(family: CommandFamily): CommandFamily {
  return family;
}
