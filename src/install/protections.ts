import { abilities, type HostId, planRegistrations } from "../hosts/index.ts";
import type { InstallableHost } from "./targets.ts";

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

/** Gaps that no answer of a hook can close. */
const GAPS: Partial<Record<InstallableHost, readonly string[]>> = {
  codex: ["see files that are read otherwise than by a command"],
  "gemini-cli": ["stop a hook's children when its time is up: they hold the run"],
  "vscode-copilot": [
    "be sure of running: hooks are a preview there, and an organisation can switch them off",
  ],
  kiro: ["watch other agents than the one called amplihack: hooks belong to an agent there"],
  cline: ["refuse one call only: in the editor a refusal ends the task"],
  "amplifier-shell": ["run without Amplifier's shell bridge, the module hook-shell"],
};

export function describeProtections(host: InstallableHost): Protections {
  const owner: HostId = host === "vscode-copilot" ? "claude-code" : host;
  const { registrations, omitted } = planRegistrations(owner);
  const can = new Set<string>();
  const cannot = new Set<string>();
  for (const { subcommand, event, nativeEvent } of registrations) {
    const speech = abilities(host, event, nativeEvent);
    const purpose = PURPOSES[subcommand] ?? subcommand;
    can.add(speech.unproven?.includes("deny") === true ? `${purpose} (not proven there)` : purpose);
    if (subcommand !== "pre-tool-use") continue;
    if (speech.ask !== undefined) can.add("ask you about a doubtful command");
    else cannot.add("ask you: a doubtful command is refused, with a code that permits it once");
    if (speech.caveats?.deny !== undefined) cannot.add(`refuse as it should be: ${speech.caveats.deny}`);
  }
  for (const { subcommand, why } of omitted) {
    const purpose = PURPOSES[subcommand] ?? subcommand;
    if (!can.has(purpose)) cannot.add(`${purpose}: ${why}`);
  }
  for (const gap of GAPS[host] ?? []) cannot.add(gap);
  cannot.add("act after its time is up: a hook that takes too long is passed over");
  return { can: [...can], cannot: [...cannot] };
}
