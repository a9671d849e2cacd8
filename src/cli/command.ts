import type { OwnUse } from "../programs/index.ts";
import type { Problem } from "../state/index.ts";
import type { System } from "../system/index.ts";
import type { Terminal } from "./terminal.ts";

interface OptionBase {
  readonly short?: string;
  readonly summary: string;
  readonly isHidden?: boolean;
}

interface OptionWithValue extends OptionBase {
  /** what stands for the value in help: `--cwd DIR` */
  readonly label: string;
}

/** One long option; its key in `options` is its name on the command line, in kebab case. */
export type OptionSpec =
  | (OptionBase & { readonly kind: "boolean" })
  | (OptionWithValue & {
      readonly kind: "string";
      readonly isRepeatable?: false;
      /** missing or empty is a usage error */
      readonly isRequired?: boolean;
      /** the value where none is given; without this, one must be */
      readonly bare?: string;
    })
  | (OptionWithValue & {
      readonly kind: "string";
      readonly isRepeatable: true;
      readonly isRequired?: false;
      /** another option that collects these values too, in the order in which they were typed */
      readonly sameAs?: string;
    })
  | (OptionWithValue & {
      readonly kind: "number";
      readonly minimum?: number;
      readonly maximum?: number;
      /** the value where none is given; without this, one must be */
      readonly bare?: number;
    })
  | (OptionBase & {
      readonly kind: "choice";
      readonly choices: readonly string[];
      /** further spellings that mean one of the choices */
      readonly synonyms?: Readonly<Record<string, string>>;
      readonly initial?: string;
    });
export type OptionSpecs = { readonly [name: string]: OptionSpec };

type OptionValue<S extends OptionSpec> = S extends { kind: "boolean" }
  ? boolean
  : S extends { kind: "number" }
    ? number | undefined
    : S extends { kind: "string"; isRepeatable: true }
      ? readonly string[]
      : S extends { kind: "string"; isRequired: true }
        ? string
        : S extends { kind: "choice"; choices: readonly (infer C)[]; initial: string }
          ? C & string
          : S extends { kind: "choice"; choices: readonly (infer C)[] }
            ? (C & string) | undefined
            : string | undefined;
export type OptionValues<O extends OptionSpecs> = { readonly [K in keyof O]: OptionValue<O[K]> };

type Details<S> = S extends OptionSpec ? Omit<S, "kind" | "summary" | "label" | "choices"> : never;
/** None, or one object; a list, so that its type is inferred from the arguments alone. */
type MaybeDetails<K extends OptionSpec["kind"]> = readonly [Details<Extract<OptionSpec, { kind: K }>>?];
type Made<K, T, D> = { readonly kind: K; readonly summary: string } & T &
  (D extends readonly [infer X] ? X : unknown);
type Label = { readonly label: string };

/** Makers of options that keep the literal types, from which the types of the values follow. */
export const option = {
  boolean: <const D extends MaybeDetails<"boolean">>(summary: string, ...[details]: D) =>
    ({ kind: "boolean", summary, ...details }) as Made<"boolean", unknown, D>,
  string: <const D extends MaybeDetails<"string">>(label: string, summary: string, ...[details]: D) =>
    ({ kind: "string", label, summary, ...details }) as Made<"string", Label, D>,
  number: <const D extends MaybeDetails<"number">>(label: string, summary: string, ...[details]: D) =>
    ({ kind: "number", label, summary, ...details }) as Made<"number", Label, D>,
  choice: <const C extends readonly string[], const D extends MaybeDetails<"choice">>(
    choices: C,
    summary: string,
    ...[details]: D
  ) => ({ kind: "choice", choices, summary, ...details }) as Made<"choice", { readonly choices: C }, D>,
};

/** `--format text|json`, the same everywhere but in recipe commands. */
export const FORMATS = ["text", "json"] as const;
export const FORMAT_OPTION = option.choice(FORMATS, "how to print the result", {
  short: "f",
  initial: "text",
});

/** Adds `--json`, which means `--format json`, to the options of a command that can print JSON. */
function withJsonFlag<O extends OptionSpecs>(options: O): O {
  const { format } = options;
  if (format?.kind !== "choice" || !format.choices.includes("json")) return options;
  const json = option.boolean("the same as --format json", { isHidden: format.isHidden === true });
  const entries = Object.entries(options).flatMap(entry =>
    entry[0] === "format" ? [entry, ["json", json]] : [entry],
  );
  return Object.fromEntries(entries) as O;
}

export interface PositionalSpec {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: boolean;
  /** takes all that follow; only the last may */
  readonly isVariadic?: boolean;
  /** an empty word says something here; elsewhere it is a variable of a script that was not set, and refused */
  readonly mayBeEmpty?: true;
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
export interface CommandInvocation<O extends OptionSpecs = OptionSpecs> {
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
  /** it prints what is in our own state and changes nothing, starts nothing and reaches nobody; not with these options */
  readonly looks?: readonly Condition<Name>[];
  /**
   * the words behind `--`, or what its first argument names: a recipe, a file of code, or another file that says what runs,
   * or a folder of such files
   */
  readonly runs?: "words" | "recipe" | "code" | "file";
  /** the agent that it starts with the words it does not know */
  readonly launches?: string;
  /** its first argument names a change of the history, whose files it shows; the words behind `--` name those it is about */
  readonly shows?: "change";
  /** options whose value is a command line that it runs */
  readonly runsText?: readonly Name[];
  /** options that name a file or folder which says what runs; `local/.claude` for a folder inside the one that is named */
  readonly runsFile?: readonly (Name | `${Name}/${string}`)[];
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
  run(invocation: CommandInvocation<O>): Promise<number> | number;
}

export interface CommandFamily extends CommandBase {
  readonly subcommands: readonly LeafCommand[];
  /** what the family's name alone, or with options only, means; one of `subcommands` */
  readonly initial?: LeafCommand;
}

export type Command = LeafCommand | CommandFamily;

export const COMMAND_GROUPS = ["Protect", "Work", "Look", "Set up"] as const;
type CommandGroup = (typeof COMMAND_GROUPS)[number];

/** Whether a call starts what its words, or files that they name, say. */
export function runsSomething({ forAgents }: Pick<LeafCommand, "forAgents">): boolean {
  if (typeof forAgents === "string") return false;
  const { runs, launches, runsText, runsFile } = forAgents;
  return (runs ?? launches ?? runsText ?? runsFile) !== undefined;
}

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
