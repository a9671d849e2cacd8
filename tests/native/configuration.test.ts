import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { NODE_PROGRAM, runProgram } from "../hooks/executable.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

const OUT_OF_TURN = "no JSON";

type Case = {
  readonly what: string;
  readonly user?: unknown;
  readonly project?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly command: string;
  readonly decision: string | undefined;
};

const CASES: readonly Case[] = [
  {
    what: "a custom rule",
    user: {
      guard: {
        custom: [
          {
            id: "team.release",
            when: { command: "make", args: ["release"] },
            verdict: "deny",
            reason: "by CI only",
          },
        ],
      },
    },
    command: "make release",
    decision: "deny",
  },
  {
    what: "a rule that is switched off",
    user: { guard: { rules: { "git.stash": "off" } } },
    command: "git stash drop",
    decision: undefined,
  },
  {
    what: "a rule that is raised",
    user: { guard: { rules: { "git.stash": "deny" } } },
    command: "git stash drop",
    decision: "deny",
  },
  {
    what: "an allow entry",
    user: { guard: { allow: [{ command: "git stash drop", reason: "kept elsewhere" }] } },
    command: "git stash drop",
    decision: undefined,
  },
  {
    what: "a project that loosens, which nobody trusts",
    project: { guard: { rules: { "git.stash": "off" } } },
    command: "git stash drop",
    decision: "ask",
  },
  {
    what: "a project that tightens",
    project: { guard: { rules: { "git.stash": "deny" } } },
    command: "git stash drop",
    decision: "deny",
  },
  {
    what: "a protected path",
    user: { guard: { paths: { noDelete: ["**/ledger/**"] } } },
    command: "rm ledger/2024.txt",
    decision: "deny",
  },
  {
    what: "a level of the environment",
    env: { AMPLIHACK_GUARD_LEVEL: "strict" },
    command: 'echo "',
    decision: "deny",
  },
  { what: "a broken file", user: "{ no", command: "git stash drop", decision: "ask" },
];

function place({ user, project }: Pick<Case, "user" | "project">) {
  const home = temporaryDirectory();
  const cwd = join(home, "project");
  mkdirSync(join(cwd, ".claude"), { recursive: true });
  for (const [folder, config] of [
    [home, user],
    [cwd, project],
  ] as const) {
    if (config === undefined) continue;
    mkdirSync(join(folder, ".amplihack"), { recursive: true });
    const text = typeof config === "string" ? config : `// by hand\n${JSON.stringify(config)}`;
    writeFileSync(join(folder, ".amplihack", "config.jsonc"), text, { mode: 0o600 });
  }
  return { home, cwd };
}

function decisionOf(stdout: string): string | undefined {
  const answer = JSON.parse(stdout) as { hookSpecificOutput?: { permissionDecision?: string } };
  return answer.hookSpecificOutput?.permissionDecision;
}

describeNative("configuration counts the same in both programs", () => {
  it.each(CASES)("$what", async ({ command, decision, env = {}, ...files }) => {
    const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } };
    for (const program of [[NATIVE_FILE], NODE_PROGRAM]) {
      const { code, stdout } = await runProgram(program, ["pre-tool-use"], {
        ...place(files),
        env,
        input: JSON.stringify(call),
      });
      expect([code, decisionOf(stdout)]).toEqual([0, decision]);
    }
  });

  it.each([
    ["open", 0, "{}\n"],
    ["closed", 2, ""],
  ])("failure policy %s", async (policy, ...answer) => {
    for (const program of [[NATIVE_FILE], NODE_PROGRAM]) {
      const user = { failure: { "pre-tool-use": policy } };
      const ran = await runProgram(program, ["pre-tool-use"], { ...place({ user }), input: OUT_OF_TURN });
      expect([ran.code, ran.stdout]).toEqual(answer);
    }
  });
});
