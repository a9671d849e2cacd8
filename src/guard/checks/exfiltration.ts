import { isLocalAddress } from "../../programs/requests.ts";
import { printsEnvironment } from "../../programs/traits.ts";
import type { Payload } from "../../shell/effects.ts";
import { describe, knownText, type Origin, type Value } from "../../shell/value.ts";
import type { Actor, CommandEffect, EffectOf } from "../effects.ts";
import { secretAt } from "../paths/zones.ts";
import { type RuleContext, targetsOf } from "../rule-context.ts";
import { isClosed, secretOf } from "./secret-targets.ts";

/** Secrets that would leave the machine, followed back from what is sent. */
export function inspectSend(effect: EffectOf<"send">, context: RuleContext): void {
  const host = effect.to === undefined ? "another machine" : describe(effect.to);
  if (effect.to !== undefined && isLocalAddress(host)) return;
  const report = ({ shown }: Leak, verdict?: "ask") =>
    context.report("sec.exfil", effect.by, shown, { host, file: shown, verdict });
  if (isFedByEnvironment(context, effect.by)) report(ENVIRONMENT);
  for (const payload of effect.payloads) {
    const leak = leakOf(context, effect, payload);
    const isVariable = leak?.kind === "variable";
    if (leak === undefined || (payload.role === "header" && (isVariable || leak.kind === "token"))) continue;
    report(leak, payload.role === "address" && isVariable ? "ask" : undefined);
  }
}

interface Leak {
  /** `token`: printed by a tool that is asked about for itself */
  readonly kind: "file" | "environment" | "variable" | "token";
  readonly shown: string;
}

const ENVIRONMENT: Leak = { kind: "environment", shown: "the environment" };

function leakOf(context: RuleContext, effect: CommandEffect, { role, value }: Payload): Leak | undefined {
  const leak = role === "file" ? leakInFile(context, value, effect.by) : undefined;
  return leak ?? leakBehind(context, value.origins, 0);
}

/** A protected file, or one into which an earlier command of the same text put a secret. */
function leakInFile(context: RuleContext, path: Value, by: Actor): Leak | undefined {
  for (const target of targetsOf(context, path, by, true)) {
    if (secretOf(context, target) !== undefined || isClosed(context, target))
      return { kind: "file", shown: target.shown };
    for (const { content, id } of indexOf(context).writers.get(target.path ?? "") ?? []) {
      const leak = leakBehind(context, content?.origins ?? [], 1) ?? leakOfProgram(context, id, 1);
      if (leak !== undefined) return leak;
    }
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

const MAX_WRITERS = 16;
const indexes = new WeakMap<RuleContext, Index>();

function indexOf(context: RuleContext): Index {
  const made = indexes.get(context);
  if (made !== undefined) return made;
  const writers = new Map<string, Writer[]>();
  const effects = new Map<number, CommandEffect[]>();
  const addWriter = (path: string | undefined, writer: Writer) => {
    if (path === undefined) return;
    writers.set(path, [...(writers.get(path) ?? []).slice(1 - MAX_WRITERS), writer]);
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
function isFedByEnvironment({ facts }: RuleContext, { invocation }: Actor): boolean {
  const place = invocation?.pipeline;
  return (
    place !== undefined &&
    facts.invocations.some(
      other =>
        other.pipeline?.id === place.id && other.pipeline.index < place.index && printsEnvironment(other),
    )
  );
}

const SECRET_NAME =
  /(^|_)(SECRET|TOKEN|PASSWORD|PASSWD|PWD_?HASH|API_?KEY|APIKEY|PRIVATE_?KEY|ACCESS_?KEY|SECRET_?KEY|CREDENTIALS?|AUTH|PAT|DSN|DATABASE_URL)(_|$)/i;
const MAX_DEPTH = 12;

/** Follows content back to where it came from: a protected file, the environment, a secret variable. */
function leakBehind(context: RuleContext, origins: readonly Origin[], depth: number): Leak | undefined {
  if (depth > MAX_DEPTH) return undefined;
  for (const origin of origins) {
    const leak = leakOfOrigin(context, origin, depth);
    if (leak !== undefined) return leak;
  }
  return undefined;
}

function leakOfOrigin(context: RuleContext, origin: Origin, depth: number): Leak | undefined {
  const { workspace } = context;
  switch (origin.kind) {
    case "file": {
      const shown = describe(origin.path);
      const kind = secretAt(workspace, workspace.disk.resolve(shown, true));
      return kind === undefined ? undefined : { kind: "file", shown };
    }
    case "environment":
      if (origin.name === "*") return ENVIRONMENT;
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
  if (printsEnvironment(invocation)) return ENVIRONMENT;
  for (const effect of indexOf(context).effects.get(id) ?? []) {
    if (effect.kind === "operation" && effect.rule === "sec.keychain")
      return { kind: "token", shown: effect.target };
    if (effect.kind !== "read") continue;
    const secret = targetsOf(context, effect.path, effect.by, true).find(
      target => secretOf(context, target) !== undefined || isClosed(context, target),
    );
    if (secret !== undefined) return { kind: "file", shown: secret.shown };
  }
  const { argv, stdin } = invocation;
  const origins = [...argv, ...(stdin === undefined ? [] : [stdin])].flatMap(value => value.origins);
  return leakBehind(context, origins, depth + 1);
}
