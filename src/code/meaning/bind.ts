import { step } from "../effort.ts";
import type { Node } from "../syntax/tree.ts";
import type { Datum } from "./datum.ts";
import { choiceOf, knownTextOf, listDatum, literal, originsOf, reference } from "./datum.ts";
import { evaluate } from "./evaluate.ts";
import { itemOf, memberOf, setMember } from "./members.ts";
import type { Run } from "./run.ts";
import type { Scope } from "./scope.ts";
import { assign } from "./scope.ts";

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
