import { asksForSecret } from "../../programs/index.ts";
import { describe, knownText, type Value } from "../../shell/index.ts";
import { isInside } from "../../system/index.ts";
import {
  hasSecretsBelow,
  isSettingsFile,
  partsBelow,
  type SecretKind,
  type Target,
  zoneOf,
} from "../../workspace/index.ts";
import type { CommandEffect, EffectOf } from "../effects.ts";
import { type Check, type RuleContext, targetsOf } from "../rule-context.ts";
import { inspectSend } from "./exfiltration.ts";
import { isClosed, secretOf } from "./secret-targets.ts";
import { inspectShown } from "./shown-secrets.ts";
import { isOnlyUsed } from "./used-secrets.ts";

export const secrets: Check = {
  inspect(effect, context) {
    if (effect.kind === "read") inspectRead(effect, context);
    else if (effect.kind === "write") inspectWrite(effect, context);
    else if (effect.kind === "delete" && !effect.isRecursive) inspectLoss(effect, effect.path, context);
    else if (effect.kind === "move") inspectLoss(effect, effect.from, context);
    else if (effect.kind === "send") inspectSend(effect, context);
  },
  inspectWhole: inspectShown,
};

function inspectRead(effect: EffectOf<"read">, context: RuleContext): void {
  for (const target of targetsOf(context, effect.path, effect.by, true, true)) {
    const kind = secretOf(context, target);
    if (kind === undefined && searchesSecrets(effect, target, context))
      context.report("sec.read", effect.by, target.shown);
    if (kind === undefined && !isClosed(context, target)) continue;
    if (kind === "secret" && isOnlyUsed(context, effect)) continue;
    context.report("sec.read", effect.by, target.shown, { verdict: verdictOf(kind, effect) });
  }
}

/** `grep -r password ~`: everything that is kept there is searched for secrets, or shown as it is. */
function searchesSecrets(
  { search }: EffectOf<"read">,
  { path }: Target,
  { workspace }: RuleContext,
): boolean {
  if (search === undefined || path === undefined) return false;
  const { home, disk } = workspace;
  const isKept = isInside(path, home) || hasSecretsBelow(partsBelow(home, path) ?? []);
  if (!isKept || disk.kind(path) === "file") return false;
  const pattern = describe(search);
  return asksForSecret(pattern) || /^(|\.\*?|\^|\$)$/.test(pattern);
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
    if (kind === undefined || isHarmlessWrite(effect, target, context)) continue;
    context.report("sec.write", effect.by, target.shown, { verdict: verdictOf(kind, effect) });
  }
}

/**
 * A new file cannot lose anything: from a template, made by a program that makes keys, or in a temporary directory. A line
 * that is added to the settings of the project loses nothing either.
 */
function isHarmlessWrite(effect: EffectOf<"write">, target: Target, context: RuleContext): boolean {
  const { workspace, facts } = context;
  if (effect.how === "create") return true;
  if (target.path === undefined) return false;
  const zone = zoneOf(workspace, target.path);
  const isOfProject = zone === "source" || zone === "regenerable";
  if (effect.how === "append" && effect.by.isTool !== true && isOfProject && isSettingsFile(target.path))
    return true;
  // A link that the command makes is seen already.
  const kind = workspace.disk.kind(target.path);
  if (kind !== undefined && !(effect.how === "link" && kind === "symlink")) return false;
  if (effect.how === "make" || zone === "temp") return true;
  const contents = facts.writtenFiles.filter(file => knownText(file.path) === target.path);
  const origins = contents.flatMap(({ content }) => content.origins);
  return [
    ...(effect.from === undefined ? [] : [effect.from]),
    ...origins.flatMap(origin => (origin.kind === "file" ? [origin.path] : [])),
  ].some(from => TEMPLATE.test(baseNameOf(from)));
}

function baseNameOf(path: Value): string {
  const shown = describe(path);
  return shown.slice(shown.lastIndexOf("/") + 1);
}

function inspectLoss(effect: CommandEffect, path: Value, context: RuleContext): void {
  for (const target of targetsOf(context, path, effect.by, false)) {
    const kind = secretOf(context, target);
    if (kind !== undefined)
      context.report("sec.write", effect.by, target.shown, { verdict: verdictOf(kind, effect) });
  }
}
