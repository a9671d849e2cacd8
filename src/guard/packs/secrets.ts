import { describe, type Value } from "../../shell/value.ts";
import { inspectSend } from "../checks/exfiltration.ts";
import { isClosed, secretOf } from "../checks/secret-targets.ts";
import { inspectSourced } from "../checks/sourced-secrets.ts";
import type { CommandEffect, EffectOf } from "../effects.ts";
import type { SecretKind } from "../paths/secrets.ts";
import type { Target } from "../paths/target.ts";
import type { Rule } from "../rule.ts";
import { type Pack, type RuleContext, targetsOf } from "../rule-context.ts";
import { reportOperation } from "./operations.ts";

const RULES: readonly Rule[] = [
  {
    id: "sec.read",
    title: "shows a secret",
    verdict: "ask",
    when: "The content of a protected file reaches the output, another file, an archive or an interpreter, by any program.",
    lost: "It would show what is in {target}; whatever the agent reads can end up anywhere.",
    safer: "ls -l {target}",
  },
  {
    id: "sec.exfil",
    title: "sends a secret away",
    verdict: "deny",
    isAllowable: false,
    when: "Protected content, the environment or a variable with a secret's name flows to a network tool; in an address it asks.",
    lost: "It would send {target} to {host}, where nobody can take it back.",
    safer: "ls -l {file}",
  },
  {
    id: "sec.write",
    title: "changes a secret",
    verdict: "ask",
    when: "Creates, overwrites, moves or deletes a protected file; authorized_keys is denied.",
    lost: "It would change or remove {target}, which may be the only copy of a secret.",
    safer: "ls -l {target}",
  },
  {
    id: "sec.keychain",
    title: "reveals a stored credential",
    verdict: "ask",
    when: "A password manager, keychain, cloud or forge tool is told to print a secret or token.",
    lost: "It would {what}, in the open: {target}.",
    safer: "{tool} --help",
  },
];

export const secrets: Pack = {
  name: "secrets",
  rules: RULES,
  inspect(effect, context) {
    if (effect.kind === "read") inspectRead(effect, context);
    else if (effect.kind === "write") inspectWrite(effect, context);
    else if (effect.kind === "delete" && !effect.isRecursive) inspectLoss(effect, effect.path, context);
    else if (effect.kind === "move") inspectLoss(effect, effect.from, context);
    else if (effect.kind === "send") inspectSend(effect, context);
    else if (effect.kind === "operation" && effect.rule === "sec.keychain")
      reportOperation(effect, context, false);
  },
  inspectWhole: inspectSourced,
};

function inspectRead(effect: EffectOf<"read">, context: RuleContext): void {
  for (const target of targetsOf(context, effect.path, effect.by, true, true)) {
    const kind = secretOf(context, target);
    if (kind === undefined && !isClosed(context, target)) continue;
    context.report("sec.read", { target: target.shown, verdict: verdictOf(kind, effect) }, effect.by);
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
    context.report("sec.write", { target: target.shown, verdict: verdictOf(kind, effect) }, effect.by);
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
      context.report("sec.write", { target: target.shown, verdict: verdictOf(kind, effect) }, effect.by);
  }
}
