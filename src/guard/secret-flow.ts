import {
  asksForSecret,
  dropsValues,
  hasTrait,
  isOwnHost,
  isSecretName,
  keepsInput,
  loadsVariables,
  namedVariables,
  printsEnvironment,
  showsOnlyNames,
  storesWords,
  takesPassword,
  takesVariables,
  tracesCommands,
} from "../programs/index.ts";
import { describe, type Invocation, type Value, wordSet } from "../shell/index.ts";
import { components } from "../system/index.ts";
import {
  isConfigured,
  partsBelow,
  patternNamesSecret,
  type SecretKind,
  secretAt,
  type Target,
} from "../workspace/index.ts";
import { findBehind, type Sought } from "./provenance.ts";
import {
  type CommandEffect,
  listStarters,
  type RuleContext,
  targetsForWord,
  toActor,
} from "./rule-context.ts";

/** The secret a target names, or the pattern that could only mean one. */
export function findSecret(context: RuleContext, target: Target): SecretKind | undefined {
  const { workspace } = context;
  if (target.path !== undefined) return secretAt(workspace, target.path);
  const last = target.rest.at(-1);
  if (last === undefined) return undefined;
  const name = describe({ pieces: last, origins: [] });
  if (target.base !== undefined && target.rest.length === 1) {
    // What follows the open part may say that it is none: `~/.ssh/*.pub`.
    const end = last.at(-1);
    const inside = secretAt(workspace, `${target.base}/x${end?.kind === "text" ? end.text : ""}`);
    if (inside !== undefined && secretAt(workspace, target.base) !== undefined) return inside;
  }
  // `~/.mozilla/firefox/*/logins.json`, also where nothing of that name is there.
  if (target.base !== undefined && target.rest.length > 1 && last.every(piece => piece.kind === "text")) {
    const parts = target.rest.map(part => describe({ pieces: part.map(asText), origins: [] }));
    const found = secretAt(workspace, [target.base, ...parts].join("/"));
    if (found !== undefined) return found;
  }
  if (patternNamesSecret(last) || (target.base === "/proc" && name === "environ")) return "secret";
  return last.every(piece => piece.kind === "text") ? secretAt(workspace, `/${name}`) : undefined;
}

function asText(piece: Target["rest"][number][number]): typeof piece {
  return piece.kind === "text" ? piece : { kind: "text", text: "x" };
}

/** Paths the configuration closed for reading. */
export function isClosed({ workspace }: RuleContext, target: Target): boolean {
  const { noRead } = workspace.settings.paths;
  const place = target.path ?? target.base;
  if (noRead.length === 0 || place === undefined) return false;
  return isConfigured(noRead, partsBelow(workspace.project, place) ?? components(place));
}

/** Variables that every process has; showing them shows nothing of the file. */
const EVERYDAY = wordSet(`
  HOME PATH USER PWD OLDPWD SHELL TERM LANG LOGNAME HOSTNAME TMPDIR CI NODE_ENV APP_ENV ENV ENVIRONMENT PORT HOST DEBUG
  LOG_LEVEL VERSION
`);

/** Secrets that are shown after the shell or a program has taken them in: by variable, or with the whole environment. */
export function inspectShown(context: RuleContext): void {
  let file: string | undefined;
  let isTraced = false;
  const filesBefore = new Map<number, string>();
  for (const invocation of context.facts.invocations) {
    const by = toActor(invocation);
    if (file !== undefined && showsValues(invocation)) context.report("sec.read", by, file);
    const shown = shownBy(invocation, context);
    if (shown !== undefined) context.report("sec.read", by, shown, { safer: SAFER });
    if (invocation.program === "set")
      isTraced = (tracesCommands(invocation) ?? (isTraced ? "on" : "off")) === "on";
    const taken = takenIn(invocation, context) ?? loadedFirst(invocation, context);
    const isSaid = () =>
      [invocation, ...listStarters(invocation, context.facts)].some(one => tracesCommands(one) === "on");
    if (taken !== undefined && (isTraced || isSaid())) context.report("sec.read", by, taken);
    file = taken ?? file;
    if (file !== undefined) filesBefore.set(invocation.id, file);
  }
  for (const { call, invocation } of context.facts.codeEffects) {
    const program = context.facts.invocations[invocation];
    if (call.kind !== "output" || program === undefined || program.isCaptured || showsOnlyNames(program))
      continue;
    const shown = findBehind(context, call.value, {
      inVariable: name =>
        (name === "*" ? describeWholeEnvironment(program, context) : nameOfSecret(name)) ??
        (EVERYDAY.has(name) ? undefined : filesBefore.get(program.id)),
    });
    if (shown !== undefined) context.report("sec.read", toActor(program), shown, { safer: SAFER });
  }
}

const SAFER = 'test -n "$NAME" && echo set';
const WHOLE = "the environment";

/** `source .env`, `export $(cat .env)`: the file whose values are variables from here on. */
function takenIn(invocation: Invocation, context: RuleContext): string | undefined {
  const by = toActor(invocation);
  const [, path] = invocation.argv;
  if (path !== undefined && hasTrait(invocation.program, "sources"))
    return targetsForWord(context, path, by, true).find(target => findSecret(context, target) !== undefined)
      ?.shown;
  if (!takesVariables(invocation)) return undefined;
  const inFile: Sought<string>["inFile"] = target =>
    findSecret(context, target) === undefined ? undefined : target.shown;
  for (const word of invocation.argv.slice(1)) {
    const found = findBehind(context, word, { inFile });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `BASH_ENV=.env bash …`: a shell takes the file in before anything else. */
function loadedFirst(invocation: Invocation, context: RuleContext): string | undefined {
  if (!hasTrait(invocation.program, "shell")) return undefined;
  const by = toActor(invocation);
  return invocation.environment
    .flatMap(({ name, value }) => (/^(?:BASH_ENV|ENV)$/.test(name) && value !== undefined ? [value] : []))
    .flatMap(path => targetsForWord(context, path, by, true))
    .find(target => findSecret(context, target) !== undefined)?.shown;
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
    return names.length > 0
      ? names.map(nameOfSecret).find(isText)
      : describeWholeEnvironment(invocation, context);
  }
  if (hasTrait(program, "prints"))
    return argv.map(word => findBehind(context, word, SECRET_VARIABLE)).find(isText);
  const isFilter = hasTrait(program, "passesOn") || hasTrait(program, "decodes");
  if (!isFilter || stdin === undefined || dropsValues(invocation)) return undefined;
  return findBehind(context, stdin, SECRET_VARIABLE) ?? picked(invocation, stdin, context);
}

/** `env | grep -i token`: those variables of all that are secret. */
function picked(invocation: Invocation, stdin: Value, context: RuleContext): string | undefined {
  if (invocation.pipeline === undefined) return undefined;
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

/**
 * All variables matter where more than the usual ones are among them: elsewhere, given by a keeper of secrets, or where the
 * person's own hold a secret and nothing behind it chooses among them.
 */
function describeWholeEnvironment(invocation: Invocation, context: RuleContext): string | undefined {
  const { place, environment } = invocation;
  const isGiven =
    place.kind === "remote" || environment.some(({ name }) => name === "*") || loadsVariables(invocation);
  if (isGiven) return WHOLE;
  const { facts, workspace } = context;
  const isChosen = facts.invocations.some(
    other =>
      other.pipeline !== undefined &&
      other.pipeline.id === invocation.pipeline?.id &&
      other.pipeline.index > invocation.pipeline.index &&
      (hasTrait(other.program, "selects") || dropsValues(other) || showsOnlyNames(other)),
  );
  return !isChosen && workspace.given.hasSecretVariables?.() === true ? WHOLE : undefined;
}

function isText(found: string | undefined): found is string {
  return found !== undefined;
}

/**
 * A secret that a program prints is only handed on to others that use it and do not show it:
 * `GITHUB_TOKEN=$(gh auth token) npm test`, `export $(cat .env | xargs)`.
 */
export function isOnlyUsed(context: RuleContext, { by }: CommandEffect): boolean {
  const source = by.invocation;
  if (source === undefined || !source.isCaptured) return false;
  const leads = leadsTo(context, source);
  let isUsed = false;
  for (const invocation of context.facts.invocations) {
    if (invocation.id === source.id || invocation.id < source.id) continue;
    const use = findUse(context, invocation, source, leads);
    if (use === "shown") return false;
    isUsed ||= use === "used";
  }
  const last = context.facts.invocations.at(-1);
  // Variables for whatever may come later are not used yet.
  return isUsed && last !== undefined && !takesVariables(last);
}

type Use = "used" | "shown" | "handed on" | undefined;

function leadsTo(context: RuleContext, source: Invocation): (value: Value) => boolean {
  const read = new Set(
    context.effects.flatMap(effect =>
      effect.kind === "read" && effect.by.invocation?.id === source.id ? [describe(effect.path)] : [],
    ),
  );
  const sought: Sought<true> = {
    inProgram: invocation => (invocation.id === source.id ? true : undefined),
    inFile: ({ shown }) =>
      [...read].some(path => shown.endsWith(path.replace(/^\.\//, ""))) ? true : undefined,
  };
  return value => findBehind(context, value, sought) === true;
}

function findUse(
  context: RuleContext,
  invocation: Invocation,
  source: Invocation,
  leads: (value: Value) => boolean,
): Use {
  const { argv, environment, stdin, program, isCaptured } = invocation;
  if (environment.some(({ value }) => value !== undefined && leads(value)) && printsEnvironment(invocation))
    return "shown";
  const isGiven = argv.slice(1).some(leads);
  const isFed = stdin !== undefined && leads(stdin);
  if (isGiven && (takesVariables(invocation) || storesWords(invocation))) return "used";
  if (isGiven && isHeaderForOwner(context, invocation, source, leads)) return "used";
  if (isFed && (keepsInput(program) || takesPassword(invocation))) return "used";
  if (isGiven || isFed) return isCaptured ? "handed on" : "shown";
  return environment.some(({ value }) => value !== undefined && leads(value)) ? "used" : undefined;
}

/** `curl -H "Authorization: Bearer $(gh auth token)" https://api.github.com/…` */
function isHeaderForOwner(
  { effects }: RuleContext,
  invocation: Invocation,
  source: Invocation,
  leads: (value: Value) => boolean,
): boolean {
  const sends = effects.filter(
    effect => effect.kind === "send" && effect.by.invocation?.id === invocation.id,
  );
  return (
    sends.length > 0 &&
    sends.every(
      effect =>
        effect.kind === "send" &&
        effect.to !== undefined &&
        isOwnHost(source.program, describe(effect.to)) &&
        effect.payloads.every(({ role, value }) => role === "header" || !leads(value)),
    )
  );
}
