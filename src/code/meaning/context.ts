import {
  type CodeCall,
  type CodeContext,
  type Language,
  type Origin,
  text,
  unknown,
  type Value,
} from "../../shell/index.ts";
import type { ReadingBudget } from "../syntax/reading-budget.ts";
import type { Source } from "../syntax/source.ts";
import type { FunctionDefinition, Node } from "../syntax/tree.ts";
import type { Datum, FunctionDatum, LexicalScope } from "./datum.ts";
import { listDatum, literal, reference, textDatum } from "./datum.ts";

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
export interface Evaluator {
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

export function currentDirectory(context: EvaluationContext): Value {
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
