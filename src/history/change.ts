import type { Json } from "../protocol/index.ts";

/** What stands at a path. Content ids are SHA-256 of the bytes, in hexadecimal. */
export type PathState =
  | { readonly kind: "absent" }
  | {
      readonly kind: "file";
      readonly size: number;
      readonly mode: number;
      readonly modifiedNs: string;
      readonly content: ContentSource;
    }
  | { readonly kind: "directory"; readonly mode: number; readonly modifiedNs: string }
  | { readonly kind: "link"; readonly target: string; readonly modifiedNs: string }
  /** sockets, devices: named only */
  | { readonly kind: "other" };

/** Where the bytes of a file are: in the history's own store, in git's (a clean tracked file), or nowhere. */
export type ContentSource =
  | { readonly in: "store"; readonly id: string }
  | { readonly in: "git"; readonly id: string; readonly repository: string }
  | { readonly in: "nowhere"; readonly why: string };

export interface PathChange {
  /** absolute */
  readonly path: string;
  readonly what: "created" | "changed" | "deleted" | "moved" | "mode" | "time";
  readonly before: PathState;
  readonly after: PathState;
  /** `moved`: where it came from */
  readonly from?: string;
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
  readonly exit: string | undefined;
  /** `open`: its end was never seen */
  readonly status: "open" | "done";
  /** false: the sweep before the call did not come to its end, or something could not be kept */
  readonly isComplete: boolean;
  /** what could not be kept, and why */
  readonly notKept: readonly { readonly path: string; readonly why: string }[];
  readonly files: readonly PathChange[];
  readonly git: readonly Json[];
  /** the undo that took it back; undefined while it stands */
  readonly undoneBy: string | undefined;
  /** `undo`: the changes it took back; `redo`: the undo it took back */
  readonly of: readonly string[];
}

/** What a capture before a call came to. */
export interface Captured {
  /** the change that was begun; undefined when nothing can change */
  readonly change: string | undefined;
  readonly files: number;
  readonly bytes: number;
  /** everything that could be lost was kept, or loses nothing */
  readonly isComplete: boolean;
  /** what would be lost and could not be kept; a finding about one of these stays */
  readonly lost: readonly { readonly path: string; readonly why: string }[];
  /** paths of the footprint whose loss is none: absent, empty, a link, clean in HEAD, made by this session, regenerable */
  readonly harmless: readonly string[];
}
