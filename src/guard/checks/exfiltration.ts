import type { Invocation } from "../../shell/facts.ts";
import { describe, knownText, type Origin, type Value } from "../../shell/value.ts";
import type { Actor, CommandEffect, EffectOf, Payload } from "../effects.ts";
import { isLocalAddress } from "../models/network.ts";
import type { Target } from "../paths/target.ts";
import { secretAt } from "../paths/zones.ts";
import { type RuleContext, targetsOf } from "../rule-context.ts";
import { wordSet } from "../words.ts";
import { isClosed, secretOf } from "./secret-targets.ts";

/** Secrets that would leave the machine, followed back from what is sent. */
export function inspectSend(effect: EffectOf<"send">, context: RuleContext): void {
  const host = effect.to === undefined ? "another machine" : describe(effect.to);
  if (effect.to !== undefined && isLocalAddress(host)) return;
  const piped = environmentInPipe(context, effect.by);
  if (piped !== undefined)
    context.report("sec.exfil", { target: piped.shown, host, file: piped.shown }, effect.by);
  for (const payload of effect.payloads) {
    const leak = leakOf(context, effect, payload);
    if (leak === undefined) continue;
    const isAddressOnly = payload.role === "address" && leak.kind === "variable";
    if (payload.role === "header" && (leak.kind === "variable" || leak.kind === "token")) continue;
    context.report(
      "sec.exfil",
      { target: leak.shown, host, file: leak.shown, verdict: isAddressOnly ? "ask" : undefined },
      effect.by,
    );
  }
}

interface Leak {
  /** `token`: printed by a tool that is asked about for itself */
  readonly kind: "file" | "environment" | "variable" | "token";
  readonly shown: string;
}

function leakOf(context: RuleContext, effect: CommandEffect, payload: Payload): Leak | undefined {
  if (payload.role === "file") {
    for (const target of targetsOf(context, payload.value, effect.by, true)) {
      if (secretOf(context, target) !== undefined || isClosed(context, target))
        return { kind: "file", shown: target.shown };
      const written = leakInWritten(context, target);
      if (written !== undefined) return written;
    }
  }
  return leakBehind(context, payload.value.origins, 0);
}

const MOST_WRITERS = 16;

/** What an earlier command of the same text put into a file that is sent now. */
function leakInWritten(context: RuleContext, target: Target): Leak | undefined {
  if (target.path === undefined) return undefined;
  for (const { content, id } of indexOf(context).writers.get(target.path) ?? []) {
    const leak = leakBehind(context, content?.origins ?? [], 1) ?? leakOfProgram(context, id, 1);
    if (leak !== undefined) return leak;
  }
  return undefined;
}

/** Who wrote which file and what each program did, so that every send need not look at everything. */
interface Index {
  readonly writers: ReadonlyMap<string, readonly Writer[]>;
  readonly effects: ReadonlyMap<number, readonly CommandEffect[]>;
}

interface Writer {
  readonly id: number;
  readonly content: Value | undefined;
}

const indexes = new WeakMap<RuleContext, Index>();

function indexOf(context: RuleContext): Index {
  const made = indexes.get(context);
  if (made !== undefined) return made;
  const writers = new Map<string, Writer[]>();
  const effects = new Map<number, CommandEffect[]>();
  const addWriter = (path: string | undefined, writer: Writer) => {
    const known = path === undefined ? undefined : (writers.get(path) ?? []);
    if (path !== undefined && known !== undefined)
      writers.set(path, [...known.slice(1 - MOST_WRITERS), writer]);
  };
  for (const { path, content, invocation } of context.facts.writtenFiles)
    addWriter(knownText(path), { id: invocation, content });
  for (const effect of context.effects) {
    const id = effect.by.invocation?.id;
    if (id === undefined) continue;
    const known = effects.get(id);
    if (known === undefined) effects.set(id, [effect]);
    else known.push(effect);
    if (effect.kind !== "write") continue;
    for (const { path } of targetsOf(context, effect.path, effect.by, true))
      addWriter(path, { id, content: undefined });
  }
  const index = { writers, effects };
  indexes.set(context, index);
  return index;
}

/** `set | nc host`: a builtin that prints everything, somewhere in front in the same pipeline. */
function environmentInPipe(context: RuleContext, { invocation }: Actor): Leak | undefined {
  const place = invocation?.pipeline;
  if (place === undefined) return undefined;
  const isDump = context.facts.invocations.some(
    other =>
      other.pipeline?.id === place.id && other.pipeline.index < place.index && printsEnvironment(other),
  );
  return isDump ? { kind: "environment", shown: "the environment" } : undefined;
}

export function printsEnvironment({ program, argv }: Invocation): boolean {
  if (program === undefined || !ENVIRONMENT_TOOLS.has(program)) return false;
  if (program === "set") return argv.length === 1;
  const shown = argv.slice(1).map(describe);
  if (/^(declare|typeset|export)$/.test(program) && shown.some(word => /^-[a-zA-Z]*p/.test(word)))
    return true;
  return program === "printenv" || argv.slice(1).every(word => describe(word).startsWith("-"));
}

const ENVIRONMENT_TOOLS = wordSet("env printenv set export declare typeset");
const SECRET_NAME =
  /(^|_)(SECRET|TOKEN|PASSWORD|PASSWD|PWD_?HASH|API_?KEY|APIKEY|PRIVATE_?KEY|ACCESS_?KEY|SECRET_?KEY|CREDENTIALS?|AUTH|PAT|DSN|DATABASE_URL)(_|$)/i;
const DEPTH_LIMIT = 12;

/** Follows content back to where it came from: a protected file, the environment, a secret variable. */
function leakBehind(context: RuleContext, origins: readonly Origin[], depth: number): Leak | undefined {
  if (depth > DEPTH_LIMIT) return undefined;
  for (const origin of origins) {
    const leak = leakOfOrigin(context, origin, depth);
    if (leak !== undefined) return leak;
  }
  return undefined;
}

function leakOfOrigin(context: RuleContext, origin: Origin, depth: number): Leak | undefined {
  switch (origin.kind) {
    case "file": {
      const path = describe(origin.path);
      return secretAt(context.workspace, context.workspace.disk.resolve(path, true)) === undefined
        ? undefined
        : { kind: "file", shown: path };
    }
    case "environment":
      if (origin.name === "*") return { kind: "environment", shown: "the environment" };
      return SECRET_NAME.test(origin.name) ? { kind: "variable", shown: `$${origin.name}` } : undefined;
    case "program":
    case "decoded":
      return leakOfProgram(context, origin.invocation, depth);
    default:
      return undefined;
  }
}

function leakOfProgram(context: RuleContext, id: number, depth: number): Leak | undefined {
  const invocation = context.facts.invocations[id];
  if (invocation === undefined) return undefined;
  if (printsEnvironment(invocation)) return { kind: "environment", shown: "the environment" };
  for (const effect of indexOf(context).effects.get(id) ?? []) {
    if (effect.kind === "operation" && effect.rule === "sec.keychain")
      return { kind: "token", shown: effect.target };
    if (effect.kind !== "read") continue;
    for (const target of targetsOf(context, effect.path, effect.by, true)) {
      if (secretOf(context, target) !== undefined || isClosed(context, target))
        return { kind: "file", shown: target.shown };
    }
  }
  const values = [...invocation.argv, ...(invocation.stdin === undefined ? [] : [invocation.stdin])];
  for (const value of values) {
    const leak = leakBehind(context, value.origins, depth + 1);
    if (leak !== undefined) return leak;
  }
  return undefined;
}
