/** What stands at a path. Content ids are SHA-256 of the bytes, in hexadecimal. */
export type PathState =
  | { readonly kind: "absent" }
  | FileState
  | { readonly kind: "directory"; readonly mode: number; readonly modifiedNs: string }
  | { readonly kind: "link"; readonly target: string; readonly modifiedNs: string }
  /** sockets, pipes, devices: of these only the mode comes back, which older records do not tell */
  | { readonly kind: "other"; readonly mode?: number };

export interface FileState {
  readonly kind: "file";
  readonly size: number;
  readonly mode: number;
  readonly modifiedNs: string;
  readonly content: ContentSource;
  /** of a file that had several names then, or has them afterwards */
  readonly names?: { readonly inode: string; readonly count: number };
}

export const ABSENT: PathState = { kind: "absent" };

/**
 * Where the bytes of a file are. `store`: kept by the history. `git`: in the objects of a repository, for a tracked
 * file that was clean. `digest`: known but not kept, as what a call left behind; the store may have them all the same.
 * `nowhere`: neither known nor kept.
 */
export type ContentSource =
  | { readonly in: "store" | "digest"; readonly id: string }
  /** `repository` is the top of its working tree, which need not be there any more */
  | {
      readonly in: "git";
      readonly id: string;
      readonly repository: string;
      readonly gitDirectory: string;
      /** the size is that of the file on the disk; without it, that of the object, which may have other line endings */
      readonly hasSizeOfFile?: boolean;
    }
  | { readonly in: "nowhere"; readonly why: string };

export interface PathChange {
  /** absolute */
  readonly path: string;
  readonly what: "created" | "changed" | "deleted" | "moved" | "mode" | "time";
  readonly before: PathState;
  readonly after: PathState;
  /** `moved`: where it came from; that path is `deleted` and has `to` */
  readonly from?: string;
  readonly to?: string;
  /** `before` is what another call left there while this one ran */
  readonly wentOn?: boolean;
}

export type Folder = readonly [path: string, identity: string];

/** What a path or call could not be kept for, in words for a person. */
export interface NotKept {
  readonly path: string;
  readonly why: string;
  /** the error of the operating system that kept it from being stored */
  readonly code?: string;
}

/** HEAD as it is written: a branch's name, or an object id when detached. */
export type Head = string;

/** One ref that a call moved. `undefined`: it was not there. */
export interface RefChange {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface Stash {
  readonly id: string;
  readonly message: string;
}

/** What a call changed in a repository beside files of its working tree. A member is there when it changed. */
export interface GitChange {
  readonly gitDirectory: string;
  readonly commonDirectory: string;
  readonly top: string | undefined;
  readonly head?: { readonly before: Head; readonly after: Head };
  readonly refs: readonly RefChange[];
  /** newest first, as `git stash list` prints them */
  readonly stashes?: { readonly before: readonly Stash[]; readonly after: readonly Stash[] };
  /** the bytes of the index before, and a digest of its entries after; undefined without an index */
  readonly index?: {
    readonly before: string | undefined;
    /** when it was written: git reads a file again that was touched no earlier */
    readonly modifiedNs?: string;
    readonly after: string | undefined;
  };
  /** of a merge, rebase or bisect under way, of linked worktrees; settings */
  readonly files: readonly PathChange[];
}

/** One tool call that changed something, or one undo or redo. */
export interface Change {
  /** short, unique on the machine, sortable by time */
  readonly id: string;
  readonly kind: "call" | "undo" | "redo";
  /** milliseconds since 1970 */
  readonly timeMs: number;
  readonly host: string;
  readonly session: string | undefined;
  /** number of the prompt in its session, from 1; 0 before the first */
  readonly turn: number;
  readonly tool: string;
  readonly toolUseId: string | undefined;
  /** command or tool input, redacted as in the audit log */
  readonly command: string;
  readonly project: string;
  readonly verdict: string;
  readonly rules: readonly string[];
  readonly durationMs: number | undefined;
  /** when it was over at the latest; undefined while it is not */
  readonly endMs?: number;
  readonly exit: string | undefined;
  /** `open`: its end was not seen; `running`: processes of it go on */
  readonly status: "open" | "running" | "done";
  /** false: the sweep before the call did not come to its end, or something could not be kept */
  readonly isComplete: boolean;
  readonly notKept: readonly NotKept[];
  /** files were found by comparing the tree: what somebody else saved while the call ran cannot be told from its own */
  readonly isCompared?: boolean;
  /**
   * those of these files that a person had open in an editor when the call had ended, or saved in one meanwhile: what
   * they saved is not to be taken back
   */
  readonly inEditors?: readonly string[];
  readonly files: readonly PathChange[];
  readonly git: readonly GitChange[];
  /** device and inode of the directories on the way to the files, and of those that it made, when it had ended */
  readonly folders?: readonly Folder[];
  /** the undo that took back the last of it; undefined while anything of it stands */
  readonly undoneBy: string | undefined;
  /** paths that were taken back, of a change that was undone in part or as a whole */
  readonly undonePaths: readonly string[];
  /** `undo`: the changes it took back; `redo`: the undo it took back */
  readonly of: readonly string[];
  /** `undo` and `redo`: only these paths and what is below them were taken back */
  readonly only: readonly string[] | undefined;
}

/** What a capture before a call came to. */
export interface Captured {
  /** the change that was begun; undefined when nothing can change, or nothing could be written */
  readonly change: string | undefined;
  readonly files: number;
  readonly bytes: number;
  /** everything that could be lost was kept, or loses nothing */
  readonly isComplete: boolean;
  /** what would be lost and could not be kept; a finding about one of these stays */
  readonly lost: readonly NotKept[];
  /** Files below these paths that are kept; of a working tree only of these kinds. */
  keptIn(paths: readonly string[], work?: readonly GitWork[]): readonly KeptFile[];
}

/** Work in a tree that git has no copy of. */
export type GitWork = "changed" | "untracked" | "ignored";

export interface KeptFile {
  readonly path: string;
  readonly size: number;
}

/** What is to stand at a path that was changed elsewhere, and the file that holds its content. */
export interface AdoptedPath {
  readonly path: string;
  readonly target: PathState;
  readonly copyFrom?: string | undefined;
  /** it becomes another name of the file at that path */
  readonly linkTo?: string | undefined;
}
