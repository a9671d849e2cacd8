import {
  isOwnHost,
  keepsInput,
  printsEnvironment,
  storesWords,
  takesPassword,
  takesVariables,
} from "../../programs/index.ts";
import { describe, type Invocation, type Value } from "../../shell/index.ts";
import type { CommandEffect } from "../effects.ts";
import type { RuleContext } from "../rule-context.ts";
import { findBehind, type Sought } from "./provenance.ts";

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
    const use = useOf(context, invocation, source, leads);
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

function useOf(
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
