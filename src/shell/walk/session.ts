import { type Budget, createBudget } from "../budget.ts";
import type { CodeReader } from "../code-calls.ts";
import { findCriticalWords } from "../critical-words.ts";
import type {
  AssignmentFact,
  CodeEffect,
  CodeRun,
  FunctionFact,
  Invocation,
  LinkFact,
  Parent,
  PipelinePosition,
  Place,
  Redirection,
  ShellContext,
  ShellFacts,
  Unexamined,
  WrittenFile,
} from "../facts.ts";
import { LIMITS } from "../limits.ts";
import type { Span, Value } from "../value.ts";
import { cloneState, type Positionals, type ShellState, type Source, type Variable } from "./state.ts";
import type { FunctionNode, ParsedScript } from "./syntax.ts";

/** The way back from words to commands: what stands inside them runs, too. */
export interface Walker {
  /** Walks the script of a substitution in a subshell; gives the alternatives of its output. */
  runSubstitution(script: ParsedScript, node: Located, scope: Scope): readonly Value[];
  /** Walks text as code of the current shell. */
  runInside(code: string, scope: Scope): void;
  /** The number an arithmetic text gives, undefined when it is not constant; substitutions in it run. */
  compute(written: string, scope: Scope): number | undefined;
}

export interface Located {
  readonly pos: number;
  readonly end: number;
}

/** One analysis: the context it was given, the facts found so far, the work left. */
export interface Session {
  readonly context: ShellContext;
  readonly tmpdir: string;
  readonly readCode: CodeReader;
  readonly walker: Walker;
  readonly budget: Budget;
  readonly words: Budget;
  readonly invocations: Invocation[];
  readonly redirections: Redirection[];
  readonly codeRuns: CodeRun[];
  readonly codeEffects: CodeEffect[];
  readonly writtenFiles: WrittenFile[];
  readonly links: LinkFact[];
  readonly functions: Map<string, FunctionFact>;
  readonly assignments: AssignmentFact[];
  readonly unexamined: Unexamined[];
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
  /** Somebody reads the output, so it is worth computing. */
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

export function createSession(context: ShellContext, readCode: CodeReader, walker: Walker): Session {
  return {
    context,
    tmpdir: context.tmpdir ?? "/tmp",
    readCode,
    walker,
    budget: createBudget(LIMITS.steps, context.isLate),
    words: createBudget(LIMITS.words),
    invocations: [],
    redirections: [],
    codeRuns: [],
    codeEffects: [],
    writtenFiles: [],
    links: [],
    functions: new Map(),
    assignments: [],
    unexamined: [],
    nextNumber: 1,
  };
}

/** A copy of the shell's state for a branch or a subshell; paid for by its size. */
export function forkState(scope: Scope): ShellState {
  const { variables, files, functions } = scope.state;
  scope.session.budget.take(20 + variables.size + files.size + functions.size);
  return cloneState(scope.state);
}

export function takeNumber(session: Session): number {
  const number = session.nextNumber;
  session.nextNumber += 1;
  return number;
}

/** A position of the walked text as a place in the command. */
export function spanOf(source: Source, node: Located): Span {
  // The parser may count one character more than there are, behind a backslash that ends the text.
  const start = Math.min(node.pos, source.text.length);
  return source.base ?? { start, end: Math.min(Math.max(start, node.end), source.text.length) };
}

/** Records a region nobody looked into. `region` is scanned for dangerous names. */
export function leaveUnexamined(
  session: Session,
  reason: Unexamined["reason"],
  message: string,
  region: string,
  span: Span,
): void {
  const isKnown = session.unexamined.some(
    known => known.reason === reason && known.span.start === span.start && known.span.end === span.end,
  );
  if (!isKnown) {
    session.unexamined.push({ reason, message, criticalWords: findCriticalWords(region), span });
  }
}

export function factsOf(session: Session): ShellFacts {
  return {
    invocations: session.invocations,
    redirections: session.redirections,
    codeRuns: session.codeRuns,
    codeEffects: session.codeEffects,
    writtenFiles: session.writtenFiles,
    links: session.links,
    functions: [...session.functions.values()],
    assignments: session.assignments,
    unexamined: session.unexamined,
    steps: session.budget.used + session.words.used,
  };
}
