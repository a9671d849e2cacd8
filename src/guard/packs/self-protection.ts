import type { RuleTable } from "../rule.ts";

export const SELF_PROTECTION = {
  "agent.bypass": {
    title: "works around the guard",
    verdict: "ask",
    when: "Starts an agent with its permissions off, edits the files that register hooks, touches this guard's configuration, grants, keys or programs, the history or the memory of people, sets a variable or writes a file that switches a check off, or runs a command of amplihack that changes more than it shows; commands that take protection away are denied.",
    lost: "It would change what protects this session, or do more than the guard can see: {target}.",
    person: "Allow it if you asked for it: what follows might run without being checked.",
    model: "Leave hooks, their settings and the guard as they are; only a person changes them.",
    safer: "amplihack doctor",
  },
  "agent.policy": {
    title: "runs without a policy of this machine",
    verdict: "ask",
    isAllowable: false,
    when: "The configuration of this machine is managed, and a policy that it extends is missing or is not what was pinned: calls that do more than read are asked about, or denied with `failure` closed, until the policy is there.",
    lost: "It cannot be checked against all rules of this machine: the policy {target}.",
    person: "If that does not help, tell whoever looks after this machine.",
    model: "Say that a policy of this machine is missing, and stop; reading goes on.",
    safer: "amplihack doctor",
  },
  "agent.history": {
    title: "changes files back, or forgets what was kept",
    verdict: "ask",
    when: "An agent runs amplihack undo or redo, or amplihack history prune or clear.",
    lost: "It would change files back to another state, or drop the copies that undo needs: {target}.",
    person: "Allow it if you asked for it.",
    model: "Show what it would change; taking changes back is for a person to decide.",
    safer: "amplihack undo --dry-run",
  },
} satisfies RuleTable;
