import {
  concatenate,
  knownText,
  type Origin,
  text,
  uniteOrigins,
  unknown,
  type Value,
  withOrigins,
} from "../../shell/index.ts";
import type { FunctionDefinition, Node, Operation } from "../syntax/tree.ts";

/**
 * A value of the program that is read: what a name or an expression of its text may stand for.
 *
 * `text`: a string, number or path; `type` names its method table. `reference`: something known by its qualified
 * name (`os.system`, `requests.Session().post`) with an unknown value. Lists and records change in place, as in
 * the program. `choice` is one of several: a branch, a loop over literals.
 */
export type Datum =
  | { readonly kind: "text"; readonly value: Value; readonly type: string }
  | ListDatum
  | RecordDatum
  | {
      readonly kind: "reference";
      readonly name: string;
      readonly value: Value;
      readonly receiver: Datum | undefined;
    }
  | { readonly kind: "choice"; readonly options: readonly Datum[] }
  | FunctionDatum;

/** A function of the program, where it was written, and the record it was found on. */
export interface FunctionDatum {
  readonly kind: "function";
  readonly definition: FunctionDefinition;
  readonly scope: LexicalScope;
  readonly self: Datum | undefined;
}

/** Names and what they stand for. A function sees its own names first, then those around its definition. */
export interface LexicalScope {
  readonly names: Map<string, Datum>;
  readonly outer: LexicalScope | undefined;
}

/** `isOpenEnded`: more items follow that are not known. */
export interface ListDatum {
  readonly kind: "list";
  readonly items: Datum[];
  isOpenEnded: boolean;
  origins: readonly Origin[];
}

/** Objects, dictionaries, classes and their instances. */
interface RecordDatum {
  readonly kind: "record";
  readonly fields: Map<string, Datum>;
  origins: readonly Origin[];
}

const MAX_OPTIONS = 64;
const MAX_ITEMS = 1024;
const MAX_ORIGINS = 16;
const MAX_TEXT_LENGTH = 65_536;
const MAX_PIECES = 256;
const MAX_NAME_LENGTH = 160;

export function textDatum(value: Value, type = "text"): Datum {
  return { kind: "text", value, type };
}

export function literal(content: string): Datum {
  return textDatum(text(content));
}

export function listDatum(items: readonly Datum[], isOpenEnded = false): ListDatum {
  const kept = items.slice(0, MAX_ITEMS);
  return {
    kind: "list",
    items: kept,
    isOpenEnded: isOpenEnded || kept.length < items.length,
    origins: unite(kept.map(datumOrigins)),
  };
}

export function recordDatum(entries: Iterable<readonly [string, Datum]> = []): RecordDatum {
  const record: RecordDatum = { kind: "record", fields: new Map(), origins: [] };
  for (const [key, value] of entries) setField(record, key, value);
  return record;
}

/** The items of a list; any other datum by itself. */
export function listItems(datum: Datum): readonly Datum[] {
  return datum.kind === "list" ? datum.items : [datum];
}

/** A list with the items of the lists in it. */
export function flatten(list: ListDatum): ListDatum {
  const inner = list.items.filter(item => item.kind === "list");
  if (inner.length === 0) return list;
  return listDatum(
    list.items.flatMap(listItems),
    [list, ...inner].some(each => each.isOpenEnded),
  );
}

export function appendItem(list: ListDatum, item: Datum): void {
  if (list.items.length >= MAX_ITEMS) list.isOpenEnded = true;
  else list.items.push(item);
  list.origins = unite([list.origins, datumOrigins(item)]);
}

export function setField(record: RecordDatum, key: string, value: Datum): void {
  if (record.fields.size < MAX_ITEMS) record.fields.set(key, value);
  record.origins = unite([record.origins, datumOrigins(value)]);
}

function unite(lists: readonly (readonly Origin[])[]): readonly Origin[] {
  const all = uniteOrigins(lists);
  return all.length > MAX_ORIGINS ? all.slice(0, MAX_ORIGINS) : all;
}

export function reference(written: string, origins: readonly Origin[] = [], receiver?: Datum): Datum {
  const name = written.length > MAX_NAME_LENGTH ? `…${written.slice(-MAX_NAME_LENGTH)}` : written;
  return { kind: "reference", name, value: unknown("any", name, origins), receiver };
}

/** One of several; a single option is itself, equal known texts are one. */
export function createChoice(options: readonly Datum[]): Datum {
  const flat: Datum[] = [];
  const seen = new Set<string>();
  for (const option of options) {
    for (const single of option.kind === "choice" ? option.options : [option]) {
      const known = single.kind === "text" ? knownText(single.value) : undefined;
      if (known !== undefined) {
        if (seen.has(known)) continue;
        seen.add(known);
      }
      if (flat.length >= MAX_OPTIONS) return { kind: "choice", options: [...flat, reference("…")] };
      flat.push(single);
    }
  }
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { kind: "choice", options: flat };
}

export function listOptions(datum: Datum): readonly Datum[] {
  return datum.kind === "choice" ? datum.options : [datum];
}

/** Every text the datum may be; at least one. */
export function listValues(datum: Datum): readonly Value[] {
  return listOptions(datum).map(option => {
    if (option.kind === "text" || option.kind === "reference") return option.value;
    return unknown("any", option.kind, datumOrigins(option));
  });
}

export function firstValue(datum: Datum): Value {
  return listValues(datum)[0] ?? text("");
}

/** The text when it is one and every character is known. */
export function knownDatumText(datum: Datum | undefined): string | undefined {
  return datum?.kind === "text" ? knownText(datum.value) : undefined;
}

/** Where the bytes of a datum came from, whatever is made of it. */
export function datumOrigins(datum: Datum): readonly Origin[] {
  switch (datum.kind) {
    case "text":
    case "reference":
      return datum.value.origins;
    case "list":
    case "record":
      return datum.origins;
    case "choice":
      return unite(datum.options.map(datumOrigins));
    default:
      return [];
  }
}

/** The same thing, with more known about where it came from. */
export function tainted(datum: Datum, origins: readonly Origin[]): Datum {
  if (origins.length === 0) return datum;
  if (datum.kind === "text" || datum.kind === "reference") {
    return { ...datum, value: withOrigins(datum.value, origins) };
  }
  return datum;
}

/** Texts one after the other, for every combination of what they may be. */
export function joined(parts: readonly Datum[], type = "text"): Datum {
  const combinations = listCombinations(parts.map(listValues));
  if (combinations === undefined) return textDatum(unknown("any", "…", unite(parts.map(datumOrigins))), type);
  return createChoice(combinations.map(values => textDatum(shortened(concatenate(values)), type)));
}

/** Every way to take one of each, or undefined when there are too many ways. */
export function listCombinations<Item>(lists: readonly (readonly Item[])[]): Item[][] | undefined {
  const ways = lists.reduce((product, list) => Math.min(product * list.length, MAX_OPTIONS + 1), 1);
  if (ways > MAX_OPTIONS) return undefined;
  const results: Item[][] = [];
  for (let index = 0; index < ways; index += 1) results.push([]);
  let stride = 1;
  for (const list of lists) {
    for (const [index, result] of results.entries()) {
      const item = list[Math.floor(index / stride) % list.length];
      if (item !== undefined) result.push(item);
    }
    stride *= Math.max(1, list.length);
  }
  return results;
}

/** A text that grows without end (`a = a + a`) is cut off: memory is finite. */
function shortened(value: Value): Value {
  if (value.origins.length > MAX_ORIGINS) return { ...value, origins: value.origins.slice(0, MAX_ORIGINS) };
  const length = value.pieces.reduce(
    (sum, piece) => sum + (piece.kind === "text" ? piece.text.length : 1),
    0,
  );
  return length > MAX_TEXT_LENGTH || value.pieces.length > MAX_PIECES
    ? unknown("any", "…", value.origins)
    : value;
}

/** A text made from another, for everything it may be and for the items of a list. Its type stays, unless given. */
export function mapValue(datum: Datum, change: (value: Value) => Value, type?: string): Datum {
  const map = (option: Datum): Datum =>
    textDatum(change(firstValue(option)), type ?? (option.kind === "text" ? option.type : "text"));
  if (datum.kind === "list") return listDatum(datum.items.map(map), datum.isOpenEnded);
  return createChoice(listOptions(datum).map(map));
}

/** The same by a function of its known characters; unknown stays unknown, origins stay. */
export function mapText(datum: Datum, change: (known: string) => string | undefined, type?: string): Datum {
  return mapValue(
    datum,
    value => {
      const known = knownText(value);
      const changed = known === undefined ? undefined : change(known);
      return changed === undefined ? unknown("any", "…", value.origins) : text(changed, value.origins);
    },
    type,
  );
}

/** The same text with methods of another type. */
export function withType(datum: Datum, type: string): Datum {
  return mapValue(datum, value => value, type);
}

/** Items with something in between. */
export function separatedBy(separator: Datum, items: readonly Datum[]): Datum[] {
  return items.flatMap((item, index) => (index === 0 ? [item] : [separator, item]));
}

const MAX_SCOPE_DEPTH = 32;

export function createScope(outer?: LexicalScope): LexicalScope {
  return { names: new Map(), outer };
}

export function lookUp(scope: LexicalScope, name: string): Datum | undefined {
  return findScope(scope, name)?.names.get(name);
}

/**
 * Give a name a value in the scope that already has it, else in this one. Under a condition the old value
 * stays possible.
 */
export function assign(scope: LexicalScope, name: string, value: Datum, isConditional: boolean): void {
  declare(findScope(scope, name) ?? scope, name, value, isConditional);
}

/** The nearest scope that has the name. */
function findScope(scope: LexicalScope, name: string): LexicalScope | undefined {
  let current: LexicalScope | undefined = scope;
  for (let depth = 0; current !== undefined && depth < MAX_SCOPE_DEPTH; depth += 1) {
    if (current.names.has(name)) return current;
    current = current.outer;
  }
  return undefined;
}

/** Give a name a value in this very scope: parameters, `let`, `my`, `local`. */
export function declare(scope: LexicalScope, name: string, value: Datum, isConditional = false): void {
  const old = isConditional ? scope.names.get(name) : undefined;
  scope.names.set(name, old === undefined ? value : createChoice([old, value]));
}

const ENDS_WITH = new Set(["endswith", "endsWith", "end_with?"]);

/**
 * Learn from a condition such as `name.endswith(".pyc")`: while it holds, "any name" is "any name with that
 * ending". Gives what the names were before, so that the caller can put it back.
 */
export function narrow(scope: LexicalScope, condition: Node): (readonly [LexicalScope, string, Datum])[] {
  if (condition.kind === "choice" && condition.areAllTrue === true) {
    return condition.options.flatMap(option => narrow(scope, option));
  }
  if (condition.kind !== "call" || condition.callee.kind !== "member") return [];
  const { object, name: method } = condition.callee;
  if (object.kind !== "name" || !ENDS_WITH.has(method)) return [];
  const endings = condition.arguments.flatMap(argument => listLiterals(argument.value));
  const owner = findScope(scope, object.name);
  const before = owner?.names.get(object.name);
  if (owner === undefined || before === undefined || endings.length === 0) return [];
  const options = listOptions(before).flatMap(option => endings.map(ending => withEnding(option, ending)));
  owner.names.set(object.name, createChoice(options));
  return [[owner, object.name, before]];
}

function listLiterals(node: Node): string[] {
  if (node.kind === "list") return node.items.flatMap(item => listLiterals(item.value));
  const only = node.kind === "text" && node.pieces.length === 1 ? node.pieces[0] : undefined;
  return typeof only === "string" ? [only] : [];
}

/** Only a trailing `*` can take an ending; everything else is as narrow as it gets. */
function withEnding(datum: Datum, ending: string): Datum {
  if (datum.kind !== "text") return datum;
  const { pieces, origins } = datum.value;
  const last = pieces.at(-1);
  if (last?.kind !== "glob" || last.pattern !== "*") return datum;
  return textDatum({ pieces: [...pieces, { kind: "text", text: ending }], origins }, datum.type);
}

/** What an operator makes of its operands. */
export function operate(operation: Operation, operands: readonly Datum[]): Datum {
  const [first, second] = operands;
  if (first === undefined || second === undefined) return reference("…");
  switch (operation) {
    case "join":
      if (operands.every(operand => operand.kind === "list")) {
        const lists = operands.flatMap(operand => (operand.kind === "list" ? [operand] : []));
        return listDatum(
          lists.flatMap(list => list.items),
          lists.some(list => list.isOpenEnded),
        );
      }
      // Two lists of what patterns found: `glob("*.a") + glob("*.b")`.
      if (operands.every(operand => operand.kind === "text" && operand.type === "matches"))
        return createChoice(operands);
      return joined(operands, pathType(operands));
    case "divide":
      if (pathType(operands) !== "text") {
        const parts = operands.flatMap((operand, index) =>
          index === 0 ? [operand] : [literal("/"), operand],
        );
        return joinedPath(parts);
      }
      return textDatum(unknown("token", "…"));
    case "format":
      if (second.kind === "record") return formatted(first, [], second.fields);
      return formatted(first, second.kind === "list" ? second.items : [second]);
    case "repeat": {
      const known = knownDatumText(first);
      const count = Number(knownDatumText(second));
      if (known === undefined || !(count >= 0 && count * known.length <= 1000)) {
        return first.kind === "list" ? first : textDatum(unknown("any", "…", datumOrigins(first)));
      }
      return literal(known.repeat(count));
    }
  }
}

function pathType(operands: readonly Datum[]): string {
  return operands.some(operand => operand.kind === "text" && operand.type === "path") ? "path" : "text";
}

/** `Path(a) / b`: an absolute second part replaces the first. */
function joinedPath(parts: readonly Datum[]): Datum {
  const last = parts.at(-1);
  const known = knownDatumText(last);
  if (last?.kind === "text" && known?.startsWith("/") === true) return { ...last, type: "path" };
  return joined(parts, "path");
}

/** `"rm %s" % x`, `"{}".format(x)`, `sprintf`: placeholders filled in order. */
export function formatted(
  template: Datum,
  fillings: readonly Datum[],
  named?: ReadonlyMap<string, Datum>,
): Datum {
  const known = knownDatumText(template);
  const origins = listDatum([template, ...fillings]).origins;
  if (known === undefined || known.length > 4000) return textDatum(unknown("any", "…", origins));
  const parts: Datum[] = [];
  let next = 0;
  let start = 0;
  for (const match of known.matchAll(
    /%(?:%|\(([A-Za-z_0-9]{1,60})\)[-+ #0-9.]*[a-zA-Z]|[-+ #0-9.*]*[a-zA-Z])|\{([A-Za-z_0-9]*)(?:[!:][^{}]*)?\}/g,
  )) {
    parts.push(literal(known.slice(start, match.index)));
    start = match.index + match[0].length;
    if (match[0] === "%%") {
      parts.push(literal("%"));
      continue;
    }
    const key = match[1] ?? match[2];
    const byName =
      key === undefined ? undefined : (named?.get(key) ?? fillings[/^\d+$/.test(key) ? Number(key) : -1]);
    const filling = byName ?? fillings[next];
    next += 1;
    parts.push(filling ?? literal(match[0]));
  }
  parts.push(literal(known.slice(start)));
  return joined(parts);
}
