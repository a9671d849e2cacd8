import { isMetadataAddress } from "../../programs/index.ts";
import { describe, type Value } from "../../shell/index.ts";
import type { CommandEffect } from "../effects.ts";
import type { RuleContext } from "../rule-context.ts";

/** Requests to the service that gives a machine of a cloud its credentials. */
export function inspectMetadata(effect: CommandEffect, { report }: RuleContext): void {
  if (effect.kind !== "send") return;
  const named = effect.payloads.filter(({ role }) => role === "address").map(({ value }) => value);
  const addresses: readonly Value[] = effect.to === undefined ? named : [effect.to, ...named];
  const found = addresses.map(describe).find(isMetadataAddress);
  if (found !== undefined) report("net.metadata", effect.by, found);
}
