import { step } from "../syntax/reading-budget.ts";
import type { Node } from "../syntax/tree.ts";
import type { EvaluationContext } from "./context.ts";
import type { Datum, LexicalScope } from "./datum.ts";
import { choiceOf, knownTextOf, listDatum, literal, originsOf, reference } from "./datum.ts";
import { itemOf, memberOf, setMember } from "./members.ts";
import { assign } from "./scope.ts";

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
        choiceOf([value, context.evaluator.evaluate(context, scope, target.value)]),
      );
      return;
    case "list":
      for (const [index, item] of target.items.entries()) {
        const part =
          item.isSpread === true ? restOf(value, index) : itemOf(context, value, literal(String(index)));
        bind(context, scope, item.value, part);
      }
      return;
    case "record":
      for (const [key, inner] of target.entries) {
        const name =
          key === undefined ? undefined : knownTextOf(context.evaluator.evaluate(context, scope, key));
        bind(context, scope, inner, name === undefined ? value : memberOf(context, value, name));
      }
      return;
    case "member":
      setMember(context, context.evaluator.evaluate(context, scope, target.object), target.name, value);
      return;
    case "index": {
      const key = knownTextOf(context.evaluator.evaluate(context, scope, target.index));
      const object = context.evaluator.evaluate(context, scope, target.object);
      if (key !== undefined) setMember(context, object, key, value);
      return;
    }
    default:
      context.evaluator.evaluate(context, scope, target);
  }
}

/** `[a, ...rest]`, `my ($a, @rest)`: everything from there on, always a list. */
function restOf(value: Datum, index: number): Datum {
  if (value.kind === "list") return listDatum(value.items.slice(index), value.isOpenEnded);
  return index === 0 ? listDatum([value]) : listDatum([reference("item", originsOf(value))], true);
}
