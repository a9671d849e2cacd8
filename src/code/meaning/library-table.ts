import type { Datum } from "./datum.ts";
import * as effectKinds from "./effect-kinds.ts";
import type { EvaluationContext, LanguageDefinition, LibraryFunction, Table } from "./evaluation-context.ts";
import * as valueKinds from "./value-kinds.ts";

/** The kinds of library functions. In a row, the parameters of a kind stand behind its name. */
const KINDS = { ...effectKinds, ...valueKinds };

type Kinds = typeof KINDS;

/**
 * Names separated by blanks, `os.{remove,unlink}` for several at once, and what the functions of these names do:
 * a kind with its parameters, or a function where no kind says it.
 */
type FunctionRow =
  | {
      [Kind in keyof Kinds]: readonly [names: string, kind: Kind, ...parameters: Parameters<Kinds[Kind]>];
    }[keyof Kinds]
  | readonly [names: string, does: LibraryFunction];

/** What a language differs in; everything left out is what most languages have. */
interface LanguageRows
  extends Partial<
      Omit<LanguageDefinition, "id" | "parse" | "functions" | "methods" | "constants" | "properties">
    >,
    Pick<LanguageDefinition, "id" | "parse"> {
  readonly functions: () => readonly FunctionRow[];
  readonly methods?: () => readonly FunctionRow[];
  readonly constants?: () => readonly (readonly [
    names: string,
    make: (context: EvaluationContext) => Datum,
  ])[];
  readonly properties?: () => readonly (readonly [
    names: string,
    read: (receiver: Datum, context: EvaluationContext) => Datum,
  ])[];
}

export function defineLanguage(rows: LanguageRows): LanguageDefinition {
  return {
    canonical: name => name,
    environments: new Set(),
    returnsLast: false,
    ...rows,
    functions: lazyTable(rows.functions, makeFunction),
    methods: lazyTable(rows.methods, makeFunction),
    constants: lazyTable(rows.constants, ([, make]) => make),
    properties: lazyTable(rows.properties, ([, read]) => read),
  };
}

function makeFunction([, kind, ...parameters]: FunctionRow): LibraryFunction {
  if (typeof kind === "function") return kind;
  const make: (...given: never[]) => LibraryFunction = KINDS[kind];
  return make(...(parameters as never[]));
}

/** Filled when first asked: most commands hold no code, or code of one language only. */
function lazyTable<Row extends readonly [names: string, ...rest: unknown[]], Meaning>(
  rows: (() => readonly Row[]) | undefined,
  meaningOf: (row: Row) => Meaning,
): Table<Meaning> {
  let filled: Map<string, Meaning> | undefined;
  const table = (): Map<string, Meaning> => {
    if (filled !== undefined) return filled;
    filled = new Map();
    for (const row of rows?.() ?? []) {
      const meaning = meaningOf(row);
      for (const name of row[0].split(" ").flatMap(expandBraces)) filled.set(name, meaning);
    }
    return filled;
  };
  return { get: name => table().get(name), has: name => table().has(name), keys: () => table().keys() };
}

/** `a.{b,c}` is `a.b` and `a.c`. */
function expandBraces(name: string): string[] {
  const match = /^([^{]*)\{([^}]*)\}(.*)$/.exec(name);
  if (match === null) return [name];
  const [, before = "", inside = "", after = ""] = match;
  return inside.split(",").flatMap(each => expandBraces(before + each + after));
}
