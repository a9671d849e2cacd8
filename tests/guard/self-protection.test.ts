import { describe, expect, it } from "vitest";
import { judgeTool } from "../../src/exports/guard.ts";
import type { SeedEntry } from "../../src/system/memory.ts";
import { contextFor, HOME, judge, machine, PROJECT, rulesOf, settings } from "./scene.ts";

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

describe("the hook program", () => {
  it.each([
    `echo '{"hook_event_name":"PostToolUse","tool_use_id":"t1"}' | amplihack-hooks post-tool-use`,
    "~/.amplihack/bin/amplihack-hooks user-prompt-submit < prompt.json",
    "node dist/bin/amplihack-hooks.cjs post-tool-use --host codex < x.json",
    "env -i HOME=$HOME amplihack-hooks --host claude post-tool-use",
    "bash -c 'cat x | amplihack-hooks stop'",
    "timeout 5 amplihack-hooks session-start",
    `python3 -c "import subprocess; subprocess.run(['amplihack-hooks', 'post-tool-use'], input=b'{}')"`,
    'amplihack-hooks "$EVENT"',
  ])("is told by the host what ran and what the person wrote, not by an agent: %s", command => {
    expect(rulesOf(command)).toContain("agent.bypass");
  });

  it.each([
    "amplihack-hooks --version",
    "amplihack-hooks pre-tool-use < payload.json",
    "which amplihack-hooks jq",
    "ls -l dist/bin/amplihack-hooks.cjs dist",
    "grep -rn post-tool-use amplihack-hooks docs",
    "npm run build:native",
  ])("is left alone: %s", command => expect(rulesOf(command)).toEqual([]));
});

describe("a file that a call of this program is told to write", () => {
  it.each([
    ["amplihack report --html ~/.claude/settings.json", "ask"],
    ["amplihack report --html=.claude/settings.json", "ask"],
    ["cd ~/.claude && ah report --since 3d --html settings.json", "ask"],
    ["npx amplihack --quiet report --html ~/.bashrc", "ask"],
    ["node tools/copied.cjs report --html ~/.bashrc", "ask"],
    ['amplihack report --html "$HOME/.claude/settings.json"', "ask"],
    ["amplihack report --html /etc/passwd", "deny"],
    ["amplihack memory store --db-path ~/.amplihack/guard/machine.key k v", "ask"],
    ["amplihack memory pin --db-path ~/.bashrc k", "ask"],
    ["amplihack memory unpin k --db-path=/etc/cron.d/x", "deny"],
    ["amplihack memory export -o /etc/passwd", "deny"],
    ["amplihack memory store --db-path ~/notes.db k v", "allow"],
    ["amplihack memory store --db-path ./notes.db k v", "allow"],
    ["amplihack memory store -- --db-path /etc/passwd", "allow"],
    ["amplihack memory search --db-path /etc/passwd x", "allow"],
    ["amplihack report --html", "allow"],
    ["amplihack report --html /tmp/r.html", "allow"],
  ])("is judged as any other: %s: %s", (command, verdict) => {
    expect(verdictOf(command)).toBe(verdict);
  });

  it("is known to the history", () => {
    const { targets } = judge("amplihack report --html notes.txt", here).footprint();
    expect(targets.map(({ path }) => path)).toContain(`${PROJECT}/notes.txt`);
  });
});

describe("an audit log outside the state home", () => {
  const LOG = "/srv/logs/amplihack/audit.jsonl";
  const system = machine({
    [LOG]: "{}\n",
    "/srv/logs/amplihack/audit.20260102_030405.jsonl": "{}\n",
    "/srv/logs/amplihack/notes.md": "x",
    [`${PROJECT}/elsewhere`]: { kind: "symlink", target: "/srv/logs/amplihack" },
  });
  system.files.link(LOG, `${PROJECT}/second-name`);
  const rulesWith = (command: string, file: string | undefined = LOG) =>
    judge(command, {
      system,
      settings: settings({ audit: { file, allowed: false, maxMb: 8 } }),
    }).findings.map(({ rule }) => rule);
  const touching = [
    `echo x >> ${LOG}`,
    `rm ${LOG}`,
    `truncate -s 0 ${LOG}`,
    `sed -i d ${LOG}`,
    "rm /srv/logs/amplihack/audit.20260102_030405.jsonl",
    `touch ${LOG}.lock`,
    "rm /srv/logs/amplihack/*",
    "rm /srv/logs/*/audit.*",
    "rm -rf /srv/logs",
    "rm -rf /srv/lo*",
    "mv /srv/logs/amplihack /tmp/x",
    "find /srv -name '*.jsonl' -delete",
    ": > elsewhere/audit.jsonl",
    "unknown-editor elsewhere/audit.jsonl",
    "echo x > second-name",
  ];

  it.each(touching)("is not the agent's to change: %s", command => {
    expect(rulesWith(command)).toContain("agent.bypass");
    expect(rulesWith(command, "/srv/other/audit.jsonl")).not.toContain("agent.bypass");
  });

  it.each([
    `cat ${LOG}`,
    `tail -n 5 ${LOG}`,
    "echo x > /srv/logs/amplihack/notes.md",
    "rm /srv/logs/amplihack/notes.*",
  ])("may be read, and what lies beside it is as before: %s", command => {
    expect(rulesWith(command)).not.toContain("agent.bypass");
  });

  it("is not a file tool's to write either; a relative path belongs to the home directory", () => {
    const write = (path: string, file: string) =>
      judgeTool(
        {
          tool: { name: "Write", canonicalName: "Write", input: { file_path: path, content: "x" } },
          facts: { command: null, paths: [path] },
        },
        contextFor({ system, settings: settings({ audit: { file, allowed: false, maxMb: 8 } }) }),
      ).verdict;
    expect(write(LOG, LOG)).toBe("ask");
    expect(write(`${HOME}/audit.jsonl`, "~/audit.jsonl")).toBe("ask");
    expect(write(`${HOME}/audit.jsonl`, "audit.jsonl")).toBe("ask");
    expect(write(`${HOME}/other.jsonl`, "audit.jsonl")).toBe("allow");
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
