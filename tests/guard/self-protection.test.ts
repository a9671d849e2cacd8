import { describe, expect, it } from "vitest";
import type { SeedEntry } from "../../src/system/memory.ts";
import { HOME, judge, machine, PROJECT } from "./scene.ts";

const WRAPPER = '#!/bin/sh\n# Written by amplihack 1.0.0. Changes are lost.\n[ -x /n ] && exec /n /m "$@"\n';
const BUNDLE =
  '#!/usr/bin/env node\n"use strict";start().catch(e=>w(2,`Error: amplihack could not start: ${e}\n`))';
const FILES: Readonly<Record<string, SeedEntry>> = {
  "/usr/local/bin/amplihack": {
    kind: "symlink",
    target: "../lib/node_modules/amplihack/dist/bin/amplihack.cjs",
  },
  "/usr/local/lib/node_modules/amplihack/dist/bin/amplihack.cjs": BUNDLE,
  [`${HOME}/.local/bin/amplihack`]: WRAPPER,
  [`${HOME}/.local/bin/ah`]: { kind: "symlink", target: "amplihack" },
  [`${HOME}/.local/bin/renamed`]: WRAPPER,
  [`${HOME}/.local/bin/other`]: "#!/bin/sh\necho hello\n",
  [`${PROJECT}/tools/copied.cjs`]: BUNDLE,
};
const here = { system: machine(FILES), searchPath: `/usr/local/bin:${HOME}/.local/bin` };
const verdictOf = (command: string) => judge(command, here).verdict;

describe("a call of this program", () => {
  it.each([
    ["amplihack --quiet guard allow-once ABC234", "deny"],
    ["amplihack guard --quiet allow-once ABC234", "deny"],
    ["/usr/local/bin/amplihack guard allow-once ABC234", "deny"],
    ["node /usr/local/lib/node_modules/amplihack/dist/bin/amplihack.cjs uninstall", "deny"],
    ["node --no-warnings dist/bin/amplihack.cjs --quiet uninstall", "deny"],
    ["bun dist/bin/amplihack.cjs uninstall", "deny"],
    ["npx -y amplihack@latest uninstall", "deny"],
    ["npx --package amplihack amplihack uninstall", "deny"],
    ["npm exec -- amplihack uninstall", "deny"],
    ["bunx amplihack uninstall", "deny"],
    ["pnpm dlx amplihack uninstall", "deny"],
    ["yarn dlx amplihack uninstall", "deny"],
    ["pnpm amplihack uninstall", "deny"],
    ["alias a=amplihack\na uninstall", "deny"],
    ['a() { amplihack "$@"; }; a uninstall', "deny"],
    ["$(command -v amplihack) uninstall", "deny"],
    ['"$(which amplihack)" --quiet uninstall', "deny"],
    ["A=amplihack; $A uninstall", "deny"],
    ["ah uninstall", "deny"],
    ["renamed uninstall", "deny"],
    [`${HOME}/.local/bin/renamed uninstall`, "deny"],
    ["~/.local/bin/ah uninstall", "deny"],
    ["sh ~/.local/bin/renamed uninstall", "deny"],
    ["node tools/copied.cjs uninstall", "deny"],
    ["./tools/copied.cjs uninstall", "deny"],
    ["ln -s /usr/local/bin/amplihack /tmp/x && /tmp/x uninstall", "deny"],
    ["cp /usr/local/bin/amplihack /tmp/x && /tmp/x uninstall", "ask"],
    ["script -qec 'amplihack --quiet guard allow-once ABC234' /dev/null", "deny"],
    ["env -u CLAUDECODE script -qec 'amplihack guard allow-once ABC234' /dev/null", "deny"],
    ["unknown-wrapper amplihack uninstall", "deny"],
    ["python3 -c \"import subprocess; subprocess.run(['amplihack', 'uninstall'])\"", "deny"],
    ["echo uninstall | xargs amplihack", "deny"],
    ["cat words | xargs amplihack", "ask"],
    ["amplihack launch --skip-permissions", "deny"],
    ["amplihack claude -- --dangerously-skip-permissions", "deny"],
    ["amplihack codex -- --dangerously-bypass-approvals-and-sandbox", "deny"],
    ["amplihack update --version 0.0.1", "deny"],
    ["amplihack install --failure open", "deny"],
    ["amplihack install $OPTIONS", "ask"],
    ["amplihack parts --off guard", "deny"],
    ["amplihack config set guard.level relaxed --json", "deny"],
    ["EDITOR=true amplihack config edit", "deny"],
    ["amplihack config get guard.level", "allow"],
    ["amplihack config list --all --json", "allow"],
    ["amplihack hooks trust", "deny"],
    ["amplihack guard init --trust", "deny"],
    ["amplihack recipe run x.yaml", "ask"],
    // It would answer its own questions.
    ["cat messages.jsonl | amplihack mcp serve", "ask"],
    ["npx amplihack mcp", "ask"],
    // A record there stands for a signature that was checked.
    ["echo '{}' > ~/.amplihack/policies/signed-0123.json", "ask"],
    ["cp x.jsonc ~/.amplihack/policies/sha256-0123.jsonc", "ask"],
    ["ln -s /srv/policies ~/.amplihack/policies", "ask"],
    ["mv x ~/.amplihack/mcp", "ask"],
    ["amplihack $COMMAND", "ask"],
    ["amplihack not-a-command-yet", "ask"],
    ["AMPLIHACK_SKIP_POWER_STEERING=1 amplihack claude", "ask"],
    ["npm uninstall -g amplihack@1.0.0", "ask"],
  ])("%s: %s", (command, verdict) => {
    expect(verdictOf(command)).toBe(verdict);
  });

  it.each([
    "amplihack",
    "amplihack --quiet status",
    "amplihack guard test 'rm -rf ~'",
    "npx amplihack guard why fs.root",
    "node dist/bin/amplihack.cjs guard explain 'git push --force'",
    "amplihack memory search deploy",
    'amplihack memory store --agent a key "$VALUE"',
    "amplihack recipe list",
    "amplihack recipe show default-workflow",
    "amplihack recipe run x.yaml --dry-run",
    "amplihack history",
    "amplihack undo --dry-run",
    "amplihack lock-status",
    "amplihack doctor",
    "amplihack report --html r.html",
    "amplihack install --host claude",
    "amplihack uninstall --dry-run",
    "ah status",
    "other uninstall",
    "npm view amplihack version",
    "npm install amplihack",
    "git clone https://github.com/x/amplihack && cd amplihack",
    "grep -rn 'amplihack uninstall' docs",
    "git commit -m 'amplihack guard allow-once is for people'",
  ])("%s passes", command => {
    expect(verdictOf(command)).toBe("allow");
  });
});

describe("the switches of the workflow", () => {
  const locked = { system: machine({ [`${PROJECT}/.claude/runtime/locks/.lock_active`]: "locked_at: x\n" }) };

  it.each([
    "touch .disabled",
    "mkdir .disabled",
    "ln -s x .disabled",
    "echo 1 > .disabled",
    "cp README.md .disabled",
    "mv README.md .disabled",
    "mkdir -p .claude/runtime/power-steering && touch .claude/runtime/power-steering/.disabled",
    "touch .claude/runtime/power-steering/session-1/user_confirmed_complete",
    "cd .claude/runtime/power-steering && touch .disabled",
    "echo '{}' > .claude/tools/amplihack/.power_steering_config",
    "python3 -c \"open('.claude/runtime/power-steering/.disabled','w')\"",
    "touch .claude/runtime/locks/.lock_active",
    "AMPLIHACK_SKIP_POWER_STEERING=1 claude -p x",
    "export AMPLIHACK_SKIP_REFLECTION=1; claude -p x",
    "env AMPLIHACK_SKIP_REFLECTION=1 codex exec x",
  ])("%s is asked about", command => {
    const { verdict, findings } = judge(command);
    expect([verdict, findings[0]?.rule]).toEqual(["ask", "agent.bypass"]);
  });

  it("ask before continuous work is ended by taking its file away", () => {
    for (const command of [
      "rm .claude/runtime/locks/.lock_active",
      "rm -rf .claude/runtime",
      "mv .claude/runtime /tmp/x",
    ]) {
      expect(
        judge(command, locked).findings.map(({ rule }) => rule),
        command,
      ).toContain("agent.bypass");
    }
  });

  it.each([
    "cat .claude/runtime/power-steering/.disabled",
    "ls .disabled",
    "touch src/.disabled",
    "echo 1 > .claude/runtime/locks/.workflow_active",
    "AMPLIHACK_SKIP_REFLECTION=1 npm test",
    "rm -rf .claude/runtime",
  ])("%s is none of them", command => {
    expect(judge(command).verdict).toBe("allow");
  });
});
