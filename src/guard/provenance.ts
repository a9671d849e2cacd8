import { describe, type Invocation, knownText, type Origin, type Value } from "../shell/index.ts";
import { literalTarget, type Target } from "../workspace/index.ts";
import { type Actor, type CommandEffect, type RuleContext, targetsForWord } from "./rule-context.ts";

/** What is looked for behind a text or a file: each function says whether this is it. */
export interface Sought<Found> {
  /** a file that is read, or that is handed on itself */
  inFile?(target: Target): Found | undefined;
  /** one of the effects of a program that the content went through */
  inEffect?(effect: CommandEffect): Found | undefined;
  inProgram?(invocation: Invocation): Found | undefined;
  inVariable?(name: string): Found | undefined;
}

/** Programs and files that were looked at; a pipe may lead back to where it began. */
type Seen = Set<number | string>;

/** Follows a text back to where it came from: files, programs, variables, and what those were made of. */
export function findBehind<Found>(
  context: RuleContext,
  { origins }: Pick<Value, "origins">,
  sought: Sought<Found>,
  seen: Seen = new Set(),
): Found | undefined {
  for (const origin of origins) {
    const found = findInOrigin(context, origin, sought, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The file itself, or what an earlier command of the same text put into it. */
export function findInFile<Found>(
  context: RuleContext,
  path: Value,
  by: Actor,
  sought: Sought<Found>,
): Found | undefined {
  for (const target of targetsForWord(context, path, by, true)) {
    const found = sought.inFile?.(target) ?? findInWriters(context, target.path, sought, new Set());
    if (found !== undefined) return found;
  }
  return undefined;
}

function findInOrigin<Found>(
  context: RuleContext,
  origin: Origin,
  sought: Sought<Found>,
  seen: Seen,
): Found | undefined {
  const { disk } = context.workspace;
  switch (origin.kind) {
    case "file": {
      const path = disk.resolve(describe(origin.path), true);
      return sought.inFile?.(literalTarget(path)) ?? findInWriters(context, path, sought, seen);
    }
    case "environment":
      return sought.inVariable?.(origin.name);
    case "program":
    case "decoded":
      return findInProgram(context, origin.invocation, sought, seen);
    default:
      return undefined;
  }
}

/** What a program printed or wrote: what it read, what it was given and what came in. */
export function findInProgram<Found>(
  context: RuleContext,
  id: number,
  sought: Sought<Found>,
  seen: Seen = new Set(),
): Found | undefined {
  const invocation = context.facts.invocations[id];
  if (invocation === undefined || seen.has(id)) return undefined;
  seen.add(id);
  const own = sought.inProgram?.(invocation);
  if (own !== undefined) return own;
  for (const effect of getIndex(context).effects.get(id) ?? []) {
    const found = sought.inEffect?.(effect) ?? findInRead(context, effect, sought);
    if (found !== undefined) return found;
  }
  const { argv, stdin } = invocation;
  const origins = [...argv, ...(stdin === undefined ? [] : [stdin])].flatMap(value => value.origins);
  return findBehind(context, { origins }, sought, seen);
}

function findInRead<Found>(
  context: RuleContext,
  effect: CommandEffect,
  sought: Sought<Found>,
): Found | undefined {
  if (effect.kind !== "read" || sought.inFile === undefined) return undefined;
  for (const target of targetsForWord(context, effect.path, effect.by, true)) {
    const found = sought.inFile(target);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findInWriters<Found>(
  context: RuleContext,
  path: string | undefined,
  sought: Sought<Found>,
  seen: Seen,
): Found | undefined {
  if (path === undefined || seen.has(path)) return undefined;
  seen.add(path);
  for (const { content, id } of getIndex(context).writers.get(path) ?? []) {
    const found =
      findBehind(context, { origins: content?.origins ?? [] }, sought, seen) ??
      findInProgram(context, id, sought, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Who wrote which file and what each program did, so that it need not be looked for each time. */
interface Index {
  readonly writers: ReadonlyMap<string, readonly Writer[]>;
  readonly effects: ReadonlyMap<number, readonly CommandEffect[]>;
}

interface Writer {
  readonly id: number;
  readonly content: Value | undefined;
}

const MAX_WRITERS = 16;
const indexes = new WeakMap<RuleContext, Index>();

function getIndex(context: RuleContext): Index {
  const made = indexes.get(context);
  if (made !== undefined) return made;
  const writers = new Map<string, Writer[]>();
  const effects = new Map<number, CommandEffect[]>();
  const addWriter = (path: string | undefined, writer: Writer) => {
    if (path === undefined) return;
    writers.set(path, [...(writers.get(path) ?? []).slice(1 - MAX_WRITERS), writer]);
  };
  for (const { path, content, invocation } of context.facts.writtenFiles)
    addWriter(knownText(path), { id: invocation, content });
  for (const effect of context.effects) {
    const id = effect.by.invocation?.id;
    if (id === undefined) continue;
    const known = effects.get(id);
    if (known === undefined) effects.set(id, [effect]);
    else known.push(effect);
    if (effect.kind !== "write") continue;
    for (const { path } of targetsForWord(context, effect.path, effect.by, true))
      addWriter(path, { id, content: undefined });
  }
  const index = { writers, effects };
  indexes.set(context, index);
  return index;
}
