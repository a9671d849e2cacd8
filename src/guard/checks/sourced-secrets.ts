import { hasTrait } from "../../programs/registry.ts";
import { printsEnvironment } from "../../programs/traits.ts";
import type { Invocation } from "../../shell/facts.ts";
import { wordSet } from "../../shell/options.ts";
import { actorOf } from "../actor.ts";
import { type RuleContext, targetsOf } from "../rule-context.ts";
import { secretOf } from "./secret-targets.ts";

/** Variables that every process has; showing them shows nothing of the file. */
const EVERYDAY = wordSet(`
  HOME PATH USER PWD OLDPWD SHELL TERM LANG LOGNAME HOSTNAME TMPDIR CI NODE_ENV APP_ENV ENV ENVIRONMENT PORT HOST DEBUG
  LOG_LEVEL VERSION
`);

/** `source .env && echo $TOKEN`: values of a protected file, shown after the shell has taken them in. */
export function inspectSourced(context: RuleContext): void {
  let file: string | undefined;
  for (const invocation of context.facts.invocations) {
    const by = actorOf(invocation);
    if (file !== undefined && showsValues(invocation)) context.report("sec.read", by, file);
    const [, path] = invocation.argv;
    if (path === undefined || !hasTrait(invocation.program, "sources")) continue;
    const targets = targetsOf(context, path, by, true);
    file = targets.find(target => secretOf(context, target) !== undefined)?.shown ?? file;
  }
}

function showsValues(invocation: Invocation): boolean {
  if (printsEnvironment(invocation)) return true;
  if (!hasTrait(invocation.program, "prints")) return false;
  return invocation.argv.some(word =>
    word.origins.some(origin => origin.kind === "environment" && !EVERYDAY.has(origin.name)),
  );
}
