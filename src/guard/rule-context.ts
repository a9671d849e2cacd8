import type { RuleId } from "../config/index.ts";
import {
  describe,
  type Invocation,
  type Place,
  type ProgramEffect,
  type ShellFacts,
  type Span,
  type Value,
  wordAt,
} from "../shell/index.ts";
import { resolveTargets, type Target, type Workspace } from "../workspace/index.ts";
import type { Details } from "./finding.ts";
import type { GitRun } from "./git/run.ts";
import type { RuleTable } from "./rule.ts";

/** Who does it and where: gives relative paths their directory and findings their command. */
export interface Actor {
  readonly cwd: Value;
  readonly place: Place;
  readonly program: string;
  readonly invocation: Invocation | undefined;
  readonly span: Span;
  /** a file tool of the agent itself, not a program it starts */
  readonly isTool?: boolean;
}

/** What a command does, whatever the program is called. Rules look at these and never at program names. */
export type CommandEffect = { readonly by: Actor } & (
  | Exclude<ProgramEffect, { readonly kind: "git" }>
  | { readonly kind: "git"; readonly run: GitRun }
);

export type EffectOf<Kind extends CommandEffect["kind"]> = Extract<CommandEffect, { readonly kind: Kind }>;

/** Who an invocation is, for a finding about it. */
export function toActor(invocation: Invocation): Actor {
  const { cwd, place, span, argv, program = describe(wordAt(argv, 0)) } = invocation;
  return { cwd, place, span, program, invocation };
}

export function actorAt({ facts }: RuleContext, id: number | undefined): Actor | undefined {
  const invocation = id === undefined ? undefined : facts.invocations[id];
  return invocation === undefined ? undefined : toActor(invocation);
}

/** All invocations that led to this one, nearest first. */
export function listStarters(invocation: Invocation, { invocations }: ShellFacts): readonly Invocation[] {
  const starters: Invocation[] = [];
  for (let next = invocation.parent; next !== undefined && starters.length < 16; ) {
    const starter: Invocation | undefined = invocations[next.invocation];
    if (starter === undefined) break;
    starters.push(starter);
    next = starter.parent;
  }
  return starters;
}

/** The command for people, resolved as far as possible. */
export function commandLine({ argv }: Invocation): string {
  return argv.map(describe).join(" ");
}

/** What rules see of a judgement under way, and how they speak. */
export interface RuleContext {
  readonly workspace: Workspace;
  readonly facts: ShellFacts;
  /** the text that was analysed; empty for a tool that has none */
  readonly source: string;
  readonly effects: readonly CommandEffect[];
  /** what words were found to name: several rules ask about each */
  readonly targets: Map<Value, KnownTargets[]>;
  /** by invocation, words that may name files which it changes; made by the rules that ask for them */
  readonly changedWords: Map<Invocation, readonly Value[]>;
  report(rule: RuleId, by: Actor | undefined, target: string, details?: Details): void;
}

interface KnownTargets {
  readonly cwd: Value;
  readonly place: Place;
  readonly followsLast: boolean;
  readonly isReading: boolean;
  readonly targets: readonly Target[];
}

/** What the rules of a pack say of one effect, and of the command as a whole. */
export interface Check {
  inspect?(effect: CommandEffect, context: RuleContext): void;
  inspectWhole?(context: RuleContext): void;
}

/** Rules that belong together, and what reports them. */
export interface RuleFamily {
  readonly name: string;
  readonly rules: RuleTable;
  readonly checks?: readonly Check[];
}

/** The file that an effect reads or changes, as far as rules care. */
export function touchedPath(effect: CommandEffect): Value | undefined {
  if (effect.kind === "move") return effect.from;
  if (effect.kind === "alter") return undefined;
  return "path" in effect ? effect.path : undefined;
}

/** What a word of a command names: itself for deleting and moving, or what a link there leads to. */
export function targetsForWord(
  context: RuleContext,
  word: Value,
  by: Actor,
  followsLast: boolean,
  isReading = false,
): readonly Target[] {
  const { cwd, place } = by;
  const all = context.targets.get(word) ?? [];
  for (const known of all) {
    const isSame = known.followsLast === followsLast && known.isReading === isReading;
    if (isSame && known.cwd === cwd && known.place === place) return known.targets;
  }
  const targets = resolveTargets(context.workspace.disk, word, cwd, place, { followsLast, isReading });
  all.push({ cwd, place, followsLast, isReading, targets });
  context.targets.set(word, all);
  return targets;
}
