import type { Invocation } from "../shell/facts.ts";
import { describe } from "../shell/value.ts";
import { hasTrait } from "./registry.ts";

/** Options that switch an agent's own questions off. */
const PERMISSIONS_OFF: Readonly<Record<string, RegExp>> = {
  claude:
    /^--(dangerously-skip-permissions|allow-dangerously-skip-permissions|permission-mode=bypassPermissions)$|^bypassPermissions$/,
  codex:
    /^--(dangerously-bypass-approvals-and-sandbox|yolo|full-auto-danger|sandbox=danger-full-access)$|^danger-full-access$|^(-c)?"?(approval_policy="?never|sandbox_mode="?danger-full-access)"?$/,
  gemini: /^(--yolo|-y|--approval-mode=yolo|yolo)$/,
  qwen: /^(--yolo|-y|--approval-mode=yolo|yolo)$/,
  copilot: /^--(allow-all-tools|allow-all|yolo|allow-all-paths)$/,
  "cursor-agent": /^(--force|-f|--yolo)$/,
  opencode: /^--(dangerously-skip-permissions|yolo)$/,
  amp: /^--dangerously-allow-all$/,
  aider: /^--(yes-always|yes)$/,
  droid: /^--skip-permissions-unsafe$/,
  "kiro-cli": /^(--trust-all-tools|-a)$/,
  q: /^--trust-all-tools$/,
  crush: /^(--yolo|-y)$/,
  goose: /^--(auto|mode=auto)$/,
  auggie: /^--(allow-all|dangerously-skip-permissions)$/,
  cline: /^(--yolo|-y)$/,
  pi: /^--(yolo|no-extensions|-ne)$/,
};

/** Agents by the package that runners start. */
const AGENT_PACKAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "@anthropic-ai/claude-code": "claude",
    "@openai/codex": "codex",
    "@google/gemini-cli": "gemini",
    "@github/copilot": "copilot",
    "@qwen-code/qwen-code": "qwen",
    "@sourcegraph/amp": "amp",
    "opencode-ai": "opencode",
  }),
);

/** The agent that a program is, or starts as a package; undefined for every other program. */
export function agentOf({ program = "", argv }: Invocation): string | undefined {
  const packages = hasTrait(program, "mayRunPackage") ? argv.slice(1).map(describe) : [];
  const started = packages
    .map(word => AGENT_PACKAGES.get(word.replace(/(?<=.)@[^/@]*$/, "")))
    .find(agent => agent !== undefined);
  const name = started ?? program;
  return Object.hasOwn(PERMISSIONS_OFF, name) ? name : undefined;
}

/** A word that switches the questions of this agent off; of any agent when none is given. */
export function turnsPermissionsOff(word: string, agent?: string): boolean {
  return Object.entries(PERMISSIONS_OFF).some(
    ([name, pattern]) => (agent === undefined || name === agent) && pattern.test(word),
  );
}
