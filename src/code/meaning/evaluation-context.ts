import {
  type CodeCall,
  type CodeContext,
  concatenate,
  dropKnown,
  joinPath,
  knownPrefix,
  type Language,
  normalisePath,
  type Origin,
  type Piece,
  text,
  unknown,
  type Value,
} from "../../shell/index.ts";
import type { ReadingBudget, Source } from "../syntax/source.ts";
import type { FunctionDefinition, Node } from "../syntax/tree.ts";
import {
  type Datum,
  type FunctionDatum,
  firstValue,
  joined,
  knownDatumText,
  type LexicalScope,
  listDatum,
  literal,
  mapValue,
  reference,
  separatedBy,
  textDatum,
} from "./datum.ts";

/** A call about to happen: who is called, on what, with what. */
export interface FunctionCall {
  /** Qualified: `os.system`, `text.split`. */
  readonly name: string;
  readonly receiver: Datum | undefined;
  readonly positional: readonly Datum[];
  readonly named: ReadonlyMap<string, Datum>;
  /** More positional arguments follow that are not known. */
  readonly isOpenEnded: boolean;
  /** Positional and named arguments in the order of writing, for languages whose calls are command lines. */
  readonly words?: readonly { readonly name: string | undefined; readonly value: Datum }[];
  readonly at: number;
}

/** What a function of a language's library does: notes the effect, gives the result. Undefined: not known. */
export type LibraryFunction = (call: FunctionCall, context: EvaluationContext) => Datum | undefined;

/** Meanings by name; a map is one. */
export interface Table<Meaning> {
  get(name: string): Meaning | undefined;
  has(name: string): boolean;
  keys(): Iterable<string>;
}

/** Everything that makes one language mean something different from another. */
export interface LanguageDefinition {
  readonly id: Language;
  readonly parse: (source: string, budget: ReadingBudget) => readonly Node[];
  /** By qualified name: `os.system`, `path.unlink`, `list.append`. */
  readonly functions: Table<LibraryFunction>;
  /** By bare method name, for receivers of unknown type. Only names that can hardly mean anything else. */
  readonly methods: Table<LibraryFunction>;
  readonly constants: Table<(context: EvaluationContext) => Datum>;
  /** What reading a member of a typed text gives: `path.parent`. */
  readonly properties: Table<(receiver: Datum, context: EvaluationContext) => Datum>;
  /** The one spelling of a name that has several. */
  readonly canonical: (name: string) => string;
  /** Names whose members are environment variables. */
  readonly environments: ReadonlySet<string>;
  /** A path as the guard knows paths, where the language writes them differently. */
  readonly toPath?: (path: Datum, context: EvaluationContext) => Datum;
  /** A function's last value is its result. */
  readonly returnsLast: boolean;
  /** A function can be called above its definition. */
  readonly hoistsFunctions?: boolean;
  /** Lists hold no lists: a list among items is its items. */
  readonly flattensLists?: boolean;
  /** A text can be called: it names the function. */
  readonly callsTexts?: boolean;
}

/** Follows the program's own nodes. It is handed on, so that library functions need not import it. */
interface Evaluator {
  evaluate(context: EvaluationContext, scope: LexicalScope, node: Node): Datum;
  evaluateAll(context: EvaluationContext, scope: LexicalScope, nodes: readonly Node[]): Datum;
}

/** One reading under way. */
export interface EvaluationContext {
  readonly evaluator: Evaluator;
  readonly language: LanguageDefinition;
  readonly source: Source;
  readonly inputs: CodeContext;
  readonly invocation: number;
  readonly budget: ReadingBudget;
  readonly calls: CodeCall[];
  /** What was found already, by kind and place, so that the same call is told once. */
  readonly noted: Map<string, CodeCall | Set<string>>;
  readonly globals: LexicalScope;
  /** Members given to things that are no record: `self.path = …`. */
  readonly members: Map<string, Datum>;
  readonly active: Set<FunctionDefinition>;
  /** What functions gave for arguments they were followed with. */
  readonly results: Map<FunctionDefinition, Map<string, Datum>>;
  readonly numbers: Map<FunctionDefinition, number>;
  /** Functions that were not called yet. */
  readonly uncalled: Map<FunctionDefinition, FunctionDatum>;
  /** Undefined until the program changes its directory. */
  directory: Value | undefined;
  /** What started programs read, once the program has put something in the place of its own stdin. */
  standardInput: Value | undefined;
  /** Inside `eval`: the place of that call. */
  evaluatedAt: number | undefined;
  depth: number;
  conditions: number;
  /** How many loops around here never end and wait for nothing. */
  endless: number;
  evaluations: number;
}

export function homeDatum(context: EvaluationContext): Datum {
  const set = context.inputs.environment("HOME");
  return textDatum(set ?? text(context.inputs.home));
}

function currentDirectory(context: EvaluationContext): Value {
  return context.directory ?? context.inputs.cwd;
}

export function workingDirectory(context: EvaluationContext): Datum {
  return textDatum(currentDirectory(context));
}

export function temporaryDirectory(context: EvaluationContext): Datum {
  return literal(context.inputs.tmpdir);
}

/** What a program reads on its standard input, when that is known. */
export function standardInput(context: EvaluationContext): Datum {
  return textDatum(context.inputs.stdin ?? unknown("any", "stdin", [{ kind: "input" }]));
}

/** The program's own arguments, behind the words its language puts in front. */
export function argumentList(context: EvaluationContext, ...before: readonly string[]): Datum {
  return listDatum([...before.map(literal), ...context.inputs.arguments.map(value => textDatum(value))]);
}

/** An environment variable as the program sees it. */
export function environmentDatum(context: EvaluationContext, name: string): Datum {
  const set = context.inputs.environment(name);
  if (set !== undefined) return textDatum(set);
  switch (name) {
    case "HOME":
    case "USERPROFILE":
      return literal(context.inputs.home);
    case "PWD":
      return textDatum(context.inputs.cwd);
    case "TMPDIR":
    case "TEMP":
    case "TMP":
      return literal(context.inputs.tmpdir);
    case "USER":
    case "LOGNAME":
    case "USERNAME":
      if (context.inputs.user !== undefined) return literal(context.inputs.user);
      break;
  }
  return textDatum(unknown("any", `$${name}`, [{ kind: "environment", name }]));
}

/** All variables at once: what `print(os.environ)` shows. */
export function wholeEnvironment(name: string): Datum {
  return reference(name, [{ kind: "environment", name: "*" }]);
}

export function fromNetwork(context: EvaluationContext): Origin {
  return { kind: "network", invocation: context.invocation };
}

export function fromDecoder(context: EvaluationContext): Origin {
  return { kind: "decoded", invocation: context.invocation };
}

/**
 * The argument of a call that a selector names, the first alternative that is there: `0` and `-1` are places,
 * `path` is a named argument, `{cwd}` a field of a record among the arguments, `1..` the list of all arguments
 * from there on, `this` what the function is called on, `handle` the file or address that `this` was opened for.
 */
export function select(call: FunctionCall, selector: string): Datum | undefined {
  for (const part of selector.split(" ")) {
    const found = selectPart(call, part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function selectPart(call: FunctionCall, part: string): Datum | undefined {
  if (part === "this") return call.receiver;
  if (part === "handle") return call.receiver?.kind === "reference" ? call.receiver.receiver : undefined;
  if (part.startsWith("{")) return findField(call, part.slice(1, -1));
  if (part.endsWith(".."))
    return listDatum(call.positional.slice(Number(part.slice(0, -2))), call.isOpenEnded);
  return /^-?\d+$/.test(part) ? call.positional.at(Number(part)) : call.named.get(part);
}

/** The options record of a call may stand anywhere. */
function findField(call: FunctionCall, name: string): Datum | undefined {
  for (const datum of call.positional) {
    const found = datum.kind === "record" ? datum.fields.get(name) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const FALSE_WORDS = new Set(["False", "false", "$false", "None", "null", "nil", "undefined", "0", ""]);

/** A flag such as `shell=True`: everything but a written "no" counts as yes. */
export function isTrue(datum: Datum | undefined): boolean {
  if (datum === undefined) return false;
  const word = datum.kind === "reference" ? datum.name : knownDatumText(datum);
  return !FALSE_WORDS.has(word ?? "?");
}

type Act = (datum: Datum, call: FunctionCall, context: EvaluationContext) => Datum | undefined;

/** Does something with an argument, where the call has it. */
export function withArgument(selector: string, act: Act): LibraryFunction {
  return (call, context) => {
    const datum = select(call, selector);
    return datum === undefined ? undefined : act(datum, call, context);
  };
}

/** Path pieces put together with slashes; an absolute piece starts anew, as Python and Node's resolve do. */
export function joinPaths(
  parts: readonly Datum[],
  type = "text",
  restartsAtRoot = true,
  isOpenEnded = false,
): Datum {
  const areRoots = parts.map(part => knownDatumText(part)?.startsWith("/") === true);
  const start = restartsAtRoot ? Math.max(0, areRoots.lastIndexOf(true)) : 0;
  const pieces = separatedBy(literal("/"), parts.slice(start));
  const path = joined(pieces.length === 0 ? [literal(".")] : pieces, type);
  return isOpenEnded ? joined([path, textDatum(unknown("any", "…"))], type) : path;
}

/** The same path, absolute and without dots. */
export function absolute(path: Datum, context: EvaluationContext): Datum {
  return mapValue(path, value => joinPath(currentDirectory(context), value));
}

export function normalised(path: Datum): Datum {
  return mapValue(path, normalisePath);
}

/** `~` and `~/x` at the start of a path stand for the home directory. */
export function expandTilde(path: Datum, context: EvaluationContext): Datum {
  return mapValue(path, value => {
    const prefix = knownPrefix(value);
    if (prefix !== "~" && !prefix.startsWith("~/")) return value;
    return concatenate([firstValue(homeDatum(context)), dropKnown(value, 1)]);
  });
}

/** A fresh name below the directory for temporary files. */
export function temporaryPath(context: EvaluationContext, type = "text"): Datum {
  return joined([literal(`${context.inputs.tmpdir.replace(/\/$/, "")}/`), someToken("temporary")], type);
}

/** A number or an identifier: never empty, no slash, no blank. */
export function someToken(label: string): Datum {
  return textDatum(unknown("token", label));
}

const WILDCARDS = /(\*+|\?|\[[^\]/]{1,40}\])/;

/** A text in which `*`, `?` and `[…]` are a pattern, as a value with active patterns. */
export function toPattern(pattern: Datum, type = "matches"): Datum {
  return mapValue(
    pattern,
    value => ({ pieces: value.pieces.flatMap(patternPieces), origins: value.origins }),
    type,
  );
}

function patternPieces(piece: Piece): Piece[] {
  if (piece.kind !== "text") return [piece];
  return piece.text.split(WILDCARDS).flatMap((part, index): Piece[] => {
    if (index % 2 === 1) return [{ kind: "glob", pattern: part }];
    return part === "" ? [] : [{ kind: "text", text: part }];
  });
}

/** Everything directly in a directory. */
export function directChildren(directory: Datum, type: string): Datum {
  return joined([directory, literal("/"), anyName(type)], type);
}

/** Everything below a directory. */
export function allDescendants(directory: Datum, type: string): Datum {
  return joined([directory, toPattern(literal("/**"))], type);
}

/** A name with no directory, any at all. */
export function anyName(type: string): Datum {
  return textDatum({ pieces: [{ kind: "glob", pattern: "*" }], origins: [] }, type);
}

/** A path as the guard knows paths: slashes forward. A drive letter stays in front: `C:/Users`. */
export function forwardSlashes(path: Datum): Datum {
  return mapValue(path, ({ pieces, origins }) => ({
    pieces: pieces.map(piece =>
      piece.kind === "text" ? { kind: "text", text: piece.text.replaceAll("\\", "/") } : piece,
    ),
    origins,
  }));
}
