/**
 * What a call may change on this machine, as far as its words tell before it runs. The history keeps these paths
 * before the call; nothing in here says whether a change is good or bad.
 */
export interface Footprint {
  /** Paths that are known completely: patterns are expanded on the disk, links in front are resolved. */
  readonly targets: readonly FootprintTarget[];
  /** Repositories that a git command changes. */
  readonly repositories: readonly FootprintRepository[];
  /**
   * Directories in which a program runs whose effects cannot be told: a script, a build, a test run, a formatter.
   * Everything in the project around them is at risk.
   */
  readonly unknownIn: readonly string[];
  /** Targets that could not be resolved to paths, as shown to people. */
  readonly unresolved: readonly string[];
}

export interface FootprintTarget {
  /** absolute; the name itself, a link at the end not followed, for `delete` and `move`; what it leads to for the others */
  readonly path: string;
  readonly how: "delete" | "move" | "write" | "attributes";
  /** with everything below it */
  readonly isTree: boolean;
  /** of what is below, only what has one of these names, or lies in a folder that has */
  readonly names?: readonly string[];
  /** an unknown program is given its name: it is kept if it can be, and is no reason to ask */
  readonly isPossible?: boolean;
  /** of what is below, only what is empty may go */
  readonly isEmptyBelow?: boolean;
}

export interface FootprintRepository {
  /** top of the working tree; undefined for a bare repository */
  readonly top: string | undefined;
  /** of this working tree: `.git`, or `.git/worktrees/NAME` */
  readonly gitDirectory: string;
  /** files of the working tree may change */
  readonly changesFiles: boolean;
  /** HEAD, refs, stashes, the index, sequencer files or settings may change */
  readonly changesState: boolean;
  /** ignored files of the working tree may go as well: `git clean -x` */
  readonly changesIgnored?: boolean;
  /** repositories inside the working tree that it does not track may go as well: `git clean -ff` */
  readonly changesNested?: boolean;
  /**
   * Names of commits whose files come into the working tree, also over ignored ones; none of them need be one, and the
   * empty list stands for commits that are not known yet.
   */
  readonly commits?: readonly string[];
  /** work that is not committed goes out of the working tree, or comes under another branch */
  readonly takesWork?: readonly TakenWork[];
}

export interface TakenWork {
  /** files that git does not track too, or only these */
  readonly untracked: "none" | "too" | "only";
  /** of those, what git ignores: not at all, too, or only that */
  readonly ignored: "none" | "too" | "only";
  /** Whether it may take this path. */
  covers(path: string): boolean;
}

/** What several parts of one call change together. */
export function mergeFootprints(parts: readonly Footprint[]): Footprint {
  return {
    targets: parts.flatMap(({ targets }) => targets),
    repositories: parts.flatMap(({ repositories }) => repositories),
    unknownIn: [...new Set(parts.flatMap(({ unknownIn }) => unknownIn))],
    unresolved: [...new Set(parts.flatMap(({ unresolved }) => unresolved))],
  };
}

/** Nothing changes: a command that only reads. */
export const NO_FOOTPRINT: Footprint = { targets: [], repositories: [], unknownIn: [], unresolved: [] };

export function isEmptyFootprint({ targets, repositories, unknownIn, unresolved }: Footprint): boolean {
  return targets.length + repositories.length + unknownIn.length + unresolved.length === 0;
}
