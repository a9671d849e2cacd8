// What a guard costs per tool call, ours beside others, on the same inputs in the same run.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { measureCommands } from "./measure.mjs";

const HOOKS = resolve("dist/bin/amplihack-hooks.cjs");
const PEER = resolve("node_modules/cc-safety-net/dist/bin/cc-safety-net.js");

/** The kind of hook that people write by hand: take the command out, look for a few words. */
const SHELL_HOOK = `#!/bin/sh
command=$(jq -r '.tool_input.command // empty')
if printf '%s' "$command" | grep -Eq 'rm +-[a-z]*[rf]|git +reset +--hard|git +push.*(--force|-f)'; then
  jq -n '{hookSpecificOutput:{hookEventName:"PreToolUse",permissionDecision:"deny",permissionDecisionReason:"dangerous"}}'
fi
`;

const COMMANDS = {
  plain: "git status",
  ordinary: 'npm run build && cp -r dist "$HOME/site" | tee build.log',
  dangerous: "cd /tmp && rm -rf ~ && echo done",
};

export async function bench() {
  const home = mkdtempSync(join(tmpdir(), "amplihack-bench-"));
  const project = join(home, "project");
  const shellHook = join(home, "hook.sh");
  mkdirSync(project);
  writeFileSync(shellHook, SHELL_HOOK, { mode: 0o755 });
  const hasJq = spawnSync("jq", ["--version"]).error === undefined;
  const programs = {
    "amplihack-hooks": [process.execPath, HOOKS, "pre-tool-use"],
    ...(existsSync(PEER) ? { "cc-safety-net": [process.execPath, PEER, "hook", "--claude-code"] } : {}),
    ...(hasJq ? { "jq + grep in sh": ["/bin/sh", shellHook] } : {}),
  };
  try {
    const commands = { "bare node -e 0": { argv: [process.execPath, "-e", "0"] } };
    for (const [kind, command] of Object.entries(COMMANDS)) {
      const input = JSON.stringify({
        hook_event_name: "PreToolUse",
        session_id: "bench",
        cwd: project,
        tool_name: "Bash",
        tool_input: { command },
      });
      for (const [name, argv] of Object.entries(programs)) {
        checkAnswer(name, argv, input, kind === "dangerous", { home, project });
        commands[`${name}, ${kind}`] = { argv, input };
      }
    }
    const figures = measureCommands(commands, { rounds: 25, env: { HOME: home }, cwd: project });
    const bare = figures["bare node -e 0"].p50;
    return Object.entries(figures).map(([name, { p50, p95 }]) => ({
      name,
      p50,
      p95,
      unit: "ms",
      ratio: p50 / bare,
      ...(name.startsWith("amplihack") ? { target: "bare + 10 ms, below cc-safety-net" } : {}),
    }));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** A program that does not do its work would be the fastest: each must stop the dangerous command and nothing else. */
function checkAnswer(name, argv, input, isDangerous, { home, project }) {
  const { stdout, status, stderr } = spawnSync(argv[0], argv.slice(1), {
    input,
    cwd: project,
    env: { PATH: process.env.PATH, HOME: home },
    encoding: "utf8",
  });
  const isStopped = status === 2 || /"(deny|ask)"/.test(stdout);
  if (isStopped !== isDangerous)
    throw new Error(`${name} answered ${isStopped ? "no" : "yes"} to ${input}: ${stdout}${stderr}`);
}
