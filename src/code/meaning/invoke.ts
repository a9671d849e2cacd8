import { step } from "../effort.ts";
import type { Node } from "../syntax/tree.ts";
import { bind } from "./bind.ts";
import { callKey } from "./call-key.ts";
import type { Datum, FunctionDatum } from "./datum.ts";
import { appendItem, choiceOf, knownTextOf, listDatum, originsOf, reference } from "./datum.ts";
import { evaluate, evaluateAll, isFlattened, RESULTS, spreadInto } from "./evaluate.ts";
import { elementOf } from "./members.ts";
import type { Call, Run } from "./run.ts";
import type { Scope } from "./scope.ts";
import { createScope, declare, lookUp } from "./scope.ts";

const DEEPEST_CALL = 8;

export function evaluateCall(run: Run, scope: Scope, node: Extract<Node, { kind: "call" }>): Datum {
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
function invokeNamed(run: Run, written: string, call: Call): Datum {
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

export function invokeModel(run: Run, call: Call): Datum {
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
const ALL_ARGUMENTS = "@_";

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
