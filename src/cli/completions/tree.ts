import { type Command, isFamily, type LeafCommand } from "../command.ts";
import type { OptionSpec, OptionSpecs } from "../option.ts";
import { GLOBAL_OPTIONS } from "../parse.ts";

/** What may stand at a place: one of some words, the name of a recipe, the id of a change, or a file. */
export type Candidates =
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** those of the moment: a shell asks `amplihack` with these words, which prints one on a line */
  | { readonly kind: "asked"; readonly words: readonly string[] }
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
  const words = (list: readonly string[]): Candidates => ({ kind: "words", words: list });
  const changes = (use: string): Candidates => ({
    kind: "asked",
    words: ["history", "list", "--ids-for", use],
  });
  /** By the label of an option's value, or what a positional completes. */
  const byLabel: Readonly<Record<string, Candidates>> = {
    DIR: { kind: "directory" },
    DIRECTORY: { kind: "directory" },
    FILE: { kind: "file" },
    "ID|FILE": { kind: "file" },
    RECIPE: { kind: "recipe" },
    HOST: words(names.hosts),
    EVENT: words(names.events),
    AGENT: words(names.agents),
    SHELL: words(SHELLS),
    CHANGE: changes("show"),
    UNDOABLE: changes("undo"),
    REDOABLE: changes("redo"),
  };
  const lookUp = (label: string): Candidates =>
    (Object.hasOwn(byLabel, label) && byLabel[label]) || words([]);

  function candidatesOf(spec: OptionSpec): Candidates | undefined {
    if (spec.kind === "boolean" || "bare" in spec) return undefined;
    return spec.kind === "choice" ? words(spec.choices) : lookUp(spec.label);
  }

  function node(path: string, subcommands: readonly Command[], leaf?: LeafCommand): CompletedCommand {
    const options: OptionSpecs = { ...GLOBAL_OPTIONS, ...leaf?.options };
    const shown = Object.entries(options).filter(([, spec]) => spec.isHidden !== true);
    const completes = leaf?.positionals?.[0]?.completes;
    return {
      path,
      subcommands: subcommands.map(({ name, summary }) => ({ name, summary })),
      options: shown.map(([name, spec]) => ({
        names: spec.short === undefined ? [`--${name}`] : [`--${name}`, `-${spec.short}`],
        summary: spec.summary,
        value: candidatesOf(spec),
      })),
      operand: completes === undefined ? undefined : lookUp(completes.toUpperCase()),
    };
  }

  function nodesOf(command: Command, path: string): readonly CompletedCommand[] {
    if (!isFamily(command)) return [node(path, [], command)];
    const { subcommands, initial } = command;
    return [
      node(path, subcommands, initial),
      ...subcommands.map(sub => node(`${path}/${sub.name}`, [], sub)),
    ];
  }

  const grouped = commands.filter(command => command.group !== undefined);
  return [
    node(PROGRAM, grouped),
    ...grouped.flatMap(command => nodesOf(command, `${PROGRAM}/${command.name}`)),
  ];
}
