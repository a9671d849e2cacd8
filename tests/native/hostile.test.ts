import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProgram, untilBusy } from "../hooks/executable.ts";
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

  it("looks for a file whose name has a lone surrogate where Node looks", () => {
    const { home, cwd } = place();
    writeFileSync(join(cwd, "\ufffd.sh"), "rm -rf /\n");
    for (const [name, isFound] of [
      ["\ud800", true],
      ["\udfff", true],
      ["\ud800\ud800", false],
      ["\ud800\udc00", false],
    ] as const) {
      const input = JSON.stringify({ ...PRE, tool_input: { command: `bash ./${name}.sh` } });
      const options = {
        cwd,
        env: { HOME: home, PATH: process.env["PATH"] },
        input,
        encoding: "utf8",
      } as const;
      const { stdout } = spawnSync(NATIVE_FILE, ["pre-tool-use"], options);
      expect([name, isDenied(stdout)]).toEqual([name, isFound]);
    }
  });

  it("takes a subcommand that is no UTF-8 for an unknown one", () => {
    const { code, stdout } = runShell("\"$0\" $'\\xff\\xff'", place());
    expect([code, stdout]).toEqual([1, ""]);
  });
});

describeNative("the native program in a strange place", () => {
  it.each([
    ["unset HOME &&", "without a home"],
    ["export HOME=/dev/null &&", "with a home that is no folder"],
    ["export HOME=/proc/self &&", "with a home that cannot be written"],
    ["export HOME=relative TMPDIR= &&", "with a home that is no path"],
    ["ulimit -f 0 && trap '' XFSZ &&", "where no file may grow"],
    ["umask 0777 &&", "with a mask that hides its own files"],
    ["exec 2>&- &&", "without standard error"],
  ])("%s it still refuses: %s", prefix => {
    const { code, stdout } = runShell(`${prefix} "$0" pre-tool-use`, place());
    expect(code).toBe(0);
    expect(isDenied(stdout)).toBe(true);
  });

  it.each([
    ["no input", '"$0" pre-tool-use <&-', 0],
    ["none of the three", '"$0" pre-tool-use <&- >&- 2>&-', 0],
    ["a folder for input", '"$0" pre-tool-use < /', 0],
    // A refusal that cannot be written is told by the exit code.
    ["no output", '"$0" pre-tool-use >&-', 2],
    ...(process.platform === "linux" ? [["a full disk for output", '"$0" pre-tool-use > /dev/full', 2]] : []),
    // The reader is gone before the program starts.
    ["an output that nobody reads", 'exec 3> >(exec true); wait $!; "$0" pre-tool-use >&3', 2],
    ["an output that is read only", '"$0" pre-tool-use 1< /dev/null', 2],
  ])("ends without a crash with %s", (_, script, expected) => {
    const { code, stderr } = runShell(String(script), place());
    expect(code).toBe(expected);
    expect(stderr).not.toContain("crashed");
  });

  it("refuses by its exit code where a caller went away early", async () => {
    const { home, cwd } = place();
    const child = spawn(NATIVE_FILE, ["pre-tool-use"], { cwd, env: { HOME: home } });
    child.stdout.destroy();
    child.stderr.destroy();
    child.stdin.end(CALL);
    const ended = await new Promise(resolve =>
      child.once("exit", (code, signal) => resolve({ code, signal })),
    );
    expect(ended).toEqual({ code: 2, signal: null });
  });

  it("ends at once when told to, whatever it is doing", async () => {
    const { home, cwd } = place();
    const child = spawn(NATIVE_FILE, ["pre-tool-use"], { cwd, env: { HOME: home } });
    await untilAsleep(child.pid ?? 0);
    child.kill("SIGTERM");
    const ended = await new Promise(resolve =>
      child.once("exit", (code, signal) => resolve({ code, signal })),
    );
    expect(ended).toEqual({ code: 0, signal: null });
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

  it.each([14_000, 20_000, 30_000])(
    "asks about a payload that does not fit into %i kB of memory",
    kilobytes => {
      const { home, cwd } = place();
      const command = `echo ${"é".repeat(4_000_000)}`;
      const { status, stdout } = spawnSync(
        "bash",
        ["-c", `ulimit -v ${kilobytes}; exec "$0" pre-tool-use`, NATIVE_FILE],
        {
          cwd,
          env: { PATH: process.env["PATH"], HOME: home },
          input: JSON.stringify({ ...PRE, tool_input: { command } }),
          encoding: "utf8",
        },
      );
      expect(status).toBe(0);
      expect(stdout).toContain('"permissionDecision":"ask"');
    },
  );

  it("refuses with a small stack", () => {
    const ran = runShell('ulimit -s 4096; "$0" pre-tool-use', place());
    expect(isDenied(ran.stdout)).toBe(true);
  });

  it("answers where no file can be opened", () => {
    expectAnswer(runShell('ulimit -n 3; "$0" pre-tool-use', place()));
  });
});

type Hurt = {
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: unknown;
  /** what it was given before it was hurt; without it, it still waits */
  readonly input?: string;
};

/** Sends a signal to the program while it waits for its input, or while it judges it. */
async function hurt(signal: NodeJS.Signals, { words = [], env = {}, config, input }: Hurt = {}) {
  const { home, cwd } = place();
  if (config !== undefined) {
    mkdirSync(join(home, ".amplihack"));
    writeFileSync(join(home, ".amplihack", "config.jsonc"), JSON.stringify(config), { mode: 0o600 });
  }
  const child = spawn(NATIVE_FILE, ["pre-tool-use", ...words], { cwd, env: { HOME: home, ...env } });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<number | null>(resolve => child.once("close", resolve));
  if (input === undefined) await untilAsleep(child.pid ?? 0);
  else {
    child.stdin.end(input);
    await untilBusy(child.pid ?? 0);
  }
  child.kill(signal);
  const code = await ended;
  expectAnswer({ code, stdout, stderr });
  return { code, stdout, stderr };
}

// Where there is no /proc it cannot be seen when the program waits.
const describeHurt = process.platform === "linux" ? describeNative : describe.skip;

describeHurt("the native program, hurt", () => {
  it.each(["SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL", "SIGALRM"] as const)(
    "has no opinion after %s by default",
    async signal => {
      const { code, stdout, stderr } = await hurt(signal);
      expect([code, stdout]).toEqual([0, "{}\n"]);
      expect(stderr).toContain("could not check this: the engine crashed or gave no answer in time");
    },
  );

  it.each([
    ["the environment", { env: { AMPLIHACK_FAILURE_POLICY: "stop=open,pre-tool-use=closed" } }],
    ["the configuration", { config: { failure: { "pre-tool-use": "closed" } } }],
  ])("fails closed where %s says so", async (_, how) => {
    const { code, stdout } = await hurt("SIGSEGV", how);
    expect([code, stdout]).toEqual([2, ""]);
  });

  it("asks where the configuration says so", async () => {
    const { stdout } = await hurt("SIGSEGV", { config: { failure: { default: "ask" } } });
    expect(stdout).toContain('"permissionDecision":"ask"');
  });

  it.each([
    ["codex", 0, ""],
    // An allow would skip its own question.
    ["atomcode", 0, ""],
    ["gemini-cli", 0, "{}\n"],
  ])("speaks to %s in its own words", async (host, ...answer) => {
    const { code, stdout } = await hurt("SIGSEGV", { words: ["--host", host] });
    expect([code, stdout]).toEqual(answer);
  });

  it("asks at least when it was hurt while it judged", async () => {
    const input = JSON.stringify({ ...PRE, tool_input: { command: "a=b ".repeat(2_000_000) } });
    const { code, stdout } = await hurt("SIGSEGV", { input });
    expect(code).toBe(0);
    expect(stdout).toContain('"permissionDecision":"ask"');
  });

  it("cannot be made to believe in a crash by the environment", () => {
    const ran = runShell('AMPLIHACK_AFTER_CRASH=1 "$0" pre-tool-use', place());
    expect(isDenied(ran.stdout)).toBe(true);
  });
});

/** Waits until the process waits for its input. */
async function untilAsleep(pid: number): Promise<void> {
  for (let look = 0; look < 10_000; look++) {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const isCaught = /SigCgt:\s+\w*[4-9a-f]\w{3}$/m.test(status);
    if (/State:\s+S/.test(status) && isCaught) return;
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  throw new Error("the process never waited for its input");
}
