import type { OperationRule } from "../config/index.ts";
import type { FileKind, System } from "../system/index.ts";
import type { Budget } from "./limits.ts";
import type { ParsedOptions } from "./options.ts";
import type { Span, Value } from "./value.ts";

/**
 * `local`: this machine. `remote`: another one (ssh, kubectl exec, docker exec), cwd unknown. `container`: a
 * fresh file system (docker run, chroot) in which only the mounts are ours.
 */
export type Place =
  | { readonly kind: "local" }
  | { readonly kind: "remote"; readonly via: string; readonly host: Value | undefined }
  | { readonly kind: "container"; readonly via: string; readonly mounts: readonly Mount[] };

export interface Mount {
  readonly host: Value;
  /** Absolute path inside. */
  readonly inside: Value;
  readonly isReadOnly: boolean;
}

/** The home directory on another machine: somewhere below the homes there, under a name that is not known. */
export const REMOTE_HOME = "/home/~";

/** The home directory that a program finds there, when `local` is the one of this machine. */
export function homeAt({ kind }: Place, local: string): string {
  return kind === "local" ? local : kind === "container" ? "/root" : REMOTE_HOME;
}

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
  | "cmd"
  /** any language that has no grammar here: searched, not read */
  | "other";

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
 * has one, else to the program's. A target that cannot be resolved is an unknown value, never left out. `at` is the
 * offset of the call in the text.
 */
export type CodeCall = { readonly at: number } & (
  | /** A string handed to a shell: `os.system`, backticks, `exec("…")`. */
  { readonly kind: "shell"; readonly command: Value; readonly cwd?: Value | undefined }
  /** A program with its arguments, no shell between. `isOpenEnded`: more, unknown, arguments follow. */
  | {
      readonly kind: "spawn";
      readonly argv: readonly Value[];
      readonly isOpenEnded: boolean;
      readonly cwd?: Value | undefined;
      readonly stdin?: Value | undefined;
    }
  /** More code of some language: `eval`, `exec(b64decode(…))`, `iex`. Origins of `code` tell decoded or network. */
  | { readonly kind: "evaluate"; readonly language: Language | "shell"; readonly code: Value }
  | { readonly kind: "delete"; readonly path: Value; readonly isRecursive: boolean }
  /** `endings`, `leavesHidden`: of the names that a pattern in the path stands for, those that are meant */
  | {
      readonly kind: "read";
      readonly path: Value;
      readonly endings?: readonly string[];
      readonly leavesHidden?: boolean;
    }
  | {
      readonly kind: "write";
      readonly path: Value;
      readonly isAppend: boolean;
      readonly content: Value | undefined;
    }
  | { readonly kind: "move"; readonly from: Value; readonly to: Value }
  /** `isPacked`: what is in the archive comes into the folder under names of its own */
  | { readonly kind: "copy"; readonly from: Value; readonly to: Value; readonly isPacked?: boolean }
  | {
      readonly kind: "mode";
      readonly path: Value;
      readonly isRecursive: boolean;
      /** The mode as digits, where it is one that is known. */
      readonly setting?: string | undefined;
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
    }
  /** Shown to whoever started the program; told only where a variable of the environment is in it. */
  | { readonly kind: "output"; readonly value: Value }
  /** A statement for a database; `file` when that is a file. */
  | { readonly kind: "sql"; readonly statement: Value; readonly file: Value | undefined }
  /** A function that no table knows, of a library or of what one of its functions gave: `kfp.Client().delete_run`. */
  | {
      readonly kind: "member";
      readonly name: string;
      readonly options: readonly { readonly name: string; readonly value: string }[];
      readonly values: readonly string[];
    }
  /** Something that a rule knows by its id. */
  | { readonly kind: "operation"; readonly effect: OperationEffect }
  /** `os.chdir` and the like: the cwd of later calls. Readers apply it themselves; told for the explanation. */
  | { readonly kind: "directory"; readonly path: Value }
);

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
  /** what is there and not among them: hidden names, what git ignores, what git does not know, what lies deeper */
  readonly leaves?: readonly Left[];
  /** regular expressions that a filter behind it asks for, all of them */
  readonly matching?: readonly string[];
  /** a regular expression that each of the files holds */
  readonly holding?: string;
}

export type Left = "hidden" | "ignored" | "untracked" | "below";

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
      /** what is searched for in everything below the path; the empty text is in every file */
      readonly search?: Value;
      /** of what is below, which files a search looks into; without it into all of them */
      readonly below?: SearchedFiles;
      /** everything below goes along: into an archive, a package, an image or to where it is deployed */
      readonly taken?: TakenTree;
      /** what links below the path lead to is read as well */
      readonly followsLinks?: boolean;
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
      /** instead of each path that is named, those beside it that it is given here */
      readonly beside?: (path: string) => readonly string[];
    }
  | { readonly kind: "send"; readonly to: Value | undefined; readonly payloads: readonly Payload[] }
  | { readonly kind: "git"; readonly words: GitWords }
  | OperationEffect
);

/** Patterns of names. */
export interface SearchedFiles {
  /** these alone; all where there is none */
  readonly only: readonly string[];
  readonly without: readonly string[];
  readonly leavesHidden: boolean;
  /** as git ignores them */
  readonly leavesIgnored: boolean;
  /** only what git knows */
  readonly leavesUntracked?: boolean;
  /** only what lies in the folder itself */
  readonly leavesBelow?: boolean;
}

/** What of a folder stays behind, in patterns as git's. */
export interface TakenTree {
  /** names of files in the folder that say it; the first that is there counts */
  readonly ignoreFiles: readonly string[];
  readonly leftOut: readonly string[];
  /** an archive on this machine: it leaves only if something of the command sends it */
  readonly staysHere?: boolean;
  /** files that git ignores stay behind as well */
  readonly leavesIgnored?: boolean;
}

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

/** Everything the analysis may know about the outside. Other environment variables are never believed. */
export interface ShellContext {
  /** Absolute. */
  readonly cwd: string;
  readonly home: string;
  readonly previousCwd?: string | undefined;
  /** `/tmp` when absent. */
  readonly tmpdir?: string | undefined;
  readonly user?: string | undefined;
  /** Where scripts may be read from, besides temp; `cwd` when absent. Finding it costs look-ups. */
  readonly projectRoot?: (() => string | undefined) | undefined;
  readonly files?: FileLookup | undefined;
  /** Files that the session of this command wrote; asked only when one may be run. */
  readonly ownFiles?: OwnFiles | undefined;
  /** True once the time for an answer is nearly over; the rest then stays unexamined. */
  readonly isLate?: (() => boolean) | undefined;
  /** The text is a script that others call with arguments, so `$1` may be anything. */
  readonly hasArguments?: boolean | undefined;
}

/** What is known of the files that a session wrote before. Paths are absolute. */
export interface OwnFiles {
  has(path: string): boolean;
  /** Those with this last name. */
  named(name: string): readonly string[];
  /** Whether one of them lies directly in this directory. */
  hasBelow?(path: string): boolean;
}

/**
 * What a command text does, as plain facts. Both branches of every condition are in; alternatives (two values
 * of a variable, two directories) appear as separate facts with the same span.
 */
export interface ShellFacts {
  /** In the order of evaluation; `id` is the index. Wrappers stand in front of what they run. */
  readonly invocations: readonly Invocation[];
  /** What each of them does; by its id, undefined for nothing. */
  readonly effects: readonly (readonly ProgramEffect[] | undefined)[];
  /** Invocations that print names of files, and which; by id. */
  readonly listings: ReadonlyMap<number, Listing>;
  /** Every redirection of files, also those of groups and of no command at all. */
  readonly redirections: readonly Redirection[];
  /** Text that ran as code, with its origins: the base of exec.remote and exec.decoded. */
  readonly codeRuns: readonly CodeRun[];
  /** What interpreter code does by itself, without a process. */
  readonly codeEffects: readonly CodeEffect[];
  /** Files whose content the command makes: redirects, tee, cp, curl -o, process substitutions. */
  readonly writtenFiles: readonly WrittenFile[];
  /** Names that `ln` makes for other paths. */
  readonly links: readonly LinkFact[];
  readonly functions: readonly FunctionFact[];
  /** Assignments to variables, in order, exported or not. */
  readonly assignments: readonly AssignmentFact[];
  /** Texts that are not known and that the shell computes, which runs the commands in a subscript. */
  readonly computed: readonly Value[];
  /** What was not looked into, and why. Empty for an ordinary command. */
  readonly unexamined: readonly Unexamined[];
  readonly steps: number;
}

/** One way in which one program is started. Functions and aliases are not facts; what they start is. */
export interface Invocation {
  readonly id: number;
  /** Base name, lower case kept, `.exe` removed; undefined when the name is not known (see `argv[0]`). */
  readonly program: string | undefined;
  /** `argv[0]` is the program word as resolved. Never empty. */
  readonly argv: readonly Value[];
  /** More arguments follow that are not known (xargs, `"$@"`, an unknown array). */
  readonly isOpenEnded: boolean;
  /** Absolute, or an unknown value; a path inside the container or on the remote host if `place` says so. */
  readonly cwd: Value;
  /** Variables that the command text itself sets for this program: prefix, export, `env`. Last one counts. */
  readonly environment: readonly EnvironmentEntry[];
  readonly place: Place;
  /** Reached through sudo, doas, su, pkexec or the like. */
  readonly isElevated: boolean;
  /** Undefined: the shell's own stdin. */
  readonly stdin: Value | undefined;
  /** Redirections of this very command. */
  readonly redirections: readonly Redirection[];
  /** Position in a pipeline; `id` is shared by its members. */
  readonly pipeline: PipelinePosition | undefined;
  readonly isBackground: boolean;
  /** Its output goes to a pipe, a file or another command, not to whoever reads along. */
  readonly isCaptured: boolean;
  /** How the analysis came here; undefined for a command that stands in the text itself. */
  readonly parent: Parent | undefined;
  readonly span: Span;
}

export interface EnvironmentEntry {
  readonly name: string;
  /** Undefined: removed (`env -u`, `unset`). */
  readonly value: Value | undefined;
}

export interface PipelinePosition {
  readonly id: number;
  readonly index: number;
  readonly length: number;
}

/** The invocation that led here, and how. */
export interface Parent {
  readonly invocation: number;
  readonly via: "wrapper" | "shell" | "script" | "eval" | "trap" | "code" | "option";
}

export interface Redirection {
  readonly operation: "read" | "write" | "append" | "read-write";
  /** 1 for `>`, 0 for `<`, the new number for `{name}>`; `&>` counts as 1. */
  readonly descriptor: number | undefined;
  readonly target: Value;
  readonly cwd: Value;
  readonly place: Place;
  /** Undefined: redirection of a group, or without a command. */
  readonly invocation: number | undefined;
  readonly span: Span;
}

export interface CodeRun {
  readonly language: Language | "shell";
  readonly code: Value;
  /** `argument`: -c, -e, eval; `stdin`: pipe, heredoc; `file`: script or source; `handler`: trap, alias, hook. */
  readonly from: "argument" | "stdin" | "file" | "handler";
  /** The script, for `file`. */
  readonly path: Value | undefined;
  /** The interpreter; undefined for traps and the like. */
  readonly invocation: number | undefined;
  /** The text was known and read, so its content is among the facts. */
  readonly isExamined: boolean;
  readonly span: Span;
}

export interface CodeEffect {
  readonly call: CodeCall;
  /** The interpreter: gives cwd, place, elevation. */
  readonly invocation: number;
  readonly span: Span;
}

export interface WrittenFile {
  /** Absolute when it can be known. */
  readonly path: Value;
  /** What is in it afterwards, as far as known. */
  readonly content: Value;
  readonly isAppend: boolean;
  /** Facts with a larger invocation id see the file. */
  readonly invocation: number;
  readonly span: Span;
}

export interface LinkFact {
  /** Absolute. */
  readonly path: Value;
  readonly target: Value;
  /** Facts with a larger invocation id see the link. */
  readonly invocation: number;
}

/** A function, or a loop without end, which has no name of its own. */
export interface FunctionFact {
  readonly name: string;
  /** Calls itself in a pipeline or in the background: `f(){ f|f& };f`. */
  readonly isForkBomb: boolean;
  readonly isCalled: boolean;
  readonly span: Span;
}

export interface AssignmentFact {
  readonly name: string;
  readonly value: Value;
  readonly isExported: boolean;
  readonly span: Span;
}

/**
 * `incomplete`: an open quote or compound, which the shell refuses to run. The others may run, so a rule has
 * to react when `criticalWords` is not empty.
 */
export interface Unexamined {
  readonly reason:
    | "incomplete"
    | "syntax"
    | "input-size"
    | "nesting"
    | "words"
    | "expansions"
    | "steps"
    | "failure";
  /** For people. */
  readonly message: string;
  /** Dangerous program names found by a plain scan of the region. */
  readonly criticalWords: readonly string[];
  readonly span: Span;
}

/**
 * The few questions one analysis asks about files. Answers are undefined when something cannot be read; no
 * method throws, and no directory is listed twice.
 */
interface FileLookup {
  /** What the path leads to, links followed. */
  kind(path: string): FileKind | undefined;
  /** Names in a directory; undefined when there are more than `limit`. */
  list(path: string, limit: number): readonly string[] | undefined;
  /** The whole file as text; undefined when longer than `limitBytes`. */
  readText(path: string, limitBytes: number): string | undefined;
  /** A file that is there and is no text, as compiled programs are. */
  isBinary?(path: string): boolean;
  /** Another one after every change of the file that the path leads to. */
  stamp?(path: string): string | undefined;
}

/** `onText` is told when the content of a file was read. */
export function createFileLookup(
  system: Pick<System, "files" | "text">,
  onText: () => void = () => {},
): FileLookup {
  const lists = new Map<string, readonly string[] | undefined>();
  return {
    kind: path => attempt(() => system.files.follow(path)?.kind),
    list: (path, limit) => {
      const names = lists.has(path) ? lists.get(path) : attempt(() => system.files.list(path));
      lists.set(path, names);
      return names === undefined || names.length > limit ? undefined : names;
    },
    stamp: path => attempt(() => system.files.exactFacts(system.files.realPath(path))?.stamp),
    isBinary: path => attempt(() => system.files.readRange(path, 0, 512).includes(0)) === true,
    readText: (path, limitBytes) =>
      attempt(() => {
        if (system.files.follow(path)?.kind !== "file") return undefined;
        const { text } = system.text.decode(system.files.read(path, limitBytes));
        onText();
        return text;
      }),
  };
}

function attempt<Answer>(ask: () => Answer | undefined): Answer | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
