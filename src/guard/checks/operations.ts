import type { CommandEffect } from "../effects.ts";
import type { RuleContext } from "../rule-context.ts";
import { isOfFamily } from "../rules.ts";
import { isOnlyUsed } from "./used-secrets.ts";

/** Reports what a table of commands named. A word that says production raises it where data of others is at stake. */
export function inspectOperation(effect: CommandEffect, context: RuleContext): void {
  if (effect.kind !== "operation") return;
  const { by, rule, target, what, rest = "", safer } = effect;
  if (rule === "sec.keychain" && isOnlyUsed(context, effect)) return;
  const isProduction =
    isOfFamily(rule, "cloud", "db") && namesProduction(effect.names, context.workspace.settings.prodNames);
  const shown = isProduction ? `${target} (production)` : target;
  const verdict = isProduction ? "deny" : effect.verdict;
  context.report(rule, by, shown, { what, tool: target.split(" ")[0], rest, verdict, safer });
}

/** A whole word of a name: `prod-db` and `my_live_site` do, `product` and `delivery` do not. */
function namesProduction(names: readonly string[], prodNames: readonly string[]): boolean {
  const wanted = new Set(prodNames.map(name => name.toLowerCase()));
  return names.some(name =>
    name
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .some(part => wanted.has(part) || wanted.has(part.replace(/\d+$/, ""))),
  );
}
