import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundleProgram } from "../bundle-program.ts";
import { untilBusy } from "../hooks/executable.ts";
import { userHooksContract, World } from "../hooks/user/user-hooks-contract.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

describeNative("users' hooks in the native program", () =>
  userHooksContract([NATIVE_FILE], { hearsSignals: true }),
);

const QUESTION = "git push --force origin feature";
const hook = (options: string, body: string) =>
  `import { defineHook } from "amplihack/hooks";
   export default defineHook({ name: "greedy", event: "PreToolUse", tool: "Bash", options: ${options}, async run({ exec }) { ${body} } });`;

async function worldWith(options: string, body: string): Promise<World> {
  const runner = bundleProgram(new URL("../../src/bin/run-hooks.ts", import.meta.url));
  const world = new World([NATIVE_FILE], [process.execPath, runner]);
  world.hook("greedy.ts", hook(options, body));
  await world.build();
  return world;
}

describeNative("a portable hook in the native program", () => {
  /** Takes all memory there is, in ever smaller pieces, and keeps it. */
  const HOARDS = `globalThis.all = [];
    for (const size of [2 ** 20, 2 ** 10, 2 ** 4, 1])
      try { for (;;) globalThis.all.push(new Uint8Array(size)); } catch {}`;

  it.each([
    ["ends well", ""],
    ["throws", 'throw new Error("full");'],
    ["throws nothing", "throw undefined;"],
    ["takes more", 'for (;;) globalThis.all.push("x".repeat(1000));'],
    ["waits for ever", "return new Promise(() => {});"],
  ])("that keeps all memory and %s leaves enough for the guard's answer, which names it", async (_, end) => {
    const world = await worldWith("{ timeoutMs: 60_000 }", `${HOARDS} ${end}`);
    const { answer, stderr } = await world.bash(QUESTION);
    expect(answer).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: "ask",
        permissionDecisionReason: expect.stringMatching(/overwrite/),
      },
    });
    expect(stderr).not.toContain("crashed");
    if (end !== "") expect(JSON.stringify(answer)).toContain("hook greedy could not run");
  });

  it("that keeps all memory is closed where it said so", async () => {
    const world = await worldWith(
      '{ onFailure: "closed", timeoutMs: 60_000 }',
      `${HOARDS} throw new Error("full");`,
    );
    expect((await world.bash("git status")).answer).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: "deny",
        permissionDecisionReason: expect.stringContaining("hook greedy could not run"),
      },
    });
  });

  it.each([
    ["open", QUESTION, "ask", /overwrite/],
    ["closed", QUESTION, "deny", /hook greedy could not run: the engine crashed/],
    ["closed", "git status", "deny", /hook greedy could not run: the engine crashed/],
    ["ask", "git status", "ask", /hook greedy could not run: the engine crashed/],
  ])(
    "with which the engine crashes leaves the answer that was encoded before: %s, %s",
    async (policy, command, decision, reason) => {
      const begun = join(temporaryDirectory(), "begun");
      const world = await worldWith(
        `{ onFailure: "${policy}", timeoutMs: 600_000 }`,
        `await exec(["touch", ${JSON.stringify(begun)}]); for (;;);`,
      );
      const child = spawn(NATIVE_FILE, ["pre-tool-use"], {
        cwd: world.project,
        env: { PATH: process.env["PATH"], HOME: world.home },
      });
      const said = { stdout: "", stderr: "" };
      for (const name of ["stdout", "stderr"] as const)
        child[name].on("data", (chunk: Buffer) => {
          said[name] += chunk.toString();
        });
      const ended = new Promise(resolve => child.once("close", code => resolve(code)));
      const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } };
      child.stdin.end(JSON.stringify({ session_id: "s", cwd: world.project, ...call }));
      await expect.poll(() => existsSync(begun), { timeout: 200_000, interval: 5 }).toBe(true);
      await untilBusy(child.pid ?? 0, 5);
      child.kill("SIGABRT");
      expect(await ended).toBe(0);
      const answer = JSON.parse(said.stdout);
      expect(answer.hookSpecificOutput).toMatchObject({
        permissionDecision: decision,
        permissionDecisionReason: expect.stringMatching(reason),
      });
      expect(answer.systemMessage).toContain("hook greedy could not run");
      expect(said.stderr).toContain('"result":"panic"');
    },
  );
});
