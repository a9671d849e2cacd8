import {
  asksForSecret,
  dropsValues,
  hasTrait,
  isSecretName,
  loadsVariables,
  namedVariables,
  printsEnvironment,
  takesVariables,
} from "../../programs/index.ts";
import { describe, type Invocation, type Value, wordSet } from "../../shell/index.ts";
import { actorOf } from "../actor.ts";
import { type RuleContext, targetsOf } from "../rule-context.ts";
import { findBehind, type Sought } from "./provenance.ts";
import { secretOf } from "./secret-targets.ts";

/** Variables that every process has; showing them shows nothing of the file. */
const EVERYDAY = wordSet(`
  HOME PATH USER PWD OLDPWD SHELL TERM LANG LOGNAME HOSTNAME TMPDIR CI NODE_ENV APP_ENV ENV ENVIRONMENT PORT HOST DEBUG
  LOG_LEVEL VERSION
`);

/** Secrets that are shown after the shell or a program has taken them in: by variable, or with the whole environment. */
export function inspectShown(context: RuleContext): void {
  let file: string | undefined;
  for (const invocation of context.facts.invocations) {
    const by = actorOf(invocation);
    if (file !== undefined && showsValues(invocation)) context.report("sec.read", by, file);
    const shown = shownBy(invocation, context);
    if (shown !== undefined) context.report("sec.read", by, shown, { safer: SAFER });
    file = takenIn(invocation, context) ?? file;
  }
  for (const { call, invocation } of context.facts.codeEffects) {
    const program = context.facts.invocations[invocation];
    if (call.kind !== "output" || program === undefined || program.isCaptured) continue;
    const shown = findBehind(context, call.value, {
      inVariable: name => (name === "*" ? wholeOf(program) : nameOfSecret(name)),
    });
    if (shown !== undefined) context.report("sec.read", actorOf(program), shown, { safer: SAFER });
  }
}

const SAFER = 'test -n "$NAME" && echo set';
const WHOLE = "the environment";

/** `source .env`, `export $(cat .env)`: the file whose values are variables from here on. */
function takenIn(invocation: Invocation, context: RuleContext): string | undefined {
  const by = actorOf(invocation);
  const [, path] = invocation.argv;
  if (path !== undefined && hasTrait(invocation.program, "sources"))
    return targetsOf(context, path, by, true).find(target => secretOf(context, target) !== undefined)?.shown;
  if (!takesVariables(invocation)) return undefined;
  const inFile: Sought<string>["inFile"] = target =>
    secretOf(context, target) === undefined ? undefined : target.shown;
  for (const word of invocation.argv.slice(1)) {
    const found = findBehind(context, word, { inFile });
    if (found !== undefined) return found;
  }
  return undefined;
}

function showsValues(invocation: Invocation): boolean {
  if (printsEnvironment(invocation)) return true;
  if (!hasTrait(invocation.program, "prints")) return false;
  return invocation.argv.some(word =>
    word.origins.some(origin => origin.kind === "environment" && !EVERYDAY.has(origin.name)),
  );
}

function nameOfSecret(name: string): string | undefined {
  return isSecretName(name) ? `$${name}` : undefined;
}

const SECRET_VARIABLE: Sought<string> = { inVariable: nameOfSecret };

/** What a program shows to whoever reads along; nothing when its output goes elsewhere. */
function shownBy(invocation: Invocation, context: RuleContext): string | undefined {
  const { argv, program, stdin, isCaptured } = invocation;
  if (isCaptured) return undefined;
  if (printsEnvironment(invocation)) {
    const names = namedVariables(invocation);
    return names.length > 0 ? names.map(nameOfSecret).find(isText) : wholeOf(invocation);
  }
  if (hasTrait(program, "prints"))
    return argv.map(word => findBehind(context, word, SECRET_VARIABLE)).find(isText);
  const isFilter = hasTrait(program, "passesOn") || hasTrait(program, "decodes");
  if (!isFilter || stdin === undefined || dropsValues(invocation)) return undefined;
  return findBehind(context, stdin, SECRET_VARIABLE) ?? picked(invocation, stdin, context);
}

/** `env | grep -i token`: those variables of all that are secret. */
function picked(invocation: Invocation, stdin: Value, context: RuleContext): string | undefined {
  const isAsked = (one: Invocation) =>
    hasTrait(one.program, "selects") && one.argv.slice(1).some(word => asksForSecret(describe(word)));
  const pipeline = context.facts.invocations.filter(
    ({ pipeline: place }) => place !== undefined && place.id === invocation.pipeline?.id,
  );
  if (!pipeline.some(isAsked) || pipeline.some(dropsValues)) return undefined;
  return pipeline.some(printsEnvironment) ||
    findBehind(context, stdin, { inProgram: one => printsEnvironment(one) || undefined }) === true
    ? WHOLE
    : undefined;
}

/** All variables matter where more than the usual ones are among them: elsewhere, or given by a keeper of secrets. */
function wholeOf(invocation: Invocation): string | undefined {
  const { place, environment } = invocation;
  const isGiven =
    place.kind === "remote" || environment.some(({ name }) => name === "*") || loadsVariables(invocation);
  return isGiven ? WHOLE : undefined;
}

function isText(found: string | undefined): found is string {
  return found !== undefined;
}
