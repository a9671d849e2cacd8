import type { CodeCall, Language } from "./code-calls.ts";
import type { Listing, ProgramEffect } from "./effects.ts";
import type { FileLookup } from "./file-lookup.ts";
import type { Place } from "./place.ts";
import type { Span, Value } from "./value.ts";

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
