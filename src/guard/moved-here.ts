import { movedByGit } from "../programs/index.ts";
import { knownText, type Value } from "../shell/index.ts";
import { basename, dirname, isInside, join, relative } from "../system/index.ts";
import { type Disk, expandTarget, resolveTargets, type Target, zoneOf } from "../workspace/index.ts";
import type { Actor, CommandEffect } from "./effects.ts";
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

/**
 * The directory of which earlier calls of the session moved files to a place that is made again. They are not, and
 * they are gone from where they were.
 */
export function movedEarlier({ workspace }: RuleContext, path: string): readonly string[] {
  const { given } = workspace;
  if (given.written === undefined || zoneOf(workspace, path) !== "regenerable") return [];
  const sources = given.written()?.movedInto(path) ?? [];
  const lost = sources.map(dirname).find(directory => zoneOf(workspace, directory) === "source");
  return lost === undefined ? [] : [lost];
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
  const moves = knownMoves.get(effects) ?? effects.flatMap(effect => movesIn(effect, context));
  knownMoves.set(effects, moves);
  return moves;
}

function movesIn(effect: CommandEffect, { workspace }: RuleContext): readonly Move[] {
  const { disk } = workspace;
  const { place } = effect.by;
  return wordsOfMoves(effect).flatMap(words => {
    const [to] = resolveTargets(disk, words.to, words.cwd, place, { followsLast: false });
    const sources = resolveTargets(disk, words.from, words.cwd, place, { followsLast: false });
    const path = to?.path;
    if (path === undefined) return [];
    const isInto =
      knownText(words.to)?.endsWith("/") === true || disk.kind(disk.resolve(path, true)) === "directory";
    return sources.flatMap(placesOf(disk)).map(from => ({
      effect,
      from,
      to: isInto || knownText(words.from) === undefined ? join(path, basename(from)) : path,
    }));
  });
}

const MAX_SOURCES = 64;

/** The paths that a source names; of one that is only known in part, the directory that it is in. */
function placesOf(disk: Disk): (source: Target) => readonly string[] {
  return source => {
    if (source.isRemote) return [];
    const found = expandTarget(disk, source, false);
    if (found !== undefined && found.trees.length === 0 && found.paths.length <= MAX_SOURCES)
      return found.paths;
    return source.base === undefined ? [] : [source.base];
  };
}

interface MoveWords {
  readonly from: Value;
  readonly to: Value;
  readonly cwd: Value;
}

function wordsOfMoves(effect: CommandEffect): readonly MoveWords[] {
  if (effect.kind === "move")
    return effect.to === undefined ? [] : [{ from: effect.from, to: effect.to, cwd: effect.by.cwd }];
  if (effect.kind !== "git") return [];
  return movedByGit(effect.run).map(({ directory, ...words }) => ({ ...words, cwd: directory }));
}
