import type { Budget } from "./budget.ts";
import type { OperationEffect } from "./effects.ts";
import type { Value } from "./value.ts";

/** Languages whose program text is read for calls. `javascript` stands for node, bun and deno. */
export type Language =
  | "python"
  | "javascript"
  | "perl"
  | "ruby"
  | "php"
  | "lua"
  | "awk"
  | "sed"
  | "vim"
  | "applescript"
  | "expect"
  | "powershell"
  | "cmd";

/** What the reader may use to resolve arguments. */
export interface CodeContext {
  readonly cwd: Value;
  readonly home: string;
  readonly tmpdir: string;
  readonly user: string | undefined;
  /** Arguments after the program text: `sys.argv[1:]`, `process.argv.slice(2)`, `@ARGV`, awk operands. */
  readonly arguments: readonly Value[];
  /** What the program reads on stdin when that is known. */
  readonly stdin: Value | undefined;
  /** Variables set in the command and handed to the program; undefined when it is not known there. */
  readonly environment: (name: string) => Value | undefined;
  /** Variables that the program finds set from its first line on: `awk -v name=text`. */
  readonly variables?: ReadonlyMap<string, Value> | undefined;
  /** What the output of a program holds; without it, of no program more is known than that it printed it. */
  readonly outputOf?: ((program: string) => "network" | "decoded" | "program") | undefined;
  /** Steps left for the whole analysis; take from it for every token and stop when it is used up. */
  readonly budget: Budget;
}

/**
 * One call found in program text. Paths are as given there: relative ones belong to `cwd` of the call when it
 * has one, else to the program's. A target that cannot be resolved is an unknown value, never left out.
 */
export type CodeCall =
  /** A string handed to a shell: `os.system`, backticks, `exec("…")`. */
  | { readonly kind: "shell"; readonly command: Value; readonly cwd?: Value | undefined; readonly at: number }
  /** A program with its arguments, no shell between. `isOpenEnded`: more, unknown, arguments follow. */
  | {
      readonly kind: "spawn";
      readonly argv: readonly Value[];
      readonly isOpenEnded: boolean;
      readonly cwd?: Value | undefined;
      readonly stdin?: Value | undefined;
      readonly at: number;
    }
  /** More code of some language: `eval`, `exec(b64decode(…))`, `iex`. Origins of `code` tell decoded or network. */
  | {
      readonly kind: "evaluate";
      readonly language: Language | "shell";
      readonly code: Value;
      readonly at: number;
    }
  | { readonly kind: "delete"; readonly path: Value; readonly isRecursive: boolean; readonly at: number }
  | { readonly kind: "read"; readonly path: Value; readonly at: number }
  | {
      readonly kind: "write";
      readonly path: Value;
      readonly isAppend: boolean;
      readonly content: Value | undefined;
      readonly at: number;
    }
  | { readonly kind: "move"; readonly from: Value; readonly to: Value; readonly at: number }
  | {
      readonly kind: "copy";
      readonly from: Value;
      readonly to: Value;
      readonly at: number;
    }
  | {
      readonly kind: "mode";
      readonly path: Value;
      readonly isRecursive: boolean;
      /** The mode as digits, where it is one that is known. */
      readonly setting?: string | undefined;
      readonly at: number;
    }
  /** `sends`: what leaves (body, query); origins tell whether a file or the environment is in it. */
  | {
      readonly kind: "network";
      readonly target: Value;
      readonly sends: readonly Value[];
      /** The method of HTTP, in any case. */
      readonly method?: string | undefined;
      /** Texts that are known of what is sent, as JSON where they are members of something. */
      readonly bodies?: readonly string[];
      readonly at: number;
    }
  /** Shown to whoever started the program; told only where a variable of the environment is in it. */
  | { readonly kind: "output"; readonly value: Value; readonly at: number }
  /** A statement for a database; `file` when that is a file. */
  | {
      readonly kind: "sql";
      readonly statement: Value;
      readonly file: Value | undefined;
      readonly at: number;
    }
  /** Something that a rule knows by its id. */
  | { readonly kind: "operation"; readonly effect: OperationEffect; readonly at: number }
  /** `os.chdir` and the like: the cwd of later calls. Readers apply it themselves; told for the explanation. */
  | { readonly kind: "directory"; readonly path: Value; readonly at: number };

export interface CodeReading {
  readonly calls: readonly CodeCall[];
  /** False when the text could not be read to its end (limit, or not this language). */
  readonly isComplete: boolean;
}

/**
 * How the shell asks what program text of another language does; `src/code/read-code.ts` implements it. Never
 * throws; linear in the text. Origins of kind `network`, `program` and `decoded` made inside code use `invocation` given here.
 */
export type CodeReader = (
  language: Language,
  code: Value,
  context: CodeContext,
  invocation: number,
) => CodeReading;
