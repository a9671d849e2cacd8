import {
  type CodeContext,
  type CodeReading,
  createBudget,
  text,
  unknown,
  type Value,
} from "../../shell/index.ts";
import {
  createReadingBudget,
  createSource,
  literalValue,
  type ReadingBudget,
  type Source,
  step,
} from "../syntax/source.ts";
import type { Argument, FunctionDefinition, Node, RecordEntry } from "../syntax/tree.ts";
import {
  appendItem,
  createChoice,
  createScope,
  type Datum,
  declare,
  type FunctionDatum,
  joined,
  knownDatumText,
  type LexicalScope,
  listDatum,
  literal,
  lookUp,
  narrow,
  operate,
  recordDatum,
  reference,
  setField,
  textDatum,
} from "./datum.ts";
import { noteEndlessStart } from "./effects.ts";
import type { EvaluationContext, LanguageDefinition } from "./evaluation-context.ts";
import {
  bind,
  evaluateCall,
  invokeFunction,
  invokeLibraryFunction,
  isFlattened,
  loopElement,
  RESULTS,
  readItem,
  readMember,
  resolveName,
  spreadInto,
} from "./invoke.ts";

/** Of a step through code that stands in the command: nobody writes so much into one call as a file may hold. */
const PRICE_IN_COMMANDS = 3;

/** Read a program of a language that has names, texts and calls. */
export function readProgram(
  language: LanguageDefinition,
  code: Value,
  inputs: CodeContext,
  invocation: number,
): CodeReading {
  const source = createSource(code);
  const isOfFile = code.origins.some(({ kind }) => kind === "file");
  const price = isOfFile ? 1 : PRICE_IN_COMMANDS;
  const budget = createReadingBudget(source.text.length, inputs.budget, price);
  const nodes = language.parse(source.text, budget);
  if (nodes.length === 0) return { calls: [], isComplete: !budget.isCutShort };
  const context = createContext(language, source, inputs, invocation, budget);
  for (const [name, value] of inputs.variables ?? []) context.globals.names.set(name, textDatum(value));
  runProgram(context, nodes);
  return { calls: context.calls, isComplete: !budget.isCutShort };
}

const MAX_STEPS = 20_000_000;

/** A budget for text that is not part of a shell analysis: statements for a database. */
export function standaloneBudget(length: number): ReadingBudget {
  return createReadingBudget(length, createBudget(MAX_STEPS));
}

/** Follow code that runs inside a database: it has no files, arguments or variables. */
export function runInDatabase(language: LanguageDefinition, source: Source, budget: ReadingBudget): void {
  const inputs: CodeContext = {
    cwd: text("."),
    home: "",
    tmpdir: "",
    user: undefined,
    arguments: [],
    stdin: undefined,
    environment: () => undefined,
    budget: budget.total,
  };
  runProgram(createContext(language, source, inputs, 0, budget), language.parse(source.text, budget));
}

const MAX_EVALUATION_DEPTH = 300;
const MAX_ROUNDS = 32;

export function createContext(
  language: LanguageDefinition,
  source: Source,
  inputs: CodeContext,
  invocation: number,
  budget: ReadingBudget,
): EvaluationContext {
  return {
    evaluator: { evaluate, evaluateAll },
    language,
    source,
    inputs,
    invocation,
    budget,
    calls: [],
    noted: new Map(),
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
    endless: 0,
    evaluations: 0,
  };
}

/** Follow a whole program; then every function that was not called, with unknown arguments. */
function runProgram(context: EvaluationContext, nodes: readonly Node[]): void {
  evaluateAll(context, context.globals, nodes);
  for (let round = 0; context.uncalled.size > 0 && round < 64; round += 1) {
    for (const uncalled of [...context.uncalled.values()]) invokeFunction(context, uncalled, [], new Map());
  }
}

function evaluateAll(context: EvaluationContext, scope: LexicalScope, nodes: readonly Node[]): Datum {
  let last: Datum = reference("nothing");
  const isEarly = (node: Node): boolean =>
    context.language.hoistsFunctions === true && node.kind === "function";
  for (const node of nodes) if (isEarly(node)) evaluate(context, scope, node);
  for (const node of nodes) if (!isEarly(node)) last = evaluate(context, scope, node);
  return last;
}

function evaluate(context: EvaluationContext, scope: LexicalScope, node: Node): Datum {
  if (!step(context.budget)) return reference("…");
  if (context.depth >= MAX_EVALUATION_DEPTH) {
    context.budget.isCutShort = true;
    return reference("…");
  }
  context.depth += 1;
  const datum = evaluateNode(context, scope, node);
  context.depth -= 1;
  return datum;
}

function evaluateNode(context: EvaluationContext, scope: LexicalScope, node: Node): Datum {
  switch (node.kind) {
    case "text":
      return evaluateText(context, scope, node.pieces);
    case "number":
      return literal(node.text);
    case "name":
      return lookUp(scope, node.name) ?? resolveName(context, node.name);
    case "reference":
      return resolveName(context, node.path);
    case "member":
      return readMember(context, evaluate(context, scope, node.object), node.name);
    case "index":
      return index(context, evaluate(context, scope, node.object), evaluate(context, scope, node.index));
    case "call":
      return evaluateCall(context, scope, node);
    case "list":
      return evaluateList(context, scope, node.items);
    case "record":
      return evaluateRecord(context, scope, node.entries);
    case "operation":
      return operate(
        node.operation,
        node.operands.map(operand => evaluate(context, scope, operand)),
      );
    case "choice": {
      const options = node.options.map(option => evaluate(context, scope, option));
      // `a && b` is `b`, or something that is empty or false.
      return createChoice(node.areAllTrue === true ? options.slice(-1) : options);
    }
    case "assign": {
      const value = evaluate(context, scope, node.value);
      bind(context, scope, node.target, value);
      return value;
    }
    case "function":
      return evaluateDefinition(context, scope, node.definition);
    case "each":
      return evaluateEach(context, scope, node);
    case "block":
      return node.isConditional
        ? conditionally(context, scope, node.body)
        : evaluateAll(context, scope, node.body);
    case "return": {
      const value = evaluate(context, scope, node.value);
      const results = lookUp(scope, RESULTS);
      if (results?.kind === "list") appendItem(results, value);
      return value;
    }
    case "other": {
      const parts = node.parts.map(part => evaluate(context, scope, part));
      const origins = node.isTruth === true ? [] : listDatum(parts).origins;
      return textDatum(
        unknown(node.isNumber === true || node.isTruth === true ? "token" : "any", "…", origins),
      );
    }
  }
}

function evaluateText(
  context: EvaluationContext,
  scope: LexicalScope,
  pieces: readonly (string | Node)[],
): Datum {
  const parts = pieces.map(piece =>
    typeof piece === "string"
      ? textDatum(literalValue(piece, context.source))
      : evaluate(context, scope, piece),
  );
  const [only] = parts;
  // Most texts are one literal.
  return parts.length === 1 && only?.kind === "text" && only.type === "text" ? only : joined(parts);
}

function evaluateDefinition(
  context: EvaluationContext,
  scope: LexicalScope,
  definition: FunctionDefinition,
): Datum {
  const datum: FunctionDatum = { kind: "function", definition, scope, self: undefined };
  context.uncalled.set(definition, datum);
  if (definition.name !== undefined) declare(scope, definition.name, datum);
  return datum;
}

/** A loop: an outermost one over few known items goes through them one by one, any other sees them all at once. */
function evaluateEach(
  context: EvaluationContext,
  scope: LexicalScope,
  node: Extract<Node, { kind: "each" }>,
): Datum {
  const over = evaluate(context, scope, node.over);
  const isShort = over.kind === "list" && !over.isOpenEnded && over.items.length <= MAX_ROUNDS;
  const isExact = isShort && context.conditions === 0 && over.items.length > 0;
  const items = isExact ? over.items : [loopElement(over)];
  const results = items.map(item => {
    bind(context, scope, node.target, item);
    return conditionally(context, scope, node.body);
  });
  // A condition among the body may leave items out.
  return listDatum(results, !isExact || node.body.length > 1);
}

/** `Dir["*.log"]` is a call in disguise where the library says so. */
function index(context: EvaluationContext, object: Datum, key: Datum): Datum {
  const path = object.kind === "reference" ? `${object.name}.[]` : undefined;
  if (path === undefined || !context.language.functions.has(path)) return readItem(context, object, key);
  return invokeLibraryFunction(context, {
    name: path,
    receiver: undefined,
    positional: [key],
    named: new Map(),
    isOpenEnded: false,
    at: 0,
  });
}

/** A body that may run or not. Its conditions stand in front of it and narrow down names until its end. */
function conditionally(context: EvaluationContext, scope: LexicalScope, body: readonly Node[]): Datum {
  context.conditions += 1;
  const isEndless = neverEnds(body);
  if (isEndless) context.endless += 1;
  if (isEndless && context.language.returnsLast && namesFork(body)) noteEndlessStart(context, "fork", 0);
  const narrowed: (readonly [LexicalScope, string, Datum])[] = [];
  let last: Datum = reference("nothing");
  for (const node of body) {
    last = evaluate(context, scope, node);
    narrowed.push(...narrow(scope, node));
  }
  for (const [owner, name, before] of narrowed.reverse()) owner.names.set(name, before);
  context.conditions -= 1;
  if (isEndless) context.endless -= 1;
  return last;
}

function evaluateList(context: EvaluationContext, scope: LexicalScope, items: readonly Argument[]): Datum {
  const list = listDatum([]);
  for (const item of items) {
    const value = evaluate(context, scope, item.value);
    const isSeveral = item.isSpread === true || item.value.kind === "each" || isFlattened(context, value);
    if (isSeveral) spreadInto(context, list, value);
    else appendItem(list, value);
  }
  return list;
}

function evaluateRecord(
  context: EvaluationContext,
  scope: LexicalScope,
  entries: readonly RecordEntry[],
): Datum {
  const record = recordDatum();
  for (const [keyNode, valueNode] of entries) {
    const value = evaluate(context, scope, valueNode);
    const key = keyNode === undefined ? undefined : knownDatumText(evaluate(context, scope, keyNode));
    if (key !== undefined) setField(record, key, value);
    else if (value.kind === "record") {
      for (const [name, field] of value.fields) if (step(context.budget)) setField(record, name, field);
    } else setField(record, `…${record.fields.size}`, value);
  }
  return record;
}

const WAITS =
  /^(?:wait\w*|sleep\w*|usleep|join|communicate|poll|accept|recv\w*|read\w*|gets|input|select|break|last|return|exit|die|quit)$/;
const MAX_DEPTH = 40;

/** A body whose condition always holds and in which nothing waits: `while True: os.fork()`. */
function neverEnds(body: readonly Node[]): boolean {
  const [condition, ...rest] = body;
  return condition !== undefined && alwaysHolds(condition) && !waits(rest);
}

function alwaysHolds(node: Node): boolean {
  switch (node.kind) {
    case "number":
      return !/^0+$/.test(node.text);
    case "name":
      // `fork while fork`
      return /^(?:true|\$true|fork)$/i.test(node.name);
    case "block":
      return node.body.length === 1 && node.body.every(alwaysHolds);
    case "call":
      return node.callee.kind === "name" && node.callee.name === "fork";
    default:
      return false;
  }
}

/** Something in these statements stops or waits; what functions of their own do does not count. */
export function waits(nodes: readonly Node[], depth = 0): boolean {
  return depth > MAX_DEPTH || nodes.some(node => isWaiting(node) || waits(listChildNodes(node), depth + 1));
}

/** Where a name alone is a call: `while true do fork end`. */
function namesFork(nodes: readonly Node[], depth = 0): boolean {
  return nodes.some(
    node =>
      (node.kind === "name" && node.name === "fork") ||
      (depth < MAX_DEPTH && namesFork(listChildNodes(node), depth + 1)),
  );
}

function isWaiting(node: Node): boolean {
  if (node.kind === "return") return true;
  if (node.kind === "name") return WAITS.test(node.name);
  return node.kind === "member" && WAITS.test(node.name);
}

function listChildNodes(node: Node): readonly Node[] {
  switch (node.kind) {
    case "member":
      return [node.object];
    case "index":
      return [node.object, node.index];
    case "call":
      return [node.callee, ...node.arguments.map(({ value }) => value)];
    case "list":
      return node.items.map(({ value }) => value);
    case "operation":
      return node.operands;
    case "choice":
      return node.options;
    case "assign":
      return [node.value];
    case "each":
    case "block":
      return node.body;
    case "other":
      return node.parts;
    default:
      return [];
  }
}
