import { unknown } from "../../value.ts";
import { step } from "../effort.ts";
import { literalValue } from "../source.ts";
import type { Argument, Node } from "../syntax/tree.ts";
import { callKey } from "./call-key.ts";
import type { Datum } from "./datum.ts";
import {
  appendItem,
  choiceOf,
  joined,
  knownTextOf,
  listDatum,
  literal,
  originsOf,
  recordDatum,
  reference,
  setField,
  textDatum,
} from "./datum.ts";
import { elementOf, itemOf, memberOf, resolveRoad, setMember } from "./members.ts";
import { narrow } from "./narrow.ts";
import { operate } from "./operate.ts";
import type { Call, Run } from "./run.ts";
import { assign, createScope, declare, lookUp, type Scope } from "./scope.ts";

type FunctionDatum = Extract<Datum, { kind: "function" }>;

const DEEPEST_EVALUATION = 300;
const DEEPEST_CALL = 8;
const MOST_ROUNDS = 32;

/** Follow a whole program; then every function nobody called, with arguments nobody knows. */
export function runProgram(run: Run, nodes: readonly Node[]): void {
  evaluateAll(run, run.globals, nodes);
  for (let round = 0; run.uncalled.size > 0 && round < 64; round += 1) {
    for (const uncalled of [...run.uncalled.values()]) invokeFunction(run, uncalled, [], new Map());
  }
}

export function evaluateAll(run: Run, scope: Scope, nodes: readonly Node[]): Datum {
  let last: Datum = reference("nothing");
  const isEarly = (node: Node): boolean => run.library.hoistsFunctions === true && node.kind === "function";
  for (const node of nodes) if (isEarly(node)) evaluate(run, scope, node);
  for (const node of nodes) if (!isEarly(node)) last = evaluate(run, scope, node);
  return last;
}

export function evaluate(run: Run, scope: Scope, node: Node): Datum {
  if (!step(run.effort)) return reference("…");
  if (run.depth >= DEEPEST_EVALUATION) {
    run.effort.isCutShort = true;
    return reference("…");
  }
  run.depth += 1;
  const datum = evaluateNode(run, scope, node);
  run.depth -= 1;
  return datum;
}

function evaluateNode(run: Run, scope: Scope, node: Node): Datum {
  switch (node.kind) {
    case "text":
      return joined(
        node.pieces.map(piece =>
          typeof piece === "string"
            ? textDatum(literalValue(piece, run.source))
            : evaluate(run, scope, piece),
        ),
      );
    case "number":
      return literal(node.text);
    case "name":
      return lookUp(scope, node.name) ?? resolveRoad(run, node.name);
    case "reference":
      return resolveRoad(run, node.path);
    case "member":
      return memberOf(run, evaluate(run, scope, node.object), node.name);
    case "index":
      return index(run, evaluate(run, scope, node.object), evaluate(run, scope, node.index));
    case "call":
      return evaluateCall(run, scope, node);
    case "list":
      return evaluateList(run, scope, node.items);
    case "record":
      return evaluateRecord(run, scope, node.entries);
    case "operation":
      return operate(
        node.operation,
        node.operands.map(operand => evaluate(run, scope, operand)),
      );
    case "choice":
      return choiceOf(node.options.map(option => evaluate(run, scope, option)));
    case "assign": {
      const value = evaluate(run, scope, node.value);
      bind(run, scope, node.target, value);
      return value;
    }
    case "function": {
      const datum: FunctionDatum = { kind: "function", definition: node.definition, scope, self: undefined };
      run.uncalled.set(node.definition, datum);
      if (node.definition.name !== undefined) declare(scope, node.definition.name, datum);
      return datum;
    }
    case "each":
      return evaluateEach(run, scope, node);
    case "block":
      return node.isConditional ? conditionally(run, scope, node.body) : evaluateAll(run, scope, node.body);
    case "return": {
      const value = evaluate(run, scope, node.value);
      const results = lookUp(scope, RESULTS);
      if (results?.kind === "list") appendItem(results, value);
      return value;
    }
    case "other": {
      const parts = node.parts.map(part => evaluate(run, scope, part));
      const origins = listDatum(parts).origins;
      return textDatum(unknown("any", "…", origins));
    }
  }
}

/** A loop: an outermost one over few known items goes through them one by one, any other sees them all at once. */
function evaluateEach(run: Run, scope: Scope, node: Extract<Node, { kind: "each" }>): Datum {
  const over = evaluate(run, scope, node.over);
  const isShort = over.kind === "list" && !over.isOpenEnded && over.items.length <= MOST_ROUNDS;
  const items = isShort && run.conditions === 0 && over.items.length > 0 ? over.items : [elementOf(over)];
  const results = items.map(item => {
    bind(run, scope, node.target, item);
    return conditionally(run, scope, node.body);
  });
  // A condition among the body may leave items out.
  return listDatum(results, items.length === 1 || node.body.length > 1);
}

/** `Dir["*.log"]` is a call in disguise where the library says so. */
function index(run: Run, object: Datum, key: Datum): Datum {
  const path = object.kind === "reference" ? `${object.path}.[]` : undefined;
  if (path === undefined || !run.library.models.has(path)) return itemOf(run, object, key);
  return invokeModel(run, {
    path,
    receiver: undefined,
    positional: [key],
    named: new Map(),
    isOpenEnded: false,
    at: 0,
  });
}

/** The name under which a function's scope keeps what `return` gave. No language can spell it. */
const RESULTS = " results";

/** A body that may run or not. Its conditions stand in front of it and narrow down names until its end. */
function conditionally(run: Run, scope: Scope, body: readonly Node[]): Datum {
  run.conditions += 1;
  const narrowed: (readonly [Scope, string, Datum])[] = [];
  let last: Datum = reference("nothing");
  for (const node of body) {
    last = evaluate(run, scope, node);
    narrowed.push(...narrow(scope, node));
  }
  for (const [owner, name, before] of narrowed.reverse()) owner.names.set(name, before);
  run.conditions -= 1;
  return last;
}

function evaluateList(run: Run, scope: Scope, items: readonly Argument[]): Datum {
  const list = listDatum([]);
  for (const item of items) {
    const value = evaluate(run, scope, item.value);
    if (item.isSpread === true || isFlattened(run, value)) spreadInto(run, list, value);
    else appendItem(list, value);
  }
  return list;
}

/** Where lists have no lists in them, a list among items is its items. */
function isFlattened(run: Run, value: Datum): boolean {
  return run.library.flattensLists === true && value.kind === "list";
}

function spreadInto(run: Run, list: ReturnType<typeof listDatum>, value: Datum): void {
  if (value.kind === "list") {
    for (const item of value.items) if (step(run.effort)) appendItem(list, item);
    list.isOpenEnded ||= value.isOpenEnded;
  } else {
    appendItem(list, value);
    if (value.kind !== "text") list.isOpenEnded = true;
  }
}

function evaluateRecord(
  run: Run,
  scope: Scope,
  entries: readonly (readonly [Node | undefined, Node])[],
): Datum {
  const record = recordDatum();
  for (const [keyNode, valueNode] of entries) {
    const value = evaluate(run, scope, valueNode);
    const key = keyNode === undefined ? undefined : knownTextOf(evaluate(run, scope, keyNode));
    if (key !== undefined) setField(record, key, value);
    else if (value.kind === "record") {
      for (const [name, field] of value.fields) if (step(run.effort)) setField(record, name, field);
    } else setField(record, `…${record.fields.size}`, value);
  }
  return record;
}

/** Give a target (a name, a pattern, a member) its value. */
export function bind(run: Run, scope: Scope, target: Node, value: Datum): void {
  if (!step(run.effort)) return;
  switch (target.kind) {
    case "name":
      assign(scope, target.name, value, run.conditions > 0);
      return;
    case "assign":
      bind(run, scope, target.target, choiceOf([value, evaluate(run, scope, target.value)]));
      return;
    case "list":
      for (const [index, item] of target.items.entries()) {
        const part =
          item.isSpread === true ? restOf(value, index) : itemOf(run, value, literal(String(index)));
        bind(run, scope, item.value, part);
      }
      return;
    case "record":
      for (const [key, inner] of target.entries) {
        const name = key === undefined ? undefined : knownTextOf(evaluate(run, scope, key));
        bind(run, scope, inner, name === undefined ? value : memberOf(run, value, name));
      }
      return;
    case "member":
      setMember(run, evaluate(run, scope, target.object), target.name, value);
      return;
    case "index": {
      const key = knownTextOf(evaluate(run, scope, target.index));
      const object = evaluate(run, scope, target.object);
      if (key !== undefined) setMember(run, object, key, value);
      return;
    }
    default:
      evaluate(run, scope, target);
  }
}

/** `[a, ...rest]`, `my ($a, @rest)`: everything from there on, always a list. */
function restOf(value: Datum, index: number): Datum {
  if (value.kind === "list") return listDatum(value.items.slice(index), value.isOpenEnded);
  return index === 0 ? listDatum([value]) : listDatum([reference("item", originsOf(value))], true);
}

function evaluateCall(run: Run, scope: Scope, node: Extract<Node, { kind: "call" }>): Datum {
  const callee = evaluate(run, scope, node.callee);
  const positional = listDatum([]);
  const named = new Map<string, Datum>();
  const words: { name: string | undefined; value: Datum }[] = [];
  for (const argument of node.arguments) {
    const value = evaluate(run, scope, argument.value);
    words.push({ name: argument.name, value });
    if (argument.name !== undefined) named.set(argument.name, value);
    else if (argument.isSpread !== true && !isFlattened(run, value)) appendItem(positional, value);
    else if (value.kind === "record") {
      for (const [name, field] of value.fields) if (step(run.effort)) named.set(name, field);
    } else spreadInto(run, positional, value);
  }
  return invoke(run, callee, {
    path: "",
    receiver: undefined,
    positional: positional.items,
    named,
    isOpenEnded: positional.isOpenEnded,
    words,
    at: node.at,
  });
}

/** Call whatever the datum is: a function of the program, a library function, a class. */
export function invoke(run: Run, callee: Datum, call: Call): Datum {
  if (!step(run.effort)) return reference("…");
  switch (callee.kind) {
    case "choice":
      return choiceOf(callee.options.map(option => invoke(run, option, call)));
    case "function":
      return invokeFunction(run, callee, call.positional, call.named);
    case "record":
      return construct(run, callee, call);
    case "reference":
      return invokeModel(run, { ...call, path: callee.path, receiver: callee.receiver });
    case "text": {
      // `$f = "system"; $f("…")`
      const name = run.library.callsTexts === true ? knownTextOf(callee) : undefined;
      if (name !== undefined) return invokeNamed(run, name, call);
      return invokeModel(run, { ...call, path: "text()", receiver: callee });
    }
    default:
      return invokeModel(run, { ...call, path: `${callee.kind}()`, receiver: callee });
  }
}

/** Call a function by its name, the program's own first. */
export function invokeNamed(run: Run, written: string, call: Call): Datum {
  const name = run.library.canonical(written);
  const own = lookUp(run.globals, name);
  return own?.kind === "function"
    ? invoke(run, own, call)
    : invokeModel(run, { ...call, path: name, receiver: undefined });
}

function construct(run: Run, record: Extract<Datum, { kind: "record" }>, call: Call): Datum {
  for (const name of ["__init__", "constructor", "initialize", "__construct", "new"]) {
    const maker = record.fields.get(name);
    if (maker?.kind !== "function") continue;
    invokeFunction(run, { ...maker, self: record }, call.positional, call.named);
    break;
  }
  return record;
}

function invokeModel(run: Run, call: Call): Datum {
  const { models, methods } = run.library;
  const name = call.path.slice(call.path.lastIndexOf(".") + 1);
  const model =
    models.get(call.path) ??
    models.get(`${call.path.slice(0, -name.length)}*`) ??
    (call.path === name ? undefined : methods.get(name));
  const result = model?.(call, run);
  const given = listDatum([...call.positional, ...call.named.values()]);
  if (model === undefined) invokeCallbacks(run, call, given.items);
  if (result !== undefined) return result;
  const origins = listDatum([given, ...(call.receiver === undefined ? [] : [call.receiver])]).origins;
  return reference(`${call.path}()`, origins, call.receiver);
}

/** A function handed to somebody is called by them: with the items of a list, or with what was promised. */
export function invokeCallbacks(run: Run, call: Call, given: readonly Datum[]): Datum | undefined {
  let result: Datum | undefined;
  const item = call.receiver === undefined ? reference("item") : elementOf(call.receiver);
  for (const datum of given) {
    if (datum.kind === "function") result = invokeFunction(run, datum, [item], new Map());
    else if (
      datum.kind === "reference" &&
      run.library.models.has(datum.path) &&
      call.receiver?.kind === "list"
    ) {
      result = invoke(run, datum, { ...call, positional: [item], named: new Map(), isOpenEnded: false });
    }
  }
  return result;
}

export function invokeFunction(
  run: Run,
  callee: FunctionDatum,
  positional: readonly Datum[],
  named: ReadonlyMap<string, Datum>,
): Datum {
  const { definition } = callee;
  // What is too deep now stays uncalled, and is followed at the end with arguments nobody knows.
  if (run.active.has(definition) || run.active.size >= DEEPEST_CALL) {
    return reference(`${definition.name ?? "function"}()`);
  }
  run.uncalled.delete(definition);
  const key = callKey(run, callee, positional, named);
  const known = key === undefined ? undefined : run.results.get(definition)?.get(key);
  if (known !== undefined) return known;
  run.active.add(definition);
  const result = runBody(run, callee, positional, named);
  run.active.delete(definition);
  if (key !== undefined) {
    const results = run.results.get(definition) ?? new Map<string, Datum>();
    run.results.set(definition, results.set(key, result));
  }
  return result;
}

function runBody(
  run: Run,
  callee: FunctionDatum,
  positional: readonly Datum[],
  named: ReadonlyMap<string, Datum>,
): Datum {
  const scope = createScope(callee.scope);
  const results = listDatum([]);
  scope.names.set(RESULTS, results);
  scope.names.set(ALL_ARGUMENTS, listDatum(positional, positional.length === 0));
  bindParameters(run, scope, callee, positional, named);
  const last = evaluateAll(run, scope, callee.definition.body);
  if (results.items.length > 0) return choiceOf(results.items);
  return run.library.returnsLast
    ? last
    : reference(`${callee.definition.name ?? "function"}()`, originsOf(last));
}

/** `@_` of Perl, `arguments` of JavaScript, `...` of Lua all read this. */
export const ALL_ARGUMENTS = "@_";

function bindParameters(
  run: Run,
  scope: Scope,
  callee: FunctionDatum,
  positional: readonly Datum[],
  named: ReadonlyMap<string, Datum>,
): void {
  const { self, definition } = callee;
  let given = positional;
  const first = definition.parameters[0];
  if (self !== undefined) {
    for (const name of ["self", "this", "$this"]) declare(scope, name, self);
    if (first?.kind === "name" && (first.name === "self" || first.name === "cls"))
      given = [self, ...positional];
  }
  for (const [index, parameter] of definition.parameters.entries()) {
    const target = parameter.kind === "assign" ? parameter.target : parameter;
    const name = target.kind === "name" ? target.name : undefined;
    const passed = given[index] ?? (name === undefined ? undefined : named.get(name));
    const fallback = parameter.kind === "assign" ? evaluate(run, scope, parameter.value) : undefined;
    const value = passed ?? fallback ?? reference(name ?? "argument");
    if (name !== undefined) declare(scope, name, value);
    else bind(run, scope, target, value);
  }
}
