import type { OperationRule } from "../config/index.ts";
import type { ParsedOptions } from "./options.ts";
import type { Place } from "./place.ts";
import type { Value } from "./value.ts";

/** What a find, an fd or a list from another program leaves of the tree it walks. */
export type Selection =
  /** everything below the starting point */
  | "all"
  /** only names that are junk or build output, empty directories, or what git ignores */
  | "regenerable"
  /** some, by a filter that says nothing of their worth */
  | "some";

/** Names of files that a program prints, and what they can be. */
export interface Listing {
  readonly starts: readonly Value[];
  readonly selection: Selection;
  /** names the results may have, as patterns; empty when any */
  readonly names: readonly string[];
  /** a search, which may also start a program for every result */
  readonly isSearch?: boolean;
}

/**
 * What one started program does, whatever it is called. Paths are as written: relative ones belong to `cwd` or, when
 * that is absent, to the directory of the program. `place` is set where it differs from the program's own.
 */
export type ProgramEffect = { readonly cwd?: Value; readonly place?: Place } & (
  | DeleteEffect
  | {
      readonly kind: "move";
      readonly from: Value;
      readonly to: Value | undefined;
      /** from where the desktop brings it back */
      readonly isToTrash?: boolean;
    }
  | {
      readonly kind: "write";
      readonly path: Value;
      readonly how: WriteKind;
      /** the file whose content it becomes */
      readonly from?: Value;
      /** a directory into which something is put under a name of its own */
      readonly isInto?: boolean;
      /** the file that it was packed in */
      readonly archive?: Value;
      /** takes a change back that it is given */
      readonly isReverse?: boolean;
    }
  | {
      readonly kind: "read";
      readonly path: Value;
      readonly isCopy: boolean;
      /** what is searched for in everything below the path */
      readonly search?: Value;
    }
  | {
      readonly kind: "attributes";
      readonly path: Value;
      readonly isRecursive: boolean;
      readonly what: "mode" | "owner";
      readonly setting: string;
    }
  /** something there changes that no rule speaks about: a new directory, a time, a copy that an option leaves behind */
  | {
      readonly kind: "alter";
      readonly path: Value;
      readonly isTree?: boolean;
      /** instead of each path that is named, the one beside it that it is given here */
      readonly beside?: (path: string) => string;
    }
  | { readonly kind: "send"; readonly to: Value | undefined; readonly payloads: readonly Payload[] }
  | { readonly kind: "git"; readonly words: GitWords }
  | OperationEffect
);

export interface DeleteEffect {
  readonly kind: "delete";
  readonly path: Value;
  readonly isRecursive: boolean;
  readonly selection?: Selection;
  /** of a search: patterns of which every name that goes has one; without any, names say nothing */
  readonly names?: readonly string[];
  /** the starting point itself stays */
  readonly isContentsOnly?: boolean;
  /** overwritten first, so that nothing can bring it back */
  readonly isShredded?: boolean;
  /** refuses anything that is not empty (`rmdir`) */
  readonly isEmptyOnly?: boolean;
  /** of what is below, only what is empty (`find -empty`) */
  readonly isEmptyBelow?: boolean;
  /** goes through links to directories, and deletes what is in those (`find -L`, `zip -m`) */
  readonly followsLinks?: boolean;
  /** one of many, taken from a list that was read or computed */
  readonly isBulk?: boolean;
  /** a loop of code deletes one after the other of what it finds */
  readonly isLoop?: boolean;
  /** a command that only lists what this one would delete */
  readonly preview?: string;
  /** made equal to another place: what is only here goes */
  readonly isMirror?: boolean;
}

/** One run of git: its subcommand with arguments, and where it was told to work. */
export interface GitWords {
  readonly subcommand: string;
  /** the subcommand itself is the first word */
  readonly argv: readonly Value[];
  readonly options: ParsedOptions;
  /** `-c key=value`, keys in lower case */
  readonly settings: readonly { readonly key: string; readonly value: string }[];
  readonly directory: Value;
  readonly gitDirectory: Value | undefined;
  readonly workTree: Value | undefined;
}

/** An operation that the record of a program names outright: cloud, databases, accounts, publishing. */
export interface OperationEffect {
  readonly kind: "operation";
  readonly rule: OperationRule;
  /** in words that follow "would": "delete the bucket" */
  readonly what: string;
  readonly target: string;
  /** the operands behind the verb, for a command that looks first */
  readonly rest?: string;
  /** words that may name a production system */
  readonly names: readonly string[];
  readonly verdict?: "ask" | "deny";
  readonly safer?: string;
  /** the local file that it changes: in a temporary place nothing is lost */
  readonly file?: Value;
}

/**
 * `replace` loses the old content, `append` keeps it, `edit` changes it in place, `create` never overwrites, `make`
 * puts something new there (a key, a certificate) over whatever was.
 */
export type WriteKind = "replace" | "append" | "edit" | "link" | "create" | "make" | "extract";

export interface Payload {
  readonly value: Value;
  /**
   * `file`: the path of what is sent; `body`: the content itself; `address`: part of the address; `header`; `offer`: a
   * directory that others may read from
   */
  readonly role: "file" | "body" | "address" | "header" | "offer";
  /** not everything below the path: some was left out on purpose */
  readonly isPart?: boolean;
}
