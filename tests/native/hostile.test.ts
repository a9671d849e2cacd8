import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runProgram } from "../hooks/executable.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

const PRE = { hook_event_name: "PreToolUse", tool_name: "Bash" };
const CALL = JSON.stringify({ ...PRE, tool_input: { command: "rm -rf /" } });

function place() {
  const home = temporaryDirectory();
  const cwd = join(home, "project");
  mkdirSync(join(cwd, ".claude"), { recursive: true });
  return { home, cwd };
}

/** What every answer must be, whatever was done to the program. */
function expectAnswer({
  code,
  stdout,
  stderr,
}: {
  code: number | null;
  stdout: string;
  stderr: string;
}): void {
  expect([0, 2]).toContain(code);
  if (stdout !== "") expect(JSON.parse(stdout)).toBeTypeOf("object");
  expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "")).toHaveProperty("duration_us");
}

/** Runs a shell text in which "$0" is the program. */
function runShell(script: string, { home, cwd }: ReturnType<typeof place>, program = NATIVE_FILE) {
  const env = { PATH: process.env["PATH"], HOME: home };
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script, program], {
    cwd,
    env,
    input: CALL,
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

const isDenied = (stdout: string) => stdout.includes('"permissionDecision":"deny"');

describeNative("the native program among hostile bytes", () => {
  it.each([
    "\"$0\" pre-tool-use $'\\xff\\xfe'",
    "\"$0\" pre-tool-use --host $'\\xff'",
    "export AMPLIHACK_ROOT=$'/\\xff'; \"$0\" pre-tool-use",
    "export CLAUDECODE=$'\\xff' $'PATH_\\xc3=1' 2>/dev/null; \"$0\" pre-tool-use",
    "env $'A\\xff=1' \"$0\" pre-tool-use",
    "mkdir $'sub\\xff' && cd $'sub\\xff' && \"$0\" pre-tool-use",
    'mkdir gone && cd gone && rmdir ../gone && "$0" pre-tool-use',
  ])("still refuses with %s", script => {
    const ran = runShell(script, place());
    expectAnswer(ran);
    expect(isDenied(ran.stdout)).toBe(true);
  });

  it("takes a subcommand that is no UTF-8 for an unknown one", () => {
    const { code, stdout } = runShell("\"$0\" $'\\xff\\xff'", place());
    expect([code, stdout]).toEqual([1, ""]);
  });
});

describeNative("the native program at its limits", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  it.each([
    [
      "deeply nested JSON",
      `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":${nested(500_000)}}`,
    ],
    ["a nested command", JSON.stringify({ ...PRE, tool_input: { command: "$(".repeat(200_000) } })],
    ["a command of 9 MiB", JSON.stringify({ ...PRE, tool_input: { command: "a;".repeat(4_500_000) } })],
    ["a million members", `{${Array.from({ length: 400_000 }, (_, n) => `"k${n}":${n}`).join()}}`],
    ["nine million quotes", JSON.stringify({ ...PRE, tool_input: { command: '"'.repeat(4_000_000) } })],
  ])("answers %s", async (_, input) => {
    expectAnswer(await runProgram([NATIVE_FILE], ["pre-tool-use"], { ...place(), input }));
  });

  it("refuses where address space is scarce", () => {
    const ran = runShell('ulimit -v 120000; "$0" pre-tool-use', place());
    expectAnswer(ran);
    expect(isDenied(ran.stdout)).toBe(true);
  });

  it("refuses with a small stack", () => {
    const ran = runShell('ulimit -s 4096; "$0" pre-tool-use', place());
    expect(isDenied(ran.stdout)).toBe(true);
  });

  it("answers where no file can be opened", () => {
    expectAnswer(runShell('ulimit -n 3; "$0" pre-tool-use', place()));
  });
});

describeNative("the native program, hurt", () => {
  it.each(["SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL"] as const)(
    "has last words for %s",
    async signal => {
      const { home, cwd } = place();
      const child = spawn(NATIVE_FILE, ["pre-tool-use"], { cwd, env: { HOME: home } });
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      const ended = new Promise<number | null>(resolve => child.once("close", resolve));
      await untilAsleep(child.pid ?? 0);
      child.kill(signal);
      const code = await ended;
      expect(stdout).toBe("{}\n");
      expectAnswer({ code, stdout, stderr });
    },
  );

  it("fails closed where the environment says so", async () => {
    const { home, cwd } = place();
    const env = { HOME: home, AMPLIHACK_FAILURE_POLICY: "stop=open,pre-tool-use=closed" };
    const child = spawn(NATIVE_FILE, ["pre-tool-use"], { cwd, env });
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    const ended = new Promise<number | null>(resolve => child.once("close", resolve));
    await untilAsleep(child.pid ?? 0);
    child.kill("SIGSEGV");
    expect([await ended, stdout]).toEqual([2, ""]);
  });
});

/** Waits until the process waits for its input. */
async function untilAsleep(pid: number): Promise<void> {
  for (let look = 0; look < 2_000; look++) {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const isCaught = /SigCgt:\s+\w*[4-9a-f]\w{3}$/m.test(status);
    if (/State:\s+S/.test(status) && isCaught) return;
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  throw new Error("the process never waited for its input");
}
