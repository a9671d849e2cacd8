import type { GitChange, PathState } from "./change.ts";
import { digestIndex, type GitComparison } from "./git-snapshot.ts";
import { projectKey, readJournals, toChange } from "./journal.ts";
import { findAllOpen, type OpenChange, readOpen } from "./open-changes.ts";
import { isSameState } from "./path-state.ts";
import type { Store } from "./store.ts";

/** What calls that ran while this one did made of repositories. */
export interface OtherGit {
  /** A call that began later has changed that repository, or may change it still. */
  isChangedLater(gitDirectory: string): boolean;
  /** Without what a call left there that ended meanwhile, and until that moment where one is given. */
  ownOf(comparison: GitComparison, timeoutMs: number, untilMs?: number): Promise<GitComparison>;
}

export function findOtherGit(store: Store, own: OpenChange): OtherGit {
  const { id, timeMs, project } = own.change;
  const { entries } = readJournals(store, [projectKey(store, project)], { sinceMs: timeMs });
  const ended = entries
    .filter(entry => entry.id !== id && entry.endMs >= timeMs)
    .sort((one, other) => one.endMs - other.endMs)
    .flatMap(entry =>
      toChange(store, entry).git.map(change => ({ id: entry.id, endMs: entry.endMs, change })),
    );
  const isOpenLater = (gitDirectory: string) =>
    findAllOpen(store).some(
      file => file.id > id && readOpen(store, file)?.git.some(one => one.gitDirectory === gitDirectory),
    );
  return {
    isChangedLater: gitDirectory =>
      ended.some(one => one.id > id && one.change.gitDirectory === gitDirectory) || isOpenLater(gitDirectory),
    async ownOf(comparison, timeoutMs, untilMs = Number.POSITIVE_INFINITY) {
      const { change } = comparison;
      if (change === undefined) return comparison;
      const others = ended
        .filter(one => one.change.gitDirectory === change.gitDirectory && one.endMs <= untilMs)
        .map(one => ({ isEarlier: one.id < id, change: one.change }));
      if (others.length === 0) return comparison;
      return { ...comparison, change: await withoutOthers(store, change, others, timeoutMs) };
    },
  };
}

/** What another call did to the same repository. */
interface OtherChange {
  /** it began before this one */
  readonly isEarlier: boolean;
  readonly change: GitChange;
}

/** One thing of a repository before and after. */
interface Turn<T> {
  readonly before: T;
  readonly after: T;
}

interface OtherTurn<T> extends Turn<T> {
  readonly isEarlier: boolean;
}

/** What the others did to one thing of it. */
function turnsOf<T>(
  others: readonly OtherChange[],
  pick: (change: GitChange) => Turn<T> | undefined,
): readonly OtherTurn<T>[] {
  return others.flatMap(({ isEarlier, change }) => {
    const turn = pick(change);
    return turn === undefined ? [] : { isEarlier, before: turn.before, after: turn.after };
  });
}

/**
 * What is left of it when the first of the others began; undefined for nothing. Where none of them left what stands there,
 * all of it is.
 */
function beforeOthers<T>(
  own: Turn<T>,
  others: readonly OtherTurn<T>[],
  isSame: (one: T, other: T) => boolean,
): Turn<T> | undefined {
  // What an earlier one left is what this one found.
  const meanwhile = others.filter(({ isEarlier, after }) => !(isEarlier && isSame(after, own.before)));
  const [first] = meanwhile;
  if (first === undefined || !meanwhile.some(({ after }) => isSame(after, own.after))) return own;
  return isSame(first.before, own.before) ? undefined : { ...own, after: first.before };
}

async function withoutOthers(
  store: Store,
  own: GitChange,
  others: readonly OtherChange[],
  timeoutMs: number,
): Promise<GitChange | undefined> {
  const { head, refs, stashes, index, files, ...place } = own;
  const isEqual = <T>(one: T, other: T) => JSON.stringify(one) === JSON.stringify(other);
  const ownTurn = <T>(turn: Turn<T>, pick: (change: GitChange) => Turn<T> | undefined) =>
    beforeOthers(turn, turnsOf(others, pick), isEqual);
  const ownHead = head && ownTurn(head, change => change.head);
  const ownStashes = stashes && ownTurn(stashes, change => change.stashes);
  const ownIndex = index && (await indexBeforeOthers(store, own, index, others, timeoutMs));
  const ownRefs = refs.flatMap(ref => {
    const turns = turnsOf<string | undefined>(others, change =>
      change.refs.find(({ name }) => name === ref.name),
    );
    const found = beforeOthers<string | undefined>(ref, turns, isEqual);
    return found === undefined ? [] : { ...ref, ...found };
  });
  const ownFiles = files.flatMap(file => {
    const turns = turnsOf<PathState>(others, change => change.files.find(({ path }) => path === file.path));
    const found = beforeOthers<PathState>(file, turns, isSameState);
    return found === undefined ? [] : { ...file, ...found };
  });
  if ((ownHead ?? ownStashes ?? ownIndex) === undefined && ownRefs.length + ownFiles.length === 0)
    return undefined;
  return {
    ...place,
    ...(ownHead === undefined ? {} : { head: ownHead }),
    refs: ownRefs,
    ...(ownStashes === undefined ? {} : { stashes: ownStashes }),
    ...(ownIndex === undefined ? {} : { index: ownIndex }),
    files: ownFiles,
  };
}

type IndexChange = NonNullable<GitChange["index"]>;

/** Of an index the bytes are known as it was before, and a digest of what it says afterwards. */
async function indexBeforeOthers(
  store: Store,
  { top, gitDirectory }: GitChange,
  own: IndexChange,
  others: readonly OtherChange[],
  timeoutMs: number,
): Promise<IndexChange | undefined> {
  if (top === undefined) return own;
  const digestOf = async (id: string | undefined) =>
    id === undefined
      ? undefined
      : (await digestIndex(store, { top, gitDirectory }, timeoutMs, store.objectPath(id)))?.digest;
  const turns: OtherTurn<string | undefined>[] = [];
  for (const { isEarlier, change } of others)
    if (change.index !== undefined)
      turns.push({ isEarlier, before: await digestOf(change.index.before), after: change.index.after });
  if (!turns.some(({ after }) => after === own.after)) return own;
  const before = await digestOf(own.before);
  const found = beforeOthers({ before, after: own.after }, turns, (one, other) => one === other);
  return found === undefined ? undefined : { ...own, after: found.after };
}
