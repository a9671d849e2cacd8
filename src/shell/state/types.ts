import type { Budget } from "../budget.ts";
import type { CodeReader } from "../code-calls.ts";
import type { Listing, ProgramEffect } from "../effects.ts";
import type {
  AssignmentFact,
  CodeEffect,
  CodeRun,
  EnvironmentEntry,
  FunctionFact,
  Invocation,
  LinkFact,
  Parent,
  PipelinePosition,
  Redirection,
  ShellContext,
  Unexamined,
  WrittenFile,
} from "../facts.ts";
import type { Place } from "../place.ts";
import type {
  AndOr,
  CompoundList,
  FunctionNode,
  ParsedScript,
  PipelineNode,
  Statement,
} from "../syntax/syntax.ts";
import type { Span, Value } from "../value.ts";
import type { Content, Positionals, ShellState, Source, Variable } from "./state.ts";

/** The alternatives of what a command writes to its stdout; at least one. */
export type Output = readonly Value[];

/** The way back from words to commands: what stands inside them runs, too. */
export interface Walker {
  /** Walks the script of a substitution in a subshell; gives the alternatives of its output. */
  runSubstitution(script: ParsedScript, node: Located, scope: Scope): readonly Value[];
  /** Walks text as code of the current shell. */
  runInside(code: string, scope: Scope): void;
  /** The number an arithmetic text gives, undefined when it is not constant; substitutions in it run. */
  compute(written: string, scope: Scope): number | undefined;
  /** Walks statements in order in the given scope. */
  runStatements(statements: readonly Statement[], scope: Scope): Output;
  /** Walks one command of any kind. */
  runNode(node: PipelineNode | AndOr | CompoundList, scope: Scope): Output;
  /** Starts a program and follows what it leads to. */
  execute(call: PendingCall): Output;
  /** The command of the shell itself that has this name. */
  findBuiltin(name: string): Builtin | undefined;
}

export interface Located {
  readonly pos: number;
  readonly end: number;
}

/** What an analysis knows besides the shell: programs, and the languages they read. */
export interface Knowledge {
  readonly readCode: CodeReader;
  readonly programs: Programs;
}

/** One analysis: the context it was given, the facts found so far, the work left. */
export interface Session {
  readonly context: ShellContext;
  readonly tmpdir: string;
  readonly readCode: CodeReader;
  readonly programs: Programs;
  readonly walker: Walker;
  readonly budget: Budget;
  readonly words: Budget;
  readonly invocations: Invocation[];
  /** What each invocation does; by its id. */
  readonly effects: (readonly ProgramEffect[])[];
  /** Invocations that print names of files. */
  readonly listings: Map<number, Listing>;
  /** Invocations that turn their input into arguments of others, with that input. */
  readonly argumentLists: Map<number, Value | undefined>;
  /** Invocations of programs that make what they are given vanish. */
  readonly removers: Set<number>;
  readonly redirections: Redirection[];
  readonly codeRuns: CodeRun[];
  readonly codeEffects: CodeEffect[];
  readonly writtenFiles: WrittenFile[];
  readonly links: LinkFact[];
  readonly functions: Map<string, FunctionFact>;
  readonly assignments: AssignmentFact[];
  readonly unexamined: Unexamined[];
  /** How often each script was read that the session wrote. */
  readonly ownScripts: Map<string, number>;
  /** Numbers for pipelines, temporary files and descriptors. */
  nextNumber: number;
}

/** What surrounds the command being walked. `state` changes; the rest holds for the whole scope. */
export interface Scope {
  readonly session: Session;
  readonly state: ShellState;
  readonly source: Source;
  readonly stdin: Value | undefined;
  readonly place: Place;
  readonly isElevated: boolean;
  readonly pipeline: PipelinePosition | undefined;
  readonly isBackground: boolean;
  /** The output is read, so it is worth computing. */
  readonly isCaptured: boolean;
  readonly parent: Parent | undefined;
  readonly depth: number;
  /** Loops around this one whose bodies are walked twice. */
  readonly loops: number;
  /** How often the loops around this one repeat it. */
  readonly rounds: number;
  /** Variables that `local` hid, to be put back when the function ends. */
  readonly hidden: Map<string, Variable | undefined> | undefined;
  /** Scripts read from disk above this one. */
  readonly scripts: number;
  /** Functions being walked; by their text, because a name can be given anew inside. */
  readonly activeFunctions: readonly ActiveFunction[];
}

export interface ActiveFunction {
  readonly node: FunctionNode;
  readonly positionals: Positionals;
}

/** A program about to be started: resolved words and everything that surrounds them. */
export interface PendingCall {
  readonly argv: readonly Value[];
  readonly isOpenEnded: boolean;
  readonly cwd: Value;
  readonly stdin: Value | undefined;
  /** Set for this program alone: prefix assignments, `env`. */
  readonly environment: readonly EnvironmentEntry[];
  /** `env -i`: variables of the shell are not handed on. */
  readonly isCleared: boolean;
  readonly redirections: readonly Redirection[];
  /** Array and other assignments among the words of `declare`, `export` and the like. */
  readonly declarations: readonly Declaration[];
  readonly place: Place;
  readonly isElevated: boolean;
  readonly parent: Parent | undefined;
  /** Runs in the shell itself: builtins, functions and changes of state count. */
  readonly isInShell: boolean;
  /** `command` and `builtin` pass functions and aliases by. */
  readonly skipsFunctions: boolean;
  /** Programs in front of this one in the same chain. */
  readonly wrappers: number;
  readonly span: Span;
  readonly scope: Scope;
}

/** A program that was started: its fact has been recorded. */
export interface ProgramCall extends PendingCall {
  /** Index of its fact in the list of invocations. */
  readonly id: number;
}

export interface Declaration {
  readonly name: string;
  readonly contents: readonly Content[];
  readonly span: Span;
}

/** A command of the shell itself; gives its output. */
export type Builtin = (call: ProgramCall) => Output;

/** How a text came to run as code. */
export interface CodeSource {
  readonly from: CodeRun["from"];
  readonly path?: Value | undefined;
  readonly via: Parent["via"];
}

/**
 * What the shell asks about programs. It knows none of them by name: whoever starts an analysis hands in the table.
 * No method throws for any words a program may be started with.
 */
export interface Programs {
  /**
   * Runs what a started program runs and records what it writes; says what it prints and does. A name that is not
   * known is judged as what it could be. Without `runs` nothing is run: there is no work left for it.
   */
  follow(name: string | undefined, call: ProgramCall, runs: boolean): Followed;
  /** Runs the text of a file that names its interpreter; undefined when a shell runs it. */
  interpret(
    interpreter: string,
    code: Value,
    operands: readonly Value[],
    call: ProgramCall,
    source: CodeSource,
  ): Output | undefined;
  /** True for a name that is worth guessing at. */
  isKnown(name: string): boolean;
  /** Known names, for a pattern in the place of the program. */
  readonly names: Iterable<string>;
  /** True for programs that fail so seldom that what follows `&&` may be taken to run. */
  seldomFails(name: string): boolean;
  /** True for programs that run code: under their names processes of many others run. */
  runsCode(name: string): boolean;
  /** Names of dangerous programs in text that could not be analysed, each once, in order. */
  findDangerous(region: string): readonly string[];
}

export interface Followed {
  /** Undefined: nothing is known about the program. */
  readonly output: Output | undefined;
  readonly effects: readonly ProgramEffect[];
}
