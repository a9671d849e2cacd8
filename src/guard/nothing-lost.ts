import { tellsAllChanges } from "../programs/index.ts";
import {
  componentCouldBeInAnyShell,
  type Disk,
  expandTarget,
  type Target,
  zoneOf,
} from "../workspace/index.ts";
import type { Actor, CommandEffect } from "./effects.ts";
import { movedTo } from "./moved-here.ts";
import { type RuleContext, targetsOf } from "./rule-context.ts";

/**
 * Deleting or moving this loses nothing, as was seen on the disk: nothing is there, or an empty directory, or a link,
 * which is only itself. What the command makes before it deletes it is not there yet.
 */
export function losesNothing(context: RuleContext, effect: CommandEffect): boolean {
  if ((effect.kind !== "delete" && effect.kind !== "move") || effect.by.place.kind !== "local") return false;
  // What is shredded is what a link leads to.
  const isFollowed = effect.kind === "delete" && effect.isShredded === true;
  const word = effect.kind === "delete" ? effect.path : effect.from;
  // What another program lists is judged by what it may list.
  const isListed = effect.kind === "delete" && effect.selection !== undefined;
  const targets = targetsOf(context, word, effect.by, isFollowed);
  const isNothing = (target: Target) => {
    if (target.isRemote) return false;
    if (target.path !== undefined) return isNothingAt(context, target.path, effect.by);
    return !isListed && findsNothing(context, target, effect.by);
  };
  return targets.length > 0 && targets.every(isNothing);
}

/** A pattern that finds no name, in no shell, or only names of nothing. */
function findsNothing(context: RuleContext, target: Target, by: Actor): boolean {
  const { disk } = context.workspace;
  const { base } = target;
  if (base === undefined || NOT_PLAIN.test(base)) return false;
  // A directory that cannot be looked at may hold anything, and so may one that comes to be.
  if (!disk.isAbsent(base) && disk.kind(base) !== "directory") return false;
  if (movedTo(context, base, by).length > 0 || mayAppear(context, base, by)) return false;
  const found = expandTarget(disk, target, false, componentCouldBeInAnyShell);
  if (found === undefined || found.trees.length > 0) return false;
  return found.paths.every(path => isNothingAt(context, path, by));
}

function isNothingAt(context: RuleContext, path: string, by: Actor): boolean {
  const { disk } = context.workspace;
  if (NOT_PLAIN.test(path)) return false;
  if (movedTo(context, path, by).length > 0) return false;
  if (disk.isAbsent(path)) return !mayAppear(context, path, by);
  return disk.kind(path) === "symlink" || holdsNothing(disk, path);
}

/** Nothing is there, or an empty directory. */
export function holdsNothing(disk: Disk, path: string | undefined): boolean {
  if (path === undefined) return false;
  return disk.isAbsent(path) || (disk.kind(path) === "directory" && disk.names(path)?.length === 0);
}

/** Outside the project an earlier program of the command may bring there what is of others: it mounts, it fetches. */
function mayAppear({ workspace, facts }: RuleContext, path: string, { invocation }: Actor): boolean {
  const zone = zoneOf(workspace, path);
  if (zone !== "outside" && zone !== "home") return false;
  return facts.invocations.some(other => other.id < (invocation?.id ?? 0) && !tellsAllChanges(other));
}

/** `C:Users`, `*`, `%X%`, `{{name}}` and unseen characters may mean more to other shells and systems than a name. */
const NOT_PLAIN = /\/[A-Za-z]:|[*?%!{}$]|[^ -~\u00a0-\ud7ff]/;
