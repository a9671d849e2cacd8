import type { Problem } from "../state/problem.ts";
import type { System } from "../system/system.ts";
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
    })
  | (OptionWithValue & {
      readonly kind: "string";
      readonly isRepeatable: true;
      readonly isRequired?: false;
      /** another option that collects these values too, in the order in which they were typed */
      readonly sameAs?: string;
    })
  | (OptionWithValue & { readonly kind: "number"; readonly minimum?: number; readonly maximum?: number })
  | (OptionBase & {
      readonly kind: "choice";
      readonly choices: readonly string[];
      /** further spellings that mean one of the choices */
      readonly synonyms?: Readonly<Record<string, string>>;
      readonly initial?: string;
    });
export type OptionSpecs = { readonly [name: string]: OptionSpec };

export type OptionValue<S extends OptionSpec> = S extends { kind: "boolean" }
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

export interface PositionalSpec {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: boolean;
  /** takes all that follow; only the last may */
  readonly isVariadic?: boolean;
  /** the words of some other command: options behind the first belong to it, except our own long ones */
  readonly isCommandLine?: boolean;
  /** what a shell completes here */
  readonly completes?: "recipe" | "event" | "host" | "file" | "directory" | "shell";
}

export interface Example {
  readonly command: string;
  readonly does: string;
}

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
  readonly examples: readonly Example[];
  /** exit code of usage errors, where the command has its own meaning for 2 */
  readonly usageExitCode?: number;
  /** works although `AMPLIHACK_HOME` cannot be used */
  readonly ignoresHome?: boolean;
}

/** A failure as the command's own JSON document, where readers of its output expect that form. */
export type FailureDocument = (error: Problem, words: readonly string[]) => unknown;

export interface LeafCommand<O extends OptionSpecs = OptionSpecs> extends CommandBase {
  readonly options: O;
  readonly positionals?: readonly PositionalSpec[];
  /** the first unknown word and all after it belong to another program */
  readonly isPassThrough?: boolean;
  /** what stands after `--`, for the usage line, where the command itself reads it */
  readonly wordsBehind?: string;
  readonly failureDocument?: FailureDocument;
  run(invocation: Invocation<O>): Promise<number> | number;
}

export interface CommandFamily extends CommandBase {
  readonly subcommands: readonly LeafCommand[];
}

export type Command = LeafCommand | CommandFamily;

export const COMMAND_GROUPS = ["Protect", "Work", "Look", "Set up"] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

export function isFamily(command: Command): command is CommandFamily {
  return "subcommands" in command;
}

/** Gives `run` the types of the options declared beside it. */
export function defineCommand<const O extends OptionSpecs>(command: LeafCommand<O>): LeafCommand {
  return command as unknown as LeafCommand;
}

export function defineFamily(family: CommandFamily): CommandFamily {
  return family;
}

/** `--format text|json`, the same everywhere but in recipe commands. */
export const FORMAT_OPTION = {
  kind: "choice",
  short: "f",
  summary: "how to print the result",
  choices: ["text", "json"],
  initial: "text",
} as const satisfies OptionSpec;
