import type { Invocation, Place } from "../shell/facts.ts";
import type { Span, Value } from "../shell/value.ts";
import type { GitRun } from "./git/invocation.ts";

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

/** What a find, an fd or a list from another program leaves of the tree it walks. */
export type Selection =
  /** everything below the starting point */
  | "all"
  /** only names that are junk or build output, empty directories, or what git ignores */
  | "regenerable"
  /** some, by a filter that says nothing of their worth */
  | "some";

/** What a command does, whatever the program is called. Rules look at these and never at program names. */
export type CommandEffect = { readonly by: Actor } & (
  | {
      readonly kind: "delete";
      readonly path: Value;
      readonly isRecursive: boolean;
      readonly selection?: Selection;
      /** the starting point itself stays */
      readonly isContentsOnly?: boolean;
      /** overwritten first, so that nothing can bring it back */
      readonly isShredded?: boolean;
      /** refuses anything that is not empty (`rmdir`) */
      readonly isEmptyOnly?: boolean;
      /** one of many, taken from a list that was read or computed */
      readonly isBulk?: boolean;
      /** a command that only lists what this one would delete */
      readonly preview?: string;
      /** made equal to another place: what is only here goes */
      readonly isMirror?: boolean;
    }
  | { readonly kind: "move"; readonly from: Value; readonly to: Value | undefined }
  | {
      readonly kind: "write";
      readonly path: Value;
      readonly how: WriteKind;
      /** the file whose content it becomes */
      readonly from?: Value;
      /** a directory into which something is put under a name of its own */
      readonly isInto?: boolean;
    }
  | { readonly kind: "read"; readonly path: Value; readonly isCopy: boolean }
  | {
      readonly kind: "attributes";
      readonly path: Value;
      readonly isRecursive: boolean;
      readonly what: "mode" | "owner";
      readonly setting: string;
    }
  | { readonly kind: "send"; readonly to: Value | undefined; readonly payloads: readonly Payload[] }
  | { readonly kind: "git"; readonly run: GitRun }
  /** An operation that a table of commands names outright: cloud, databases, accounts, publishing. */
  | {
      readonly kind: "operation";
      readonly rule: string;
      /** in words that follow "would": "delete the bucket" */
      readonly what: string;
      readonly target: string;
      /** the operands behind the verb, for a command that looks first */
      readonly rest?: string;
      /** words that may name a production system */
      readonly names: readonly string[];
      readonly verdict?: "ask" | "deny";
      readonly safer?: string;
    }
);

/**
 * `replace` loses the old content, `append` keeps it, `edit` changes it in place, `create` never overwrites, `make`
 * puts something new there (a key, a certificate) over whatever was.
 */
export type WriteKind = "replace" | "append" | "edit" | "link" | "create" | "make" | "extract";

export interface Payload {
  readonly value: Value;
  /** `file`: the path of what is sent; `body`: the content itself; `address`: part of the address; `header` */
  readonly role: "file" | "body" | "address" | "header";
}

export type EffectOf<Kind extends CommandEffect["kind"]> = Extract<CommandEffect, { readonly kind: Kind }>;
