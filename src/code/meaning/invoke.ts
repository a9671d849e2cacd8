import { step } from "../syntax/reading-budget.ts";
import type { Node } from "../syntax/tree.ts";
import { bind } from "./bind.ts";
import { callKey } from "./call-key.ts";
import type { EvaluationContext, FunctionCall } from "./context.ts";
import type { Datum, FunctionDatum, LexicalScope } from "./datum.ts";
import { appendItem, choiceOf, knownTextOf, listDatum, originsOf, reference } from "./datum.ts";
import { elementOf } from "./members.ts";
import { createScope, declare, lookUp } from "./scope.ts";

const MAX_CALL_DEPTH = 8;

export function evaluateCall(
  context: EvaluationContext,
  scope: LexicalScope,
  node: Extract<Node, { kind: "call" }>,
): Datum {
  const callee = context.evaluator.evaluate(context, scope, node.callee);
  const positional = listDatum([]);
  const named = new Map<string, Datum>();
  const words: { name: string | undefined; value: Datum }[] = [];
  for (const argument of node.arguments) {
    const value = context.evaluator.evaluate(context, scope, argument.value);
    words.push({ name: argument.name, value });
    if (argument.name !== undefined) named.set(argument.name, value);
    else if (argument.isSpread !== true && !isFlattened(context, value)) appendItem(positional, value);
    else if (value.kind === "record") {
      for (const [name, field] of value.fields) if (step(context.budget)) named.set(name, field);
    } else spreadInto(context, positional, value);
  }
  return invoke(context, callee, {
    name: "",
    receiver: undefined,
    positional: positional.items,
    named,
    isOpenEnded: positional.isOpenEnded,
    words,
    at: node.at,
  });
}

/** Call whatever the datum is: a function of the program, a library function, a class. */
export function invoke(context: EvaluationContext, callee: Datum, call: FunctionCall): Datum {
  if (!step(context.budget)) return reference("…");
  switch (callee.kind) {
    case "choice":
      return choiceOf(callee.options.map(option => invoke(context, option, call)));
    case "function":
      return invokeFunction(context, callee, call.positional, call.named);
    case "record":
      return construct(context, callee, call);
    case "reference":
      return invokeLibraryFunction(context, { ...call, name: callee.name, receiver: callee.receiver });
    case "text": {
      // `$f = "system"; $f("…")`
      const name = context.language.callsTexts === true ? knownTextOf(callee) : undefined;
      if (name !== undefined) return invokeNamed(context, name, call);
      return invokeLibraryFunction(context, { ...call, name: "text()", receiver: callee });
    }
    default:
      return invokeLibraryFunction(context, { ...call, name: `${callee.kind}()`, receiver: callee });
  }
}

/** Call a function by its name, the program's own first. */
function invokeNamed(context: EvaluationContext, written: string, call: FunctionCall): Datum {
  const name = context.language.canonical(written);
  const own = lookUp(context.globals, name);
  return own?.kind === "function"
    ? invoke(context, own, call)
    : invokeLibraryFunction(context, { ...call, name: name, receiver: undefined });
}

function construct(
  context: EvaluationContext,
  record: Extract<Datum, { kind: "record" }>,
  call: FunctionCall,
): Datum {
  for (const name of ["__init__", "constructor", "initialize", "__construct", "new"]) {
    const maker = record.fields.get(name);
    if (maker?.kind !== "function") continue;
    invokeFunction(context, { ...maker, self: record }, call.positional, call.named);
    break;
  }
  return record;
}

export function invokeLibraryFunction(context: EvaluationContext, call: FunctionCall): Datum {
  const { functions, methods } = context.language;
  const name = call.name.slice(call.name.lastIndexOf(".") + 1);
  const libraryFunction =
    functions.get(call.name) ??
    functions.get(`${call.name.slice(0, -name.length)}*`) ??
    (call.name === name ? undefined : methods.get(name));
  const result = libraryFunction?.(call, context);
  const given = listDatum([...call.positional, ...call.named.values()]);
  if (libraryFunction === undefined) {
    // It may call what it is given: with the items of a list, or with what was promised.
    const { receiver } = call;
    const callbacks = given.items.filter(datum => datum.kind === "function" || receiver?.kind === "list");
    callBack(context, call, [receiver === undefined ? reference("item") : elementOf(receiver)], callbacks);
  }
  if (result !== undefined) return result;
  const origins = listDatum([given, ...(call.receiver === undefined ? [] : [call.receiver])]).origins;
  return reference(`${call.name}()`, origins, call.receiver);
}

/** Calls the functions among some arguments: callbacks and blocks. Gives what the last one gave. */
export function callBack(
  context: EvaluationContext,
  call: FunctionCall,
  positional: readonly Datum[],
  candidates: readonly Datum[] = call.positional,
): Datum | undefined {
  let result: Datum | undefined;
  for (const datum of candidates) {
    const isKnown = datum.kind === "reference" && context.language.functions.has(datum.name);
    if (datum.kind === "function" || isKnown)
      result = invoke(context, datum, { ...call, positional, named: new Map(), isOpenEnded: false });
  }
  return result;
}

export function invokeFunction(
  context: EvaluationContext,
  callee: FunctionDatum,
  positional: readonly Datum[],
  named: ReadonlyMap<string, Datum>,
): Datum {
  const { definition } = callee;
  // What is too deep now stays uncalled, and is followed at the end with unknown arguments.
  if (context.active.has(definition) || context.active.size >= MAX_CALL_DEPTH) {
    return reference(`${definition.name ?? "function"}()`);
  }
  context.uncalled.delete(definition);
  const key = callKey(context, callee, positional, named);
  const known = key === undefined ? undefined : context.results.get(definition)?.get(key);
  if (known !== undefined) return known;
  context.active.add(definition);
  const result = runBody(context, callee, positional, named);
  context.active.delete(definition);
  if (key !== undefined) {
    const results = context.results.get(definition) ?? new Map<string, Datum>();
    context.results.set(definition, results.set(key, result));
  }
  return result;
}

function runBody(
  context: EvaluationContext,
  callee: FunctionDatum,
  positional: readonly Datum[],
  named: ReadonlyMap<string, Datum>,
): Datum {
  const scope = createScope(callee.scope);
  const results = listDatum([]);
  scope.names.set(RESULTS, results);
  scope.names.set(ALL_ARGUMENTS, listDatum(positional, positional.length === 0));
  bindParameters(context, scope, callee, positional, named);
  const last = context.evaluator.evaluateAll(context, scope, callee.definition.body);
  if (results.items.length > 0) return choiceOf(results.items);
  return context.language.returnsLast
    ? last
    : reference(`${callee.definition.name ?? "function"}()`, originsOf(last));
}

/** `@_` of Perl, `arguments` of JavaScript, `...` of Lua all read this. */
const ALL_ARGUMENTS = "@_";

function bindParameters(
  context: EvaluationContext,
  scope: LexicalScope,
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
    const fallback =
      parameter.kind === "assign" ? context.evaluator.evaluate(context, scope, parameter.value) : undefined;
    const value = passed ?? fallback ?? reference(name ?? "argument");
    if (name !== undefined) declare(scope, name, value);
    else bind(context, scope, target, value);
  }
}

/** The name under which a function's scope keeps what `return` gave. No language can spell it. */
export const RESULTS = " results";

/** Where lists have no lists in them, a list among items is its items. */
export function isFlattened(context: EvaluationContext, value: Datum): boolean {
  return context.language.flattensLists === true && value.kind === "list";
}

export function spreadInto(
  context: EvaluationContext,
  list: ReturnType<typeof listDatum>,
  value: Datum,
): void {
  if (value.kind === "list") {
    for (const item of value.items) if (step(context.budget)) appendItem(list, item);
    list.isOpenEnded ||= value.isOpenEnded;
  } else {
    appendItem(list, value);
    if (value.kind !== "text") list.isOpenEnded = true;
  }
}
