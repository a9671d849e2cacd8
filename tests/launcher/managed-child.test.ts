import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleProgram } from "../bundle-program.ts";
import { buildProgram, LaunchMachine, processGone } from "./launch-machine.ts";

const program = buildProgram();
const interruptedLate = bundleProgram(new URL("interrupted-late.ts", import.meta.url));

/** Prints its own pid, so that a test can see what becomes of it. */
const ANNOUNCE = 'echo "pid $$"';

function pidIn(text: string, word = "pid"): number {
  return Number(new RegExp(`${word} (\\d+)`).exec(text)?.[1]);
}

describe("the exit code of a launch", () => {
  it("is the agent's own", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "exit 7");
    expect(machine.run("claude").code).toBe(7);
  });

  it("is 128+n when signal n ended the agent", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "kill -9 $$");
    expect(machine.run("claude").code).toBe(137);
    machine.agent("claude", "kill -TERM $$");
    expect(machine.run("claude").code).toBe(143);
  });

  it.each([
    ["Ctrl-C", "SIGINT"],
    ["Ctrl-\\", "SIGQUIT"],
  ])("is the agent's own also when its %s reaches the launcher after its end", (_, name) => {
    const words = [interruptedLate, name];
    const { status, signal, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    expect({ status, signal, stderr }).toEqual({ status: 5, signal: null, stderr: "" });
  });

  it("is 127 when the agent's interpreter is missing and 126 when it may not be executed", () => {
    const machine = new LaunchMachine(program);
    machine.write(join(machine.bin, "plain"), "not a program\n");
    machine.env["AMPLIHACK_CLAUDE_BINARY_PATH"] = join(machine.bin, "plain");
    expect(machine.run("claude").code).toBe(126);
    const path = machine.agent("claude", "");
    machine.write(path, "#!/no/such/interpreter\n");
    machine.env["AMPLIHACK_CLAUDE_BINARY_PATH"] = path;
    const { code, stderr } = machine.run("claude");
    expect(code).toBe(127);
    expect(stderr).toContain("interpreter");
  });

  it("is 127 without the agent, with what was tried and how to install it", () => {
    const machine = new LaunchMachine(program);
    const { code, stderr } = machine.run("codex");
    expect(code).toBe(127);
    expect(stderr).toContain("binary for 'codex' not found");
    expect(stderr).toContain(`cause: there is nothing at ${join(machine.bin, "codex")}, `);
    expect(stderr.match(/cause:/g)).toHaveLength(1);
    expect(stderr).toContain("npm install -g @openai/codex");
    expect(existsSync(join(machine.project, ".claude/runtime"))).toBe(false);
  });
});

describe("signals to a launcher without a terminal", () => {
  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const)("%s ends the agent and gives %i", async (signal, code) => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", `${ANNOUNCE}; while :; do sleep 1; done`);
    const launched = machine.start("claude");
    await launched.printed("pid");
    launched.signal(signal);
    expect((await launched.end()).code).toBe(code);
    await processGone(pidIn(launched.stdout));
  });

  it("kill an agent that passes over SIGTERM", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", `trap '' TERM; ${ANNOUNCE}; while :; do sleep 1; done`);
    const launched = machine.start("claude");
    await launched.printed("pid");
    launched.signal("SIGTERM");
    expect((await launched.end()).code).toBe(143);
    await processGone(pidIn(launched.stdout));
  });

  it("kill at once when they come twice", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", `trap 'echo asked' TERM; ${ANNOUNCE}; while :; do sleep 0.1; done`);
    const launched = machine.start("claude");
    await launched.printed("pid");
    launched.signal("SIGTERM");
    await launched.printed("asked");
    launched.signal("SIGTERM");
    expect((await launched.end()).code).toBe(143);
    await processGone(pidIn(launched.stdout));
  });

  it("let the agent end in peace when a terminal closes, at which they come twice", async () => {
    const machine = new LaunchMachine(program);
    const saves = "trap 'echo heard' HUP; trap 'echo saved; exit 0' TERM";
    machine.agent("claude", `${saves}; ${ANNOUNCE}; while :; do sleep 0.1; done`);
    const launched = machine.start("claude");
    await launched.printed("pid");
    launched.signal("SIGHUP");
    await launched.printed("heard");
    launched.signal("SIGHUP");
    const { code, stdout } = await launched.end();
    expect([code, stdout]).toEqual([129, expect.stringContaining("saved\n")]);
  });

  it("still give 128+n when the agent ends with 0", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", `trap 'exit 0' TERM; ${ANNOUNCE}; while :; do sleep 0.1; done`);
    const launched = machine.start("claude");
    await launched.printed("pid");
    launched.signal("SIGTERM");
    expect((await launched.end()).code).toBe(143);
  });

  it("are recorded as a crash of the session", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", `${ANNOUNCE}; while :; do sleep 1; done`);
    const launched = machine.start("claude");
    await launched.printed("pid");
    launched.signal("SIGTERM");
    await launched.end();
    expect(machine.sessions().map(({ status }) => status)).toEqual(["active", "crashed"]);
    expect(existsSync(join(machine.home, ".claude/runtime/session.json"))).toBe(false);
  });
});

describe("what an agent leaves behind without a terminal", () => {
  it("ends with it", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", 'sleep 300 & echo "pid $!"; exit 3');
    const launched = machine.start("claude");
    expect((await launched.end()).code).toBe(3);
    await processGone(pidIn(launched.stdout));
  });

  it("ends when the launcher is killed", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", 'sleep 300 & echo "grandchild $!"; echo "pid $$"; wait');
    const launched = machine.start("claude");
    await launched.printed("pid");
    await launched.idle();
    const [child, grandchild] = [pidIn(launched.stdout), pidIn(launched.stdout, "grandchild")];
    launched.signal("SIGKILL");
    await processGone(child);
    await processGone(grandchild);
  });

  it("ends when the launcher is killed, also if it passes over SIGTERM", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", `trap '' TERM; ${ANNOUNCE}; while :; do sleep 1; done`);
    const launched = machine.start("claude");
    await launched.printed("pid");
    await launched.idle();
    launched.signal("SIGKILL");
    await processGone(pidIn(launched.stdout));
  });
});

describe("starting an agent", () => {
  it("waits for a file that is still being written", async () => {
    const machine = new LaunchMachine(program);
    const path = machine.agent("claude", "echo started");
    const descriptor = openSync(path, "r+");
    const launched = machine.start("claude");
    await launched.printed("version of claude is unknown");
    closeSync(descriptor);
    expect((await launched.end()).stdout).toContain("started");
  });

  it("hands on standard input, output and errors", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "cat; echo done >&2");
    const launched = machine.start("claude");
    launched.child.stdin?.end("through\n");
    const { stdout, stderr } = await launched.end();
    expect(stdout).toBe("through\n");
    expect(stderr).toContain("done\n");
  });

  it("happens in the directory of --cwd", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "pwd");
    machine.write(join(machine.home, "elsewhere/.claude/keep"), "");
    const { stdout } = machine.run("claude", "--cwd", join(machine.home, "elsewhere"));
    expect(stdout.trim()).toBe(join(machine.home, "elsewhere"));
    expect(existsSync(join(machine.home, "elsewhere/.claude/runtime/sessions.jsonl"))).toBe(true);
    expect(existsSync(join(machine.project, ".claude/runtime"))).toBe(false);
    expect(machine.run("claude", "--cwd", "/no/such").code).toBe(2);
  });

  it("writes no record through a link that leads out of the project", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo started");
    const elsewhere = join(machine.home, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(machine.project, ".claude/runtime"));
    expect(machine.run("claude").stdout).toBe("started\n");
    expect(readdirSync(elsewhere)).toEqual([]);
    const [own = ""] = readdirSync(join(machine.home, ".amplihack/runtime"));
    expect(existsSync(join(machine.home, ".amplihack/runtime", own, "sessions.jsonl"))).toBe(true);
  });

  it("records the session without its prompt, in private files", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "exit 0");
    machine.run("claude", "-p", "tell nobody", "--model", "small");
    const [start, end] = machine.sessions();
    expect(start).toMatchObject({
      argv: ["claude", "-p", "<prompt>", "--model", "small"],
      launch_dir: machine.project,
      is_nested: false,
      parent_session_id: null,
      status: "active",
      end_time: null,
    });
    expect(end).toMatchObject({ session_id: start?.["session_id"], status: "completed" });
    const context = readFileSync(join(machine.project, ".claude/runtime/launcher_context.json"), "utf8");
    expect(JSON.parse(context)).toMatchObject({ launcher: "claude", cwd: machine.project, environment: {} });
    expect(context).not.toContain("tell nobody");
  });
});
