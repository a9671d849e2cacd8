import { type Command, isFamily, type LeafCommand, type PositionalSpec } from "../command.ts";
import type { OptionSpec } from "../option.ts";
import { GLOBAL_OPTIONS } from "../parse.ts";

/** What may stand at a place: one of some words, the name of a recipe, or a file. */
export type Candidates =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "recipe" | "file" | "directory" };

export interface CompletedOption {
  /** as typed, the long form first: `--format`, `-f` */
  readonly names: readonly string[];
  readonly summary: string;
  /** undefined for a flag */
  readonly value: Candidates | undefined;
}

/** One command as a shell completes it. */
export interface CompletedCommand {
  /** `amplihack`, `amplihack/recipe`, `amplihack/recipe/run` */
  readonly path: string;
  readonly subcommands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly CompletedOption[];
  readonly operand: Candidates | undefined;
}

/** Names that only other layers know. */
interface KnownNames {
  readonly hosts: readonly string[];
  readonly events: readonly string[];
  readonly agents: readonly string[];
}

const SHELLS = ["bash", "zsh", "fish", "powershell"];
const PROGRAM = "amplihack";

/** Every command that help shows, in the order of its words. */
export function completionTree(commands: readonly Command[], names: KnownNames): readonly CompletedCommand[] {
  const shown = commands.filter(command => command.group !== undefined);
  const top: CompletedCommand = {
    path: PROGRAM,
    subcommands: shown.map(summarise),
    options: optionsOf(GLOBAL_OPTIONS, names),
    operand: undefined,
  };
  return [top, ...shown.flatMap(command => nodesOf(command, `${PROGRAM}/${command.name}`, names))];
}

function nodesOf(command: Command, path: string, names: KnownNames): readonly CompletedCommand[] {
  if (!isFamily(command)) return [leafNode(command, path, names)];
  const family: CompletedCommand = {
    path,
    subcommands: command.subcommands.map(summarise),
    options: optionsOf(GLOBAL_OPTIONS, names),
    operand: undefined,
  };
  return [family, ...command.subcommands.map(sub => leafNode(sub, `${path}/${sub.name}`, names))];
}

function leafNode(command: LeafCommand, path: string, names: KnownNames): CompletedCommand {
  const [first] = command.positionals ?? [];
  return {
    path,
    subcommands: [],
    options: optionsOf({ ...GLOBAL_OPTIONS, ...command.options }, names),
    operand: first === undefined ? undefined : operandOf(first, names),
  };
}

function summarise({ name, summary }: Command): { name: string; summary: string } {
  return { name, summary };
}

function optionsOf(
  options: Readonly<Record<string, OptionSpec>>,
  names: KnownNames,
): readonly CompletedOption[] {
  return Object.entries(options)
    .filter(([, spec]) => spec.isHidden !== true)
    .map(([name, spec]) => ({
      names: spec.short === undefined ? [`--${name}`] : [`--${name}`, `-${spec.short}`],
      summary: spec.summary,
      value: candidatesOf(spec, names),
    }));
}

function candidatesOf(spec: OptionSpec, names: KnownNames): Candidates | undefined {
  if (spec.kind === "boolean") return undefined;
  if (spec.kind === "choice") return { kind: "words", words: spec.choices };
  const byLabel: Readonly<Record<string, Candidates>> = {
    DIR: { kind: "directory" },
    FILE: { kind: "file" },
    "ID|FILE": { kind: "file" },
    HOST: { kind: "words", words: names.hosts },
    EVENT: { kind: "words", words: names.events },
    AGENT: { kind: "words", words: names.agents },
  };
  return Object.hasOwn(byLabel, spec.label) ? byLabel[spec.label] : { kind: "words", words: [] };
}

function operandOf({ completes }: PositionalSpec, names: KnownNames): Candidates | undefined {
  switch (completes) {
    case undefined:
      return undefined;
    case "host":
      return { kind: "words", words: names.hosts };
    case "event":
      return { kind: "words", words: names.events };
    case "shell":
      return { kind: "words", words: SHELLS };
    default:
      return { kind: completes };
  }
}
