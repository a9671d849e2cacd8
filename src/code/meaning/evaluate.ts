import { unknown } from "../../shell/value.ts";
import { step } from "../effort.ts";
import { literalValue } from "../source.ts";
import type { Argument, Node } from "../syntax/tree.ts";
import { bind } from "./bind.ts";
import type { Datum, FunctionDatum } from "./datum.ts";
import {
  appendItem,
  choiceOf,
  joined,
  knownTextOf,
  listDatum,
  literal,
  recordDatum,
  reference,
  setField,
  textDatum,
} from "./datum.ts";
import { evaluateCall, invokeFunction, invokeModel } from "./invoke.ts";
import { elementOf, itemOf, memberOf, resolveRoad } from "./members.ts";
import { narrow } from "./narrow.ts";
import { operate } from "./operate.ts";
import type { Run } from "./run.ts";
import type { Scope } from "./scope.ts";
import { declare, lookUp } from "./scope.ts";

const DEEPEST_EVALUATION = 300;
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
      return textDatum(unknown(node.isNumber === true ? "token" : "any", "…", origins));
    }
  }
}

/** A loop: an outermost one over few known items goes through them one by one, any other sees them all at once. */
function evaluateEach(run: Run, scope: Scope, node: Extract<Node, { kind: "each" }>): Datum {
  const over = evaluate(run, scope, node.over);
  const isShort = over.kind === "list" && !over.isOpenEnded && over.items.length <= MOST_ROUNDS;
  const isExact = isShort && run.conditions === 0 && over.items.length > 0;
  const items = isExact ? over.items : [elementOf(over)];
  const results = items.map(item => {
    bind(run, scope, node.target, item);
    return conditionally(run, scope, node.body);
  });
  // A condition among the body may leave items out.
  return listDatum(results, !isExact || node.body.length > 1);
}

/** `Dir["*.log"]` is a call in disguise where the library says so. */
export function index(run: Run, object: Datum, key: Datum): Datum {
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
export const RESULTS = " results";

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
    const isSeveral = item.isSpread === true || item.value.kind === "each" || isFlattened(run, value);
    if (isSeveral) spreadInto(run, list, value);
    else appendItem(list, value);
  }
  return list;
}

/** Where lists have no lists in them, a list among items is its items. */
export function isFlattened(run: Run, value: Datum): boolean {
  return run.library.flattensLists === true && value.kind === "list";
}

export function spreadInto(run: Run, list: ReturnType<typeof listDatum>, value: Datum): void {
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
