import type { Invocation } from "../../shell/facts.ts";
import { describe, knownText, type Origin, type Value } from "../../shell/value.ts";
import { components } from "../../system/paths.ts";
import type { CommandEffect, Doer, EffectOf, Payload } from "../effects.ts";
import { isLocalAddress } from "../models/network.ts";
import { patternNamesSecret, type SecretKind } from "../paths/secrets.ts";
import type { Target } from "../paths/target.ts";
import { isConfigured, projectParts, secretAt } from "../paths/zones.ts";
import type { Rule } from "../rule.ts";
import { type Pack, type Scene, targetsOf } from "../scene.ts";
import { wordSet } from "../words.ts";
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
  inspect(effect, scene) {
    if (effect.kind === "read") inspectRead(effect, scene);
    else if (effect.kind === "write") inspectWrite(effect, scene);
    else if (effect.kind === "delete" && !effect.isRecursive) inspectLoss(effect, effect.path, scene);
    else if (effect.kind === "move") inspectLoss(effect, effect.from, scene);
    else if (effect.kind === "send") inspectSend(effect, scene);
    else if (effect.kind === "operation" && effect.rule === "sec.keychain")
      reportOperation(effect, scene, false);
  },
};

/** The secret a target names, or the pattern that could only mean one. */
function secretOf(scene: Scene, target: Target): SecretKind | undefined {
  const { around } = scene;
  if (target.path !== undefined) return secretAt(around, target.path);
  const last = target.rest.at(-1);
  if (last === undefined) return undefined;
  const name = describe({ pieces: last, origins: [] });
  if (target.base !== undefined && target.rest.length === 1) {
    const inside = secretAt(around, `${target.base}/x`);
    if (inside !== undefined && secretAt(around, target.base) !== undefined) return inside;
  }
  if (patternNamesSecret(last)) return "secret";
  return last.every(piece => piece.kind === "text") ? secretAt(around, `/${name}`) : undefined;
}

function inspectRead(effect: EffectOf<"read">, scene: Scene): void {
  for (const target of targetsOf(scene, effect.path, effect.by, true)) {
    const kind = secretOf(scene, target);
    if (kind === undefined && !isClosed(scene, target)) continue;
    scene.report("sec.read", { target: target.shown, verdict: verdictOf(kind, effect) }, effect.by);
  }
}

/** A file tool has no other use for key material than to see or replace it. */
function verdictOf(kind: SecretKind | undefined, effect: CommandEffect): "deny" | undefined {
  const isTool = effect.by.isTool === true;
  return (kind === "entry" && effect.kind !== "read") || (isTool && (kind === "key" || kind === "entry"))
    ? "deny"
    : undefined;
}

/** Paths the configuration closed for reading. */
export function isClosed({ around }: Scene, target: Target): boolean {
  const { noRead } = around.settings.paths;
  const place = target.path ?? target.base;
  if (noRead.length === 0 || place === undefined) return false;
  return isConfigured(noRead, projectParts(around, place) ?? components(place));
}

const TEMPLATE = /(^|[._-])(example|sample|template|tmpl|dist|defaults?|tpl)([._-]|$)/i;

function inspectWrite(effect: EffectOf<"write">, scene: Scene): void {
  for (const target of targetsOf(scene, effect.path, effect.by, true)) {
    const kind = secretOf(scene, target);
    if (kind === undefined || isNewFromTemplate(effect, target, scene)) continue;
    scene.report("sec.write", { target: target.shown, verdict: verdictOf(kind, effect) }, effect.by);
  }
}

/** A new file cannot lose anything: from a template, or made by a program that makes keys. */
function isNewFromTemplate(effect: EffectOf<"write">, target: Target, { around }: Scene): boolean {
  if (effect.how === "create") return true;
  if (target.path === undefined || around.disk.kind(target.path) !== undefined) return false;
  if (effect.how === "make") return true;
  return effect.from !== undefined && TEMPLATE.test(describe(effect.from));
}

function inspectLoss(effect: CommandEffect, path: Value, scene: Scene): void {
  for (const target of targetsOf(scene, path, effect.by, false)) {
    const kind = secretOf(scene, target);
    if (kind !== undefined)
      scene.report("sec.write", { target: target.shown, verdict: verdictOf(kind, effect) }, effect.by);
  }
}

function inspectSend(effect: EffectOf<"send">, scene: Scene): void {
  const host = effect.to === undefined ? "another machine" : describe(effect.to);
  if (effect.to !== undefined && isLocalAddress(host)) return;
  const piped = environmentInPipe(scene, effect.by);
  if (piped !== undefined)
    scene.report("sec.exfil", { target: piped.shown, host, file: piped.shown }, effect.by);
  for (const payload of effect.payloads) {
    const leak = leakOf(scene, effect, payload);
    if (leak === undefined) continue;
    const isAddressOnly = payload.role === "address" && leak.kind === "variable";
    if (payload.role === "header" && leak.kind === "variable") continue;
    scene.report(
      "sec.exfil",
      { target: leak.shown, host, file: leak.shown, verdict: isAddressOnly ? "ask" : undefined },
      effect.by,
    );
  }
}

interface Leak {
  readonly kind: "file" | "environment" | "variable";
  readonly shown: string;
}

function leakOf(scene: Scene, effect: CommandEffect, payload: Payload): Leak | undefined {
  if (payload.role === "file") {
    for (const target of targetsOf(scene, payload.value, effect.by, true)) {
      if (secretOf(scene, target) !== undefined || isClosed(scene, target))
        return { kind: "file", shown: target.shown };
      const written = leakInWritten(scene, target);
      if (written !== undefined) return written;
    }
  }
  return leakBehind(scene, payload.value.origins, 0);
}

/** What an earlier command of the same text put into a file that is sent now. */
function leakInWritten(scene: Scene, target: Target): Leak | undefined {
  for (const { path, content, invocation } of scene.facts.writtenFiles) {
    if (target.path === undefined || knownText(path) !== target.path) continue;
    const leak = leakBehind(scene, content.origins, 1) ?? leakOfProgram(scene, invocation, 1);
    if (leak !== undefined) return leak;
  }
  return undefined;
}

/** `set | nc host`: a builtin that prints everything, somewhere in front in the same pipeline. */
function environmentInPipe(scene: Scene, { invocation }: Doer): Leak | undefined {
  const place = invocation?.pipeline;
  if (place === undefined) return undefined;
  const isDump = scene.facts.invocations.some(
    other =>
      other.pipeline?.id === place.id && other.pipeline.index < place.index && printsEnvironment(other),
  );
  return isDump ? { kind: "environment", shown: "the environment" } : undefined;
}

function printsEnvironment({ program, argv }: Invocation): boolean {
  if (program === undefined || !ENVIRONMENT_TOOLS.has(program)) return false;
  return program === "printenv" || argv.slice(1).every(word => describe(word).startsWith("-"));
}

const ENVIRONMENT_TOOLS = wordSet("env printenv set export declare typeset");
const SECRET_NAME =
  /(^|_)(SECRET|TOKEN|PASSWORD|PASSWD|PWD_?HASH|API_?KEY|APIKEY|PRIVATE_?KEY|ACCESS_?KEY|SECRET_?KEY|CREDENTIALS?|AUTH|PAT|DSN|DATABASE_URL)(_|$)/i;
const DEPTH_LIMIT = 12;

/** Follows content back to where it came from: a protected file, the environment, a secret variable. */
function leakBehind(scene: Scene, origins: readonly Origin[], depth: number): Leak | undefined {
  if (depth > DEPTH_LIMIT) return undefined;
  for (const origin of origins) {
    const leak = leakOfOrigin(scene, origin, depth);
    if (leak !== undefined) return leak;
  }
  return undefined;
}

function leakOfOrigin(scene: Scene, origin: Origin, depth: number): Leak | undefined {
  switch (origin.kind) {
    case "file": {
      const path = describe(origin.path);
      return secretAt(scene.around, scene.around.disk.resolve(path, true)) === undefined
        ? undefined
        : { kind: "file", shown: path };
    }
    case "environment":
      if (origin.name === "*") return { kind: "environment", shown: "the environment" };
      return SECRET_NAME.test(origin.name) ? { kind: "variable", shown: `$${origin.name}` } : undefined;
    case "program":
    case "decoded":
      return leakOfProgram(scene, origin.invocation, depth);
    default:
      return undefined;
  }
}

function leakOfProgram(scene: Scene, id: number, depth: number): Leak | undefined {
  const invocation = scene.facts.invocations[id];
  if (invocation === undefined) return undefined;
  if (printsEnvironment(invocation)) return { kind: "environment", shown: "the environment" };
  for (const effect of scene.effects) {
    if (effect.by.invocation?.id !== id) continue;
    if (effect.kind === "operation" && effect.rule === "sec.keychain")
      return { kind: "file", shown: effect.target };
    if (effect.kind !== "read") continue;
    for (const target of targetsOf(scene, effect.path, effect.by, true)) {
      if (secretOf(scene, target) !== undefined || isClosed(scene, target))
        return { kind: "file", shown: target.shown };
    }
  }
  const values = [...invocation.argv, ...(invocation.stdin === undefined ? [] : [invocation.stdin])];
  for (const value of values) {
    const leak = leakBehind(scene, value.origins, depth + 1);
    if (leak !== undefined) return leak;
  }
  return undefined;
}
