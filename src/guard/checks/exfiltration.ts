import { isLocalAddress, isSecretName, printsEnvironment } from "../../programs/index.ts";
import { describe, type Payload } from "../../shell/index.ts";
import { isWholeTree } from "../../workspace/index.ts";
import type { Actor, CommandEffect, EffectOf } from "../effects.ts";
import { type RuleContext, targetsOf } from "../rule-context.ts";
import { findBehind, findInFile, type Sought } from "./provenance.ts";
import { isClosed, secretOf } from "./secret-targets.ts";

/** Secrets and whole trees that would leave the machine, followed back from what is sent. */
export function inspectSend(effect: EffectOf<"send">, context: RuleContext): void {
  const host = effect.to === undefined ? "another machine" : describe(effect.to);
  const isForOthers = EVERY_ADDRESS.test(host) && effect.payloads.some(({ role }) => role === "offer");
  if (effect.to !== undefined && isLocalAddress(host) && !isForOthers) return;
  const report = ({ shown }: Leak, verdict?: "ask") =>
    context.report("sec.exfil", effect.by, shown, { host, file: shown, verdict });
  if (isFedByEnvironment(context, effect.by)) report(ENVIRONMENT);
  for (const payload of effect.payloads) {
    const leak = findSent(context, effect, payload, secretsIn(context));
    const isVariable = leak?.kind === "variable";
    if (leak === undefined || (payload.role === "header" && (isVariable || leak.kind === "token"))) continue;
    report(leak, payload.role === "address" && isVariable ? "ask" : undefined);
  }
  for (const payload of effect.payloads) {
    const tree = treeIn(context, effect, payload);
    if (tree !== undefined) context.report("net.upload", effect.by, tree, { host });
  }
}

/** Whoever listens there listens to everybody. */
const EVERY_ADDRESS = /^(0\.0\.0\.0|\[::\])/;

interface Leak {
  /** `token`: printed by a tool that is asked about for itself */
  readonly kind: "file" | "environment" | "variable" | "token";
  readonly shown: string;
}

const ENVIRONMENT: Leak = { kind: "environment", shown: "the environment" };

function secretsIn(context: RuleContext): Sought<Leak> {
  return {
    inFile: target =>
      secretOf(context, target) !== undefined || isClosed(context, target)
        ? { kind: "file", shown: target.shown }
        : undefined,
    inEffect: effect =>
      effect.kind === "operation" && effect.rule === "sec.keychain"
        ? { kind: "token", shown: effect.target }
        : undefined,
    inProgram: invocation => (printsEnvironment(invocation) ? ENVIRONMENT : undefined),
    inVariable: name =>
      name === "*" ? ENVIRONMENT : isSecretName(name) ? { kind: "variable", shown: `$${name}` } : undefined,
  };
}

function findSent<Found>(
  context: RuleContext,
  effect: CommandEffect,
  { role, value }: Payload,
  sought: Sought<Found>,
): Found | undefined {
  const { stdin } = effect.by.invocation ?? {};
  if (role === "file" && stdin !== undefined && describe(value) === "/dev/stdin")
    return findBehind(context, stdin, sought);
  const isFile = role === "file" || role === "offer";
  return (
    (isFile ? findInFile(context, value, effect.by, sought) : undefined) ?? findBehind(context, value, sought)
  );
}

/**
 * The whole of somebody's things among what is sent. A server for the project alone is everyday work, and so is a copy of
 * it that leaves out what is not needed elsewhere.
 */
function treeIn(context: RuleContext, effect: EffectOf<"send">, payload: Payload): string | undefined {
  const { role, value } = payload;
  if (role === "address" || role === "header") return undefined;
  const withProject = role !== "offer" && payload.isPart !== true;
  const find = (path: typeof value, by: Actor) =>
    targetsOf(context, path, by, true).find(target => isWholeTree(context.workspace, target, withProject))
      ?.shown;
  const itself = role === "body" ? undefined : find(value, effect.by);
  const packed = findSent(context, effect, payload, {
    inEffect: one => (one.kind === "read" && one.isCopy ? find(one.path, one.by) : undefined),
  });
  return itself ?? packed ?? listedTree(context, payload, start => find(start, effect.by));
}

/** One file after the other, from a list of all that git knows or a search through everything. */
function listedTree(
  { facts }: RuleContext,
  { value }: Payload,
  find: (start: typeof value) => string | undefined,
): string | undefined {
  for (const origin of value.origins) {
    const listing = origin.kind === "program" ? facts.listings.get(origin.invocation) : undefined;
    if (listing === undefined || listing.selection === "regenerable" || listing.names.length > 0) continue;
    const tree = listing.starts.map(find).find(found => found !== undefined);
    if (tree !== undefined) return tree;
  }
  return undefined;
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
