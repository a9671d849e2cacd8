import type { Scope } from "./places.ts";
import type { InstallableHost } from "./targets.ts";

/** What a host still asks of its user before registered hooks run. */
const STEPS: Partial<Record<InstallableHost, Partial<Record<Scope, string>>>> = {
  "claude-code": {
    user: "Claude Code: answer its trust question once in every folder; until then it runs no hook there",
    project: "Claude Code: answer its trust question in this folder; until then it runs no hook here",
  },
  "copilot-cli": {
    project: "Copilot CLI: trust this folder, or start it with --trust-folder; else it skips these hooks",
  },
  codex: {
    project: "Codex: trust this project when it asks; else it may skip .codex/hooks.json",
  },
  "gemini-cli": {
    project: "Gemini CLI: trust this folder (/permissions); --skip-trust is not enough for hooks",
  },
  cursor: { project: "Cursor: trust this workspace; else it skips .cursor/hooks.json" },
  "qwen-code": { project: "Qwen Code: trust this folder; else it skips .qwen/settings.json" },
  "factory-droid": {
    user: "Factory: start droid again and approve the hooks in /hooks if it asks",
    project: "Factory: start droid again and approve the hooks in /hooks if it asks",
  },
  kiro: {
    user: "Kiro: start it with: kiro-cli chat --agent amplihack",
    project: "Kiro: start it with: kiro-cli chat --agent amplihack",
  },
  "amplifier-shell": {
    user: "Amplifier: mount its module hook-shell; that is what reads .amplifier/hooks",
    project: "Amplifier: mount its module hook-shell; that is what reads .amplifier/hooks",
  },
};

export const TRUST_STEP =
  "Codex: open it, type /hooks and trust the hooks of amplihack; until then it skips them";

export function nextSteps(host: InstallableHost, scope: Scope): readonly string[] {
  const step = STEPS[host]?.[scope];
  return step === undefined ? [] : [step];
}
