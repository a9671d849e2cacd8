import { movedByGit } from "../programs/git-changes.ts";
import { knownText, type Value } from "../shell/value.ts";
import { basename, isInside, join, relative } from "../system/paths.ts";
import type { Actor, CommandEffect } from "./effects.ts";
import { resolveTargets } from "./paths/target.ts";
import type { RuleContext } from "./rule-context.ts";

const MAX_MOVES = 16;

/**
 * Where the content of a path comes from when earlier parts of the same command moved it there: after `mv src x`,
 * losing `x` is losing `src`.
 */
export function movedTo(context: RuleContext, path: string, by: Actor, depth = 0): readonly string[] {
  if (depth > MAX_MOVES) return [];
  return movesOf(context).flatMap(({ effect, ...move }) => {
    if (!isEarlier(effect, by)) return [];
    const source = isInside(path, move.to)
      ? move.from
      : isInside(move.to, path)
        ? join(move.from, relative(move.to, path))
        : undefined;
    if (source === undefined || source === path) return [];
    const further = movedTo(context, source, effect.by, depth + 1);
    return further.length > 0 ? further : [source];
  });
}

function isEarlier(effect: CommandEffect, { invocation }: Actor): boolean {
  const id = effect.by.invocation?.id;
  return id !== undefined && invocation !== undefined && id < invocation.id;
}

interface Move {
  readonly effect: CommandEffect;
  readonly from: string;
  readonly to: string;
}

const knownMoves = new WeakMap<readonly CommandEffect[], readonly Move[]>();

/** Found once: thousands of words may be deleted by one command. */
function movesOf(context: RuleContext): readonly Move[] {
  const { effects } = context;
  const moves = knownMoves.get(effects) ?? effects.flatMap(effect => moveOf(effect, context) ?? []);
  knownMoves.set(effects, moves);
  return moves;
}

function moveOf(effect: CommandEffect, { workspace }: RuleContext): Move | undefined {
  const words = wordsOfMove(effect);
  if (words === undefined) return undefined;
  const { disk } = workspace;
  const at = (word: Value): string | undefined =>
    resolveTargets(disk, word, words.cwd, effect.by.place, { followsLast: false })[0]?.path;
  const [from, to] = [at(words.from), at(words.to)];
  if (from === undefined || to === undefined) return undefined;
  const isInto =
    knownText(words.to)?.endsWith("/") === true || disk.kind(disk.resolve(to, true)) === "directory";
  return { effect, from, to: isInto ? join(to, basename(from)) : to };
}

function wordsOfMove(effect: CommandEffect): { from: Value; to: Value; cwd: Value } | undefined {
  if (effect.kind === "move")
    return effect.to === undefined ? undefined : { from: effect.from, to: effect.to, cwd: effect.by.cwd };
  const moved = effect.kind === "git" ? movedByGit(effect.run) : undefined;
  return moved === undefined ? undefined : { ...moved, cwd: moved.directory };
}
