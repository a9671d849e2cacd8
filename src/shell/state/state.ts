import type {
  AssignmentFact,
  CodeEffect,
  CodeReader,
  CodeRun,
  EnvironmentEntry,
  FunctionFact,
  Invocation,
  LinkFact,
  Listing,
  Parent,
  PipelinePosition,
  Place,
  ProgramEffect,
  Redirection,
  ShellContext,
  ShellFacts,
  Unexamined,
  WrittenFile,
} from "../facts.ts";
import { type Budget, createBudget, LIMITS } from "../limits.ts";
import type {
  AndOr,
  CompoundList,
  FunctionNode,
  ParsedScript,
  PipelineNode,
  ProcessSubstitutionPart,
  Statement,
} from "../syntax/syntax.ts";
import { blend, combine, concatenate, describe, type Span, text, unknown, type Value } from "../value.ts";

/** The alternatives of what a command writes to its stdout; at least one. */
export type Output = readonly Value[];

/** The way back from words to commands: what stands inside them runs, too. */
export interface Walker {
  /** Walks the script of a substitution in a subshell; gives the alternatives of its output. */
  runSubstitution(script: ParsedScript, node: Located, scope: Scope): readonly Value[];
  /** Walks text as code of the current shell. */
  runInside(code: string, scope: Scope): void;
  /** The number an arithmetic text gives, undefined when it is not constant; substitutions in it run. */
  compute(written: Value, scope: Scope): number | undefined;
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
  readonly computed: Value[];
  readonly unexamined: Unexamined[];
  /** How often each script was read that the session wrote. */
  readonly ownScripts: Map<string, number>;
  /** Texts whose rest was left when the work was used up. */
  readonly cutTexts: Set<string>;
  /** Files of this command that a variable named, each run once. */
  readonly loadedFiles: Set<FileEntry>;
  /** Values of variables that were run as commands. */
  readonly runValues: Set<string>;
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
  /** Runs the text of a file that names its interpreter, `other` for any; undefined when a shell runs it. */
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

/** What one shell remembers while its commands are walked from left to right. */
export interface ShellState {
  /** Where the shell may be now; one entry in all ordinary cases. */
  cwds: readonly Value[];
  previousCwds: readonly Value[];
  /** Where the shell still is if the last `cd` fails; that directory does not exist now. */
  fallbackCwds: readonly Value[] | undefined;
  directoryStack: readonly (readonly Value[])[];
  readonly variables: Map<string, Variable>;
  readonly functions: Map<string, FunctionDefinition>;
  readonly aliases: Map<string, string>;
  /** Absolute path → what this command put there. */
  readonly files: Map<string, FileEntry>;
  readonly traps: Map<string, Handler>;
  readonly descriptors: Map<number, Descriptor>;
  /** Pipes of `>(…)` that nothing was written to yet. */
  readonly sinks: Map<string, Sink>;
  positionals: Positionals;
  /** `set -a`: every variable is handed to programs. */
  exportsAll?: boolean;
}

/** An open descriptor besides stdin and stdout: what reading it gives, the file that writing to it fills. */
export interface Descriptor {
  readonly content?: Value | undefined;
  readonly path?: Value | undefined;
}

interface Sink {
  readonly script: ParsedScript;
  readonly node: ProcessSubstitutionPart;
}

/** The alternatives of a variable; `unset` is one of them when a branch may have skipped the assignment. */
export interface Variable {
  readonly contents: readonly Content[];
  readonly isExported: boolean;
  /** `declare -n`: the contents name another variable. */
  readonly isReference: boolean;
  /** What every value becomes before it is kept: `declare -i`, `-l`, `-u`. */
  readonly typing?: Typing | undefined;
}

export type Typing = "integer" | "lower" | "upper";

export type Content =
  | { readonly kind: "unset" }
  | { readonly kind: "scalar"; readonly value: Value }
  | { readonly kind: "array"; readonly elements: ReadonlyMap<string, Value>; readonly isOpenEnded: boolean };

export interface Positionals {
  readonly zero: Value;
  readonly values: readonly Value[];
  readonly isOpenEnded: boolean;
}

export interface FunctionDefinition {
  readonly node: FunctionNode;
  readonly source: Source;
  readonly isExported: boolean;
}

/** A text being walked, and how its positions and unknown parts relate to the command given. */
interface Source {
  readonly text: string;
  /** For nested code: everything in it is reported at this place of the command. */
  readonly base: Span | undefined;
  /** Characters of `text` that stand for unknown parts. */
  readonly placeholders: ReadonlyMap<string, Value>;
}

interface Handler {
  readonly code: Value;
  readonly span: Span;
  /** The `trap` that set it. */
  readonly invocation: number;
}

export interface FileEntry {
  /** Alternatives of what is in it. */
  readonly contents: readonly Value[];
  /** The file is a copy of, or link to, this path: `cp /bin/rm x`. */
  readonly sameAs?: string | undefined;
  readonly isLink?: boolean | undefined;
  readonly isDirectory?: boolean | undefined;
}

function cloneState(state: ShellState): ShellState {
  return {
    ...state,
    variables: new Map(state.variables),
    functions: new Map(state.functions),
    aliases: new Map(state.aliases),
    files: new Map(state.files),
    traps: new Map(state.traps),
    descriptors: new Map(state.descriptors),
    sinks: new Map(state.sinks),
  };
}

/** Makes `target` hold what either of two branches may have left behind. */
export function mergeState(target: ShellState, other: ShellState): void {
  target.cwds = uniteValues([target.cwds, other.cwds], "the current directory");
  target.previousCwds = uniteValues([target.previousCwds, other.previousCwds], "$OLDPWD");
  for (const name of new Set([...target.variables.keys(), ...other.variables.keys()])) {
    const merged = mergeVariables(name, target.variables.get(name), other.variables.get(name));
    if (merged !== undefined) target.variables.set(name, merged);
  }
  for (const [name, definition] of other.functions) target.functions.set(name, definition);
  for (const [name, alias] of other.aliases) target.aliases.set(name, alias);
  for (const [path, entry] of other.files)
    target.files.set(path, mergeFiles(path, target.files.get(path), entry));
  for (const [signal, handler] of other.traps) target.traps.set(signal, handler);
  for (const [descriptor, value] of other.descriptors) target.descriptors.set(descriptor, value);
  if (
    target.positionals !== other.positionals &&
    target.positionals.values.length < other.positionals.values.length
  ) {
    target.positionals = other.positionals;
  }
}

function mergeFiles(path: string, one: FileEntry | undefined, two: FileEntry): FileEntry {
  if (one === undefined || one === two) return two;
  return { ...two, contents: uniteValues([one.contents, two.contents], path) };
}

/** A subshell is gone, the files it wrote are not. */
export function adoptFiles(parent: ShellState, child: ShellState): void {
  for (const [path, entry] of child.files) parent.files.set(path, entry);
}

/** Makes `target` equal to `source`. */
export function replaceState(target: ShellState, source: ShellState): void {
  const { cwds, previousCwds, directoryStack, positionals, fallbackCwds } = source;
  Object.assign(target, { cwds, previousCwds, directoryStack, positionals, fallbackCwds });
  refill(target.variables, source.variables);
  refill(target.functions, source.functions);
  refill(target.aliases, source.aliases);
  refill(target.files, source.files);
  refill(target.traps, source.traps);
  refill(target.descriptors, source.descriptors);
  refill(target.sinks, source.sinks);
}

/** Replaces all entries of a map. */
export function refill<Key, Item>(target: Map<Key, Item>, source: ReadonlyMap<Key, Item>): void {
  if (target === source) return;
  if (target.size > 0) target.clear();
  if (source.size > 0) for (const [key, item] of source) target.set(key, item);
}

function mergeVariables(
  name: string,
  one: Variable | undefined,
  two: Variable | undefined,
): Variable | undefined {
  if (one === two) return one;
  const absent: Content = { kind: "scalar", value: environmentValue(name) };
  const contents = uniteContents([...(one?.contents ?? [absent]), ...(two?.contents ?? [absent])], name);
  return {
    contents,
    isExported: (one?.isExported ?? false) || (two?.isExported ?? false),
    isReference: (one?.isReference ?? false) || (two?.isReference ?? false),
    typing: one?.typing ?? two?.typing,
  };
}

/** A variable the command never set: the process may have it or not. */
export function environmentValue(name: string): Value {
  return unknown("any", `$${name}`, [{ kind: "environment", name }]);
}

function uniteContents(contents: readonly Content[], name: string): readonly Content[] {
  const distinct = new Map<string, Content>();
  for (const content of contents) distinct.set(contentKey(content), content);
  if (distinct.size <= LIMITS.alternatives) return [...distinct.values()];
  return [{ kind: "scalar", value: blend([...distinct.values()].flatMap(contentValues), `$${name}`) }];
}

function contentKey(content: Content): string {
  if (content.kind === "unset") return "unset";
  if (content.kind === "scalar") return `scalar ${valueKey(content.value)}`;
  return `array ${[...content.elements].map(([key, value]) => `${key}=${valueKey(value)}`).join("\n")}`;
}

function contentValues(content: Content): readonly Value[] {
  if (content.kind === "unset") return [text("")];
  return content.kind === "scalar" ? [content.value] : [...content.elements.values()];
}

/** Equal keys mean the same pieces; origins are left aside. */
export function valueKey(value: Value): string {
  return (
    value.pieces.map(piece => `${piece.kind[0]}${piece.kind === "unknown" ? piece.shape : ""}`).join("") +
    describe(value)
  );
}

/** Distinct values of several lists; a single unknown when there are too many. */
export function uniteValues(lists: readonly (readonly Value[])[], label: string): readonly Value[] {
  const [first, second] = lists;
  if (lists.length === 2 && first === second && first !== undefined) return first;
  const distinct = new Map<string, Value>();
  for (const list of lists) for (const value of list) distinct.set(valueKey(value), value);
  if (distinct.size <= LIMITS.alternatives) return [...distinct.values()];
  return [blend([...distinct.values()], label)];
}

export const NO_POSITIONALS: Positionals = { zero: text("bash"), values: [], isOpenEnded: false };

export function scalar(value: Value): Content {
  return { kind: "scalar", value };
}

export function createSession(
  context: ShellContext,
  { readCode, programs }: Knowledge,
  walker: Walker,
): Session {
  return {
    context,
    tmpdir: context.tmpdir ?? "/tmp",
    readCode,
    programs,
    walker,
    budget: createBudget(LIMITS.steps, context.isLate),
    words: createBudget(LIMITS.words),
    invocations: [],
    effects: [],
    listings: new Map(),
    argumentLists: new Map(),
    removers: new Set(),
    redirections: [],
    codeRuns: [],
    codeEffects: [],
    writtenFiles: [],
    links: [],
    functions: new Map(),
    assignments: [],
    computed: [],
    unexamined: [],
    ownScripts: new Map(),
    cutTexts: new Set(),
    loadedFiles: new Set(),
    runValues: new Set(),
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
export function toSpan(source: Source, node: Located): Span {
  // The parser may count one character more than there are, behind a backslash that ends the text.
  const start = Math.min(node.pos, source.text.length);
  return source.base ?? { start, end: Math.min(Math.max(start, node.end), source.text.length) };
}

/** Behind a bound lies what it may be, so that one region of each kind is enough, and as much of it as tells of the rest. */
const BEYOND_BOUNDS: ReadonlySet<Unexamined["reason"]> = new Set(["input-size", "nesting", "words", "steps"]);
const SCANNED_CHARACTERS = 8 * 1024;

/** Records a region that was not examined. `region` is scanned for dangerous names. */
export function leaveUnexamined(
  session: Session,
  reason: Unexamined["reason"],
  message: string,
  region: string,
  span: Span,
): void {
  const isBeyond = BEYOND_BOUNDS.has(reason);
  const isKnown = session.unexamined.some(
    known =>
      known.reason === reason &&
      ((isBeyond && known.message === message) ||
        (known.span.start === span.start && known.span.end === span.end)),
  );
  if (isKnown) return;
  const isLong = isBeyond && region.length > 2 * SCANNED_CHARACTERS;
  const scanned = isLong
    ? `${region.slice(0, SCANNED_CHARACTERS)} ${region.slice(-SCANNED_CHARACTERS)}`
    : region;
  session.unexamined.push({ reason, message, criticalWords: session.programs.findDangerous(scanned), span });
}

export function collectFacts(session: Session): ShellFacts {
  return {
    invocations: session.invocations,
    listings: session.listings,
    effects: session.effects,
    redirections: session.redirections,
    codeRuns: session.codeRuns,
    codeEffects: session.codeEffects,
    writtenFiles: session.writtenFiles,
    links: session.links,
    functions: [...session.functions.values()],
    assignments: session.assignments,
    computed: session.computed,
    unexamined: session.unexamined,
    steps: session.budget.used + session.words.used,
  };
}

/** A command that never prints: joining and uniting outputs leaves it out. */
export const NO_OUTPUT: Output = [text("")];

/** One alternative among others: that nothing is printed. */
export const EMPTY_OUTPUT: Output = [text("")];

const PIECES = 64;

/** One after the other. */
export function appendOutput(first: Output, second: Output): Output {
  if (first === NO_OUTPUT || first.length === 0) return second;
  if (second === NO_OUTPUT || second.length === 0) return first;
  const chosen = combine([first, second], LIMITS.alternatives);
  if (chosen === undefined) return [blend([...first, ...second], "output")];
  return chosen.map(values => {
    const joined = concatenate(values);
    return joined.pieces.length > PIECES ? blend([joined], "output") : joined;
  });
}

/** All of them, one after the other: joined in one step, where there is no choice. */
export function joinOutputs(outputs: readonly Output[]): Output {
  const filled = outputs.filter(output => output !== NO_OUTPUT && output.length > 0);
  if (filled.some(output => output.length > 1)) return filled.reduce(appendOutput);
  if (filled.length === 0) return outputs.at(-1) ?? NO_OUTPUT;
  const joined = concatenate(filled.flat());
  return [joined.pieces.length > PIECES ? blend([joined], "output") : joined];
}

/** One or the other. */
export function eitherOutput(...outputs: readonly Output[]): Output {
  const filled = outputs.filter(output => output !== NO_OUTPUT && output.length > 0);
  if (filled.length === 0) return NO_OUTPUT;
  return filled.length === 1 ? (filled[0] ?? NO_OUTPUT) : uniteValues(filled, "output");
}
