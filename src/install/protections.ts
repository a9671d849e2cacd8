import { abilities, type HostId, planRegistrations } from "../hosts/index.ts";
import { ownerOf, setupOf } from "./targets.ts";

/** What our hooks can do for the user of one host, and what they cannot do there. */
export interface Protections {
  readonly can: readonly string[];
  readonly cannot: readonly string[];
}

/** What each hook is for, in the user's words. */
const PURPOSES: Readonly<Record<string, string>> = {
  "pre-tool-use": "refuse a dangerous command before it runs",
  "post-tool-use": "count what tools did",
  stop: "hold a stop while work is unfinished",
  "session-start": "give a new session its context",
  "user-prompt-submit": "add preferences and memories to a prompt",
  "workflow-classification-reminder": "remind of the workflow at a prompt",
  "pre-compact": "keep the conversation before it is compacted",
  "session-stop": "keep what a session learned",
};

export function describeProtections(host: HostId): Protections {
  const { registrations, omitted } = planRegistrations(ownerOf(host));
  const can = new Set<string>();
  const cannot = new Set<string>();
  for (const { subcommand, event, nativeEvent } of registrations) {
    const { unproven, ask, caveats } = abilities(host, event, nativeEvent);
    const purpose = PURPOSES[subcommand] ?? subcommand;
    can.add(unproven?.includes("deny") === true ? `${purpose} (not proven there)` : purpose);
    if (subcommand !== "pre-tool-use") continue;
    if (ask !== undefined) can.add("ask you about a doubtful command");
    else cannot.add("ask you: a doubtful command is refused, with a code that permits it once");
    if (caveats?.deny !== undefined) cannot.add(`refuse as it should be: ${caveats.deny}`);
  }
  for (const { subcommand, why } of omitted) {
    const purpose = PURPOSES[subcommand] ?? subcommand;
    if (!can.has(purpose)) cannot.add(`${purpose}: ${why}`);
  }
  for (const gap of setupOf(host).gaps ?? []) cannot.add(gap);
  cannot.add("act after its time is up: a hook that takes too long is passed over");
  return { can: [...can], cannot: [...cannot] };
}
