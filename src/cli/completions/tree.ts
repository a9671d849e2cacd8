import { COMPLETED_NOW, type Command, type CompletedNow, isFamily, type LeafCommand } from "../command.ts";
import type { OptionSpec, OptionSpecs } from "../option.ts";
import { GLOBAL_OPTIONS } from "../parse.ts";

/** What may stand at a place: one of some words, a name of the moment, or a file. */
export type Candidates =
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** a shell asks `amplihack complete` for them, which prints one on a line */
  | { readonly kind: "asked"; readonly what: CompletedNow }
  | { readonly kind: "file" | "directory" };

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
  readonly rules: readonly string[];
  readonly settings: readonly string[];
  readonly parts: readonly string[];
}

const SHELLS = ["bash", "zsh", "fish", "powershell"];
const PROGRAM = "amplihack";

/** Every command that help shows, in the order of its words. */
export function completionTree(commands: readonly Command[], names: KnownNames): readonly CompletedCommand[] {
  const words = (list: readonly string[]): Candidates => ({ kind: "words", words: list });
  const asked = (what: CompletedNow): Candidates => ({ kind: "asked", what });
  /** By the label of an option's value, or what a positional completes. */
  const byLabel: Readonly<Record<string, Candidates>> = {
    DIR: { kind: "directory" },
    DIRECTORY: { kind: "directory" },
    FILE: { kind: "file" },
    "FILE|DIR": { kind: "file" },
    "ID|last|FILE": asked("run"),
    HOST: words(names.hosts),
    EVENT: words(names.events),
    AGENT: words(names.agents),
    SHELL: words(SHELLS),
    RULE: words(names.rules),
    SETTING: words(names.settings),
    PART: words(names.parts),
    ...Object.fromEntries(COMPLETED_NOW.map(what => [what.toUpperCase(), asked(what)])),
  };
  const lookUp = (label: string): Candidates =>
    (Object.hasOwn(byLabel, label) && byLabel[label]) || words([]);

  function candidatesOf(spec: OptionSpec): Candidates | undefined {
    if (spec.kind === "boolean") return undefined;
    if (spec.kind === "choice") return words(spec.choices);
    // A value that may be left out is offered where there is one to offer.
    return "bare" in spec && !Object.hasOwn(byLabel, spec.label) ? undefined : lookUp(spec.label);
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
