import { knownText, wordSet } from "../../shell/index.ts";
import { step } from "../syntax/source.ts";
import type { Node } from "../syntax/tree.ts";
import { noteByName, samePlace } from "./by-name.ts";
import {
  appendItem,
  assign,
  createChoice,
  createScope,
  type Datum,
  datumOrigins,
  declare,
  type FunctionDatum,
  knownDatumText,
  type LexicalScope,
  type ListDatum,
  listDatum,
  listOptions,
  literal,
  lookUp,
  reference,
  setField,
} from "./datum.ts";
import { type EvaluationContext, environmentDatum, type FunctionCall } from "./evaluation-context.ts";

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
      return createChoice(callee.options.map(option => invoke(context, option, call)));
    case "function":
      return invokeFunction(context, callee, call.positional, call.named);
    case "record":
      return construct(context, callee, call);
    case "reference":
      return invokeLibraryFunction(context, { ...call, name: callee.name, receiver: callee.receiver });
    case "text": {
      // `$f = "system"; $f("…")`
      const name = context.language.callsTexts === true ? knownDatumText(callee) : undefined;
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
  const known = functions.get(call.name) ?? functions.get(`${call.name.slice(0, -name.length)}*`);
  const libraryFunction = known ?? (call.name === name ? undefined : methods.get(name));
  const result = libraryFunction?.(call, context);
  // A method of that name may belong to something else: `ctypes.CDLL(None).unlink(path)`.
  if (known === undefined && (libraryFunction === undefined || call.receiver?.kind === "reference"))
    noteByName(context, call);
  const given = listDatum([...call.positional, ...call.named.values()]);
  if (libraryFunction === undefined) {
    // It may call what it is given: with the items of a list, or with what was promised.
    const { receiver } = call;
    const callbacks = given.items.filter(datum => datum.kind === "function" || receiver?.kind === "list");
    callBack(context, call, [receiver === undefined ? reference("item") : loopElement(receiver)], callbacks);
  }
  if (result !== undefined) return result;
  const same = libraryFunction === undefined ? samePlace(context, call) : undefined;
  if (same !== undefined) return same;
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
  if (results.items.length > 0) return createChoice(results.items);
  return context.language.returnsLast
    ? last
    : reference(`${callee.definition.name ?? "function"}()`, datumOrigins(last));
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

const MAX_KEY_LENGTH = 2_000;
const MAX_KEY_DEPTH = 4;
const MAX_PARTS = 32;

/**
 * What a call of a function of the program depends on: the texts, the library functions, the shape of the rest.
 * Calls with the same key need to be followed once. Undefined when that would take too long to tell.
 */
function callKey(
  context: EvaluationContext,
  callee: FunctionDatum,
  positional: readonly Datum[],
  named: ReadonlyMap<string, Datum>,
): string | undefined {
  const parts = [callee.self, ...positional, ...named.values()];
  if (parts.length > MAX_PARTS) return undefined;
  const keys = parts.map(part => (part === undefined ? "" : datumKey(context, part, 0)));
  if (keys.some(key => key === undefined)) return undefined;
  const key = [...keys, ...named.keys()].join("\n");
  return key.length > MAX_KEY_LENGTH ? undefined : key;
}

function datumKey(context: EvaluationContext, datum: Datum, depth: number): string | undefined {
  switch (datum.kind) {
    case "text":
      return `${datum.type} ${JSON.stringify(datum.value.pieces).slice(0, MAX_KEY_LENGTH + 1)} ${originKinds(datum)}`;
    case "reference":
      return context.language.functions.has(datum.name) ? datum.name : `? ${originKinds(datum)}`;
    case "function":
      return `function ${functionNumber(context, datum)}`;
    case "list":
      return partsKey(context, datum.items, depth, datum.isOpenEnded ? "open" : "closed");
    case "record":
      return partsKey(context, [...datum.fields.values()], depth, [...datum.fields.keys()].join());
    case "choice":
      return partsKey(context, datum.options, depth, "any");
  }
}

function partsKey(
  context: EvaluationContext,
  parts: readonly Datum[],
  depth: number,
  name: string,
): string | undefined {
  if (depth >= MAX_KEY_DEPTH || parts.length > MAX_PARTS) return undefined;
  const keys = parts.map(part => datumKey(context, part, depth + 1));
  return keys.some(key => key === undefined) ? undefined : `${name}(${keys.join()})`;
}

function originKinds(datum: Datum): string {
  return datumOrigins(datum)
    .map(origin => origin.kind)
    .join();
}

/** Functions are told apart by the order in which they were first passed on. */
function functionNumber(context: EvaluationContext, datum: FunctionDatum): number {
  const known = context.numbers.get(datum.definition);
  if (known !== undefined) return known;
  context.numbers.set(datum.definition, context.numbers.size);
  return context.numbers.size - 1;
}

/** What a qualified name such as `os.path` or `process.env` stands for. */
export function resolveName(context: EvaluationContext, written: string, object?: Datum): Datum {
  const path = context.language.canonical(written);
  const assigned = context.members.get(path);
  if (assigned !== undefined) return assigned;
  const constant = context.language.constants.get(path);
  if (constant !== undefined) return constant(context);
  return reference(path, object === undefined ? [] : datumOrigins(object), object);
}

/** An environment variable: what the program gave it, what the language says, or what it was before. */
function readVariable(context: EvaluationContext, environment: string, name: string): Datum {
  const path = `${environment}.${name}`;
  const known = context.members.get(path) ?? context.language.constants.get(path)?.(context);
  return known ?? environmentDatum(context, name);
}

/** `object.name` */
export function readMember(context: EvaluationContext, object: Datum, name: string): Datum {
  switch (object.kind) {
    case "choice":
      return createChoice(object.options.map(option => readMember(context, option, name)));
    case "record": {
      const field = object.fields.get(name);
      if (field?.kind === "function") return { ...field, self: object };
      return field ?? reference(`record.${name}`, object.origins, object);
    }
    case "reference":
      // `os.environ.get` is a function, `process.env.HOME` a variable.
      if (
        context.language.environments.has(object.name) &&
        !context.language.functions.has(`${object.name}.${name}`) &&
        !WHOLE_MEMBERS.has(name)
      ) {
        return readVariable(context, object.name, name);
      }
      return resolveName(context, `${object.name}.${name}`, object);
    case "text": {
      const property = context.language.properties.get(`${object.type}.${name}`);
      return property?.(object, context) ?? resolveName(context, `${object.type}.${name}`, object);
    }
    default:
      return reference(`${object.kind}.${name}`, datumOrigins(object), object);
  }
}

/** `object[key]` */
export function readItem(context: EvaluationContext, object: Datum, key: Datum): Datum {
  if (object.kind === "choice")
    return createChoice(object.options.map(option => readItem(context, option, key)));
  if (key.kind === "choice")
    return createChoice(key.options.map(option => readItem(context, object, option)));
  const name = knownDatumText(key);
  if (object.kind === "list") return listItem(object, name);
  if (object.kind === "record") {
    const field = name === undefined ? undefined : object.fields.get(name);
    return field ?? createChoice([...object.fields.values(), reference("record[]", object.origins)]);
  }
  // `Dir[".e*"][0]`: one of what a pattern finds is told by the pattern.
  if (object.kind === "text" && object.type === "matches") return object;
  if (name !== undefined && object.kind === "reference") {
    if (context.language.environments.has(object.name)) return readVariable(context, object.name, name);
    // Brackets and a dot mean the same for everything that is known by its name.
    return resolveName(context, `${object.name}.${name}`, object);
  }
  return reference(
    `${object.kind === "reference" ? object.name : object.kind}[]`,
    datumOrigins(object),
    object,
  );
}

function listItem(list: ListDatum, name: string | undefined): Datum {
  if (name === undefined || !/^-?\d{1,6}$/.test(name)) return loopElement(list);
  return list.items.at(Number(name)) ?? reference(`item ${name}`, list.origins);
}

/** What a loop over the datum meets: one of its items. */
export function loopElement(datum: Datum): Datum {
  switch (datum.kind) {
    case "choice":
      return createChoice(datum.options.map(loopElement));
    case "list": {
      const items = datum.items.map(item => item);
      if (datum.isOpenEnded || items.length === 0) items.push(reference("item", datum.origins));
      return createChoice(items);
    }
    case "record": {
      const keys = [...datum.fields.keys()].map(key => literal(key));
      return keys.length === 0 ? reference("key", datum.origins) : createChoice(keys);
    }
    case "reference":
      return reference(`${datum.name}[]`, datumOrigins(datum), datum);
    case "text":
      // A pattern's matches are told by the pattern itself; the characters of a text are no paths.
      return datum.type === "matches" || knownText(datum.value) === undefined
        ? datum
        : reference("character");
    default:
      return reference("item");
  }
}

/** `object.name = value` */
function setMember(context: EvaluationContext, object: Datum, name: string, value: Datum): void {
  for (const option of listOptions(object)) {
    if (option.kind === "record") setField(option, name, value);
    else if (option.kind === "reference") context.members.set(`${option.name}.${name}`, value);
  }
}

/** Methods of records and texts that hand on everything there is. */
const WHOLE_MEMBERS = wordSet("copy decode encode items map to_a to_h to_json to_s toString values");

/** Give a target (a name, a pattern, a member) its value. */
export function bind(context: EvaluationContext, scope: LexicalScope, target: Node, value: Datum): void {
  if (!step(context.budget)) return;
  switch (target.kind) {
    case "name":
      assign(scope, target.name, value, context.conditions > 0);
      return;
    case "assign":
      bind(
        context,
        scope,
        target.target,
        createChoice([value, context.evaluator.evaluate(context, scope, target.value)]),
      );
      return;
    case "list":
      for (const [index, item] of target.items.entries()) {
        const part =
          item.isSpread === true ? sliceRest(value, index) : readItem(context, value, literal(String(index)));
        bind(context, scope, item.value, part);
      }
      return;
    case "record":
      for (const [key, inner] of target.entries) {
        const name =
          key === undefined ? undefined : knownDatumText(context.evaluator.evaluate(context, scope, key));
        bind(context, scope, inner, name === undefined ? value : readMember(context, value, name));
      }
      return;
    case "member":
      setMember(context, context.evaluator.evaluate(context, scope, target.object), target.name, value);
      return;
    case "index": {
      const key = knownDatumText(context.evaluator.evaluate(context, scope, target.index));
      const object = context.evaluator.evaluate(context, scope, target.object);
      if (key !== undefined) setMember(context, object, key, value);
      return;
    }
    default:
      context.evaluator.evaluate(context, scope, target);
  }
}

/** `[a, ...rest]`, `my ($a, @rest)`: everything from there on, always a list. */
function sliceRest(value: Datum, index: number): Datum {
  if (value.kind === "list") return listDatum(value.items.slice(index), value.isOpenEnded);
  return index === 0 ? listDatum([value]) : listDatum([reference("item", datumOrigins(value))], true);
}
