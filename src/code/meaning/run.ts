import type { CodeCall, CodeContext, Language } from "../../shell/code-calls.ts";
import type { Origin, Value } from "../../shell/value.ts";
import { text, unknown } from "../../shell/value.ts";
import type { Effort } from "../effort.ts";
import type { Source } from "../source.ts";
import type { FunctionDefinition, Node } from "../syntax/tree.ts";
import type { Datum, FunctionDatum } from "./datum.ts";
import { literal, reference, textDatum } from "./datum.ts";
import type { Scope } from "./scope.ts";
import { createScope } from "./scope.ts";

/** A call about to happen: who is called, on what, with what. */
export interface Call {
  readonly path: string;
  readonly receiver: Datum | undefined;
  readonly positional: readonly Datum[];
  readonly named: ReadonlyMap<string, Datum>;
  /** The positional arguments end in some that nobody knows. */
  readonly isOpenEnded: boolean;
  /** Positional and named arguments in the order of writing, for languages whose calls are command lines. */
  readonly words?: readonly { readonly name: string | undefined; readonly value: Datum }[];
  readonly at: number;
}

/** What a function of a language's library does: note the effect, give the result. Undefined: nobody knows. */
export type Model = (call: Call, run: Run) => Datum | undefined;

/** Models by name; a map is one. */
export interface ModelTable {
  get(name: string): Model | undefined;
  has(name: string): boolean;
  keys(): Iterable<string>;
}

/** Everything that makes one language mean something different from another. */
export interface Library {
  readonly language: Language;
  readonly parse: (source: string, effort: Effort) => readonly Node[];
  /** By full road: `os.system`, `path.unlink`, `list.append`. */
  readonly models: ModelTable;
  /** By bare method name, for things nobody knows the type of. Only names that can hardly mean anything else. */
  readonly methods: ModelTable;
  readonly constants: ReadonlyMap<string, (run: Run) => Datum>;
  /** What reading a member of a typed text gives: `path.parent`. */
  readonly properties: ReadonlyMap<string, (receiver: Datum, run: Run) => Datum>;
  /** The one spelling of a road that has several. */
  readonly canonical: (path: string) => string;
  /** Roads whose members are environment variables. */
  readonly environments: ReadonlySet<string>;
  /** A function's last value is its result. */
  readonly returnsLast: boolean;
  /** A function can be called above its definition. */
  readonly hoistsFunctions?: boolean;
  /** Lists hold no lists: a list among items is its items. */
  readonly flattensLists?: boolean;
  /** A text can be called: it names the function. */
  readonly callsTexts?: boolean;
}

/** One reading under way. */
export interface Run {
  readonly library: Library;
  readonly source: Source;
  readonly context: CodeContext;
  readonly invocation: number;
  readonly effort: Effort;
  readonly calls: CodeCall[];
  /** What was found already, so that the same call is told once. */
  readonly noted: Set<string>;
  readonly globals: Scope;
  /** Members given to things that are no record: `self.path = …`. */
  readonly members: Map<string, Datum>;
  readonly active: Set<FunctionDefinition>;
  /** What functions gave for arguments they were followed with. */
  readonly results: Map<FunctionDefinition, Map<string, Datum>>;
  readonly numbers: Map<FunctionDefinition, number>;
  /** Functions that nobody has called yet. */
  readonly uncalled: Map<FunctionDefinition, FunctionDatum>;
  /** Undefined until the program changes its directory. */
  directory: Value | undefined;
  /** What started programs read, once the program has put something in the place of its own stdin. */
  standardInput: Value | undefined;
  /** Inside `eval`: the place of that call. */
  evaluatedAt: number | undefined;
  depth: number;
  conditions: number;
  evaluations: number;
}

export function createRun(
  library: Library,
  source: Source,
  context: CodeContext,
  invocation: number,
  effort: Effort,
): Run {
  return {
    library,
    source,
    context,
    invocation,
    effort,
    calls: [],
    noted: new Set(),
    globals: createScope(),
    members: new Map(),
    active: new Set(),
    results: new Map(),
    numbers: new Map(),
    uncalled: new Map(),
    directory: undefined,
    standardInput: undefined,
    evaluatedAt: undefined,
    depth: 0,
    conditions: 0,
    evaluations: 0,
  };
}

export function homeDatum(run: Run): Datum {
  const set = run.context.environment("HOME");
  return textDatum(set ?? text(run.context.home));
}

export function currentDirectory(run: Run): Value {
  return run.directory ?? run.context.cwd;
}

/** An environment variable as the program sees it. */
export function environmentDatum(run: Run, name: string): Datum {
  const set = run.context.environment(name);
  if (set !== undefined) return textDatum(set);
  switch (name) {
    case "HOME":
    case "USERPROFILE":
      return literal(run.context.home);
    case "PWD":
      return textDatum(run.context.cwd);
    case "TMPDIR":
    case "TEMP":
    case "TMP":
      return literal(run.context.tmpdir);
    case "USER":
    case "LOGNAME":
    case "USERNAME":
      if (run.context.user !== undefined) return literal(run.context.user);
      break;
  }
  return textDatum(unknown("any", `$${name}`, [{ kind: "environment", name }]));
}

/** All variables at once: what `print(os.environ)` shows. */
export function wholeEnvironment(path: string): Datum {
  return reference(path, [{ kind: "environment", name: "*" }]);
}

export function fromNetwork(run: Run): Origin {
  return { kind: "network", invocation: run.invocation };
}

export function fromDecoder(run: Run): Origin {
  return { kind: "decoded", invocation: run.invocation };
}

export function fromProgram(run: Run): Origin {
  return { kind: "program", invocation: run.invocation };
}
