import type { Node } from "../syntax/tree.ts";
import { choiceOf, type Datum, type LexicalScope, optionsOf, textDatum } from "./datum.ts";
import { ownerOf } from "./scope.ts";

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
  const endings = condition.arguments.flatMap(argument => literalsOf(argument.value));
  const owner = ownerOf(scope, object.name);
  const before = owner?.names.get(object.name);
  if (owner === undefined || before === undefined || endings.length === 0) return [];
  const options = optionsOf(before).flatMap(option => endings.map(ending => withEnding(option, ending)));
  owner.names.set(object.name, choiceOf(options));
  return [[owner, object.name, before]];
}

function literalsOf(node: Node): string[] {
  if (node.kind === "list") return node.items.flatMap(item => literalsOf(item.value));
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
