import { describe, type Value } from "../../shell/value.ts";
import type { CommandEffect, EffectOf } from "../effects.ts";
import type { SecretKind } from "../paths/secrets.ts";
import type { Target } from "../paths/target.ts";
import { type Check, type RuleContext, targetsOf } from "../rule-context.ts";
import { inspectSend } from "./exfiltration.ts";
import { isClosed, secretOf } from "./secret-targets.ts";
import { inspectSourced } from "./sourced-secrets.ts";

export const secrets: Check = {
  inspect(effect, context) {
    if (effect.kind === "read") inspectRead(effect, context);
    else if (effect.kind === "write") inspectWrite(effect, context);
    else if (effect.kind === "delete" && !effect.isRecursive) inspectLoss(effect, effect.path, context);
    else if (effect.kind === "move") inspectLoss(effect, effect.from, context);
    else if (effect.kind === "send") inspectSend(effect, context);
  },
  inspectWhole: inspectSourced,
};

function inspectRead(effect: EffectOf<"read">, context: RuleContext): void {
  for (const target of targetsOf(context, effect.path, effect.by, true, true)) {
    const kind = secretOf(context, target);
    if (kind === undefined && !isClosed(context, target)) continue;
    context.report("sec.read", effect.by, target.shown, { verdict: verdictOf(kind, effect) });
  }
}

/** A file tool has no other use for key material than to see or replace it. */
function verdictOf(kind: SecretKind | undefined, effect: CommandEffect): "deny" | undefined {
  const isTool = effect.by.isTool === true;
  return (kind === "entry" && effect.kind !== "read") || (isTool && (kind === "key" || kind === "entry"))
    ? "deny"
    : undefined;
}

const TEMPLATE = /(^|[._-])(example|sample|template|tmpl|dist|defaults?|tpl)([._-]|$)/i;

function inspectWrite(effect: EffectOf<"write">, context: RuleContext): void {
  for (const target of targetsOf(context, effect.path, effect.by, effect.how !== "link")) {
    const kind = secretOf(context, target);
    if (kind === undefined || isNewFromTemplate(effect, target, context)) continue;
    context.report("sec.write", effect.by, target.shown, { verdict: verdictOf(kind, effect) });
  }
}

/** A new file cannot lose anything: from a template, or made by a program that makes keys. */
function isNewFromTemplate(effect: EffectOf<"write">, target: Target, { workspace }: RuleContext): boolean {
  if (effect.how === "create") return true;
  if (target.path === undefined || workspace.disk.kind(target.path) !== undefined) return false;
  if (effect.how === "make") return true;
  return effect.from !== undefined && TEMPLATE.test(describe(effect.from));
}

function inspectLoss(effect: CommandEffect, path: Value, context: RuleContext): void {
  for (const target of targetsOf(context, path, effect.by, false)) {
    const kind = secretOf(context, target);
    if (kind !== undefined)
      context.report("sec.write", effect.by, target.shown, { verdict: verdictOf(kind, effect) });
  }
}
