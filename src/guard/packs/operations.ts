import type { EffectOf } from "../effects.ts";
import type { RuleContext } from "../rule-context.ts";

/** Reports what a table of commands named, and raises it when a word says production. */
export function reportOperation(
  effect: EffectOf<"operation">,
  context: RuleContext,
  raisesForProduction: boolean,
): void {
  const isProduction =
    raisesForProduction && namesProduction(effect.names, context.workspace.settings.prodNames);
  const [tool = ""] = effect.target.split(" ");
  context.report(
    effect.rule,
    {
      target: isProduction ? `${effect.target} (production)` : effect.target,
      what: effect.what,
      tool,
      rest: effect.rest ?? "",
      verdict: isProduction ? "deny" : effect.verdict,
      safer: effect.safer,
    },
    effect.by,
  );
}

/** A whole word of a name: `prod-db` and `my_live_site` do, `product` and `delivery` do not. */
export function namesProduction(names: readonly string[], prodNames: readonly string[]): boolean {
  const wanted = new Set(prodNames.map(name => name.toLowerCase()));
  return names.some(name =>
    name
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .some(part => wanted.has(part) || wanted.has(part.replace(/\d+$/, ""))),
  );
}
