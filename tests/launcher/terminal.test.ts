import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { version } from "../../src/version.ts";
import { driveTerminal, hasTerminal, type Step } from "./drive-terminal.ts";
import { buildProgram, isRunning, LaunchMachine, processGone } from "./launch-machine.ts";
import { PUBLIC_KEY, ReleaseServer } from "./update/release-server.ts";

const program = buildProgram();
/** An interactive shell in a pseudo-terminal, at whose prompt the launcher is started. */
function atTerminal(machine: LaunchMachine, steps: readonly Step[]): Promise<string> {
  const env = {
    ...machine.env,
    PATH: process.env["PATH"] ?? "",
    AGENTS: machine.bin,
    TERM: "xterm",
    AMPLIHACK_SKIP_AUTO_INSTALL: "1",
    AMPLIHACK_NO_UPDATE_CHECK: "1",
    AMPLIHACK: `${process.execPath} ${program}`,
  };
  return driveTerminal(
    ["bash", "--norc", "--noprofile", "--noediting", "-i"],
    { cwd: machine.project, env },
    [
      { expect: "bash-" },
      { send: 'PATH=$AGENTS:$PATH; PS1="READY""> "\n' },
      { expect: "READY> " },
      ...steps,
      { send: "exit\n" },
    ],
  );
}

/** The quotes keep the typed line from looking like its own result. */
const RESULT = [{ send: 'echo "result""=$?"\n' }] as const;

describe.skipIf(!hasTerminal)("an agent in a terminal", () => {
  it("gets Ctrl-C itself, once for each, and the launcher stays", async () => {
    const machine = new LaunchMachine(program);
    machine.agent(
      "claude",
      "n=0; trap 'n=$((n+1)); echo \"interrupt $n\"; [ $n = 2 ] && exit 5' INT\n" +
        "echo agent-ready; while :; do sleep 0.1; done",
    );
    await atTerminal(machine, [
      { send: "$AMPLIHACK claude\n" },
      { expect: "agent-ready" },
      { send: "\u0003" },
      { expect: "interrupt 1" },
      { send: "\u0003" },
      { expect: "interrupt 2" },
      { expect: "READY> " },
      ...RESULT,
      { expect: "result=5" },
    ]);
  });

  it("is in the foreground: it may read from the terminal and is no leader of a session", async () => {
    const machine = new LaunchMachine(program);
    machine.agent(
      "claude",
      'echo agent-ready; read -r line; echo "heard $line"; test -t 0 && echo "is terminal"',
    );
    await atTerminal(machine, [
      { send: "$AMPLIHACK claude\n" },
      { expect: "agent-ready" },
      { send: "hello\n" },
      { expect: "heard hello" },
      { expect: "is terminal" },
      { expect: "READY> " },
    ]);
  });

  it("hears of a change of the window's size", async () => {
    const machine = new LaunchMachine(program);
    machine.agent(
      "claude",
      "trap 'echo \"size $(stty size)\"; exit 0' WINCH; echo agent-ready; while :; do sleep 0.1; done",
    );
    await atTerminal(machine, [
      { send: "$AMPLIHACK claude\n" },
      { expect: "agent-ready" },
      { resize: [33, 99] },
      { expect: "size 33 99" },
      { expect: "READY> " },
    ]);
  });

  it("stops with Ctrl-Z and goes on with fg", async () => {
    const machine = new LaunchMachine(program);
    machine.agent(
      "claude",
      "trap 'echo continued; exit 4' CONT; echo agent-ready; while :; do sleep 0.1; done",
    );
    await atTerminal(machine, [
      { send: "$AMPLIHACK claude\n" },
      { expect: "agent-ready" },
      { send: "\u001a" },
      { expect: "Stopped" },
      { expect: "READY> " },
      { send: "fg\n" },
      { expect: "continued" },
      { expect: "READY> " },
      ...RESULT,
      { expect: "result=4" },
    ]);
  });

  it("gives the terminal back to the shell when it stops itself alone", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo agent-ready; kill -STOP $$; echo went-on; exit 4");
    await atTerminal(machine, [
      { send: "$AMPLIHACK claude\n" },
      { expect: "agent-ready" },
      { expect: "Stopped" },
      { expect: "READY> " },
      { send: "fg\n" },
      { expect: "went-on" },
      { expect: "READY> " },
      ...RESULT,
      { expect: "result=4" },
    ]);
  });

  it("leaves the terminal as it was, also when it was killed in the middle", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "stty raw -echo; printf 'agent-ready'; kill -9 $$");
    await atTerminal(machine, [
      { send: "before=$(stty -g)\n" },
      { expect: "READY> " },
      { send: "$AMPLIHACK claude\n" },
      { expect: "agent-ready" },
      { expect: "READY> " },
      ...RESULT,
      { expect: "result=137" },
      { send: '[ "$(stty -g)" = "$before" ] && echo "is ""sane"\n' },
      { expect: "is sane" },
      { expect: "READY> " },
    ]);
  });

  it("ends by SIGTERM to the launcher, which gives 143", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", 'echo "agent-pid $$ of $PPID"; kill -TERM $PPID; while :; do sleep 0.1; done');
    const output = await atTerminal(machine, [
      { send: "$AMPLIHACK claude\n" },
      { expect: "agent-pid" },
      { expect: "READY> " },
      ...RESULT,
      { expect: "result=143" },
    ]);
    expect(isRunning(Number(/agent-pid (\d+)/.exec(output)?.[1]))).toBe(false);
  });

  it("ends with its terminal", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", 'echo "agent-pid $$ "; while :; do sleep 0.1; done');
    const output = await atTerminal(machine, [{ send: "$AMPLIHACK claude\n" }, { expect: "agent-pid" }]);
    await processGone(Number(/agent-pid (\d+)/.exec(output)?.[1]));
  });

  it("is told about hooks that need repair, and asks before it does anything", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo agent-ran");
    machine.write(join(machine.home, ".claude/settings.json"), "{}\n");
    await atTerminal(machine, [
      { send: "unset AMPLIHACK_SKIP_AUTO_INSTALL\n" },
      { expect: "READY> " },
      { send: "$AMPLIHACK claude\n" },
      { expect: "[y/N]" },
      { send: "n\n" },
      { expect: "amplihack install --host claude" },
      { expect: "agent-ran" },
      { expect: "READY> " },
    ]);
  });

  /** A machine that knows of a newer version since a moment. */
  function withNews(source: string): LaunchMachine {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo agent-ran");
    machine.write(
      join(machine.home, ".amplihack/config.jsonc"),
      JSON.stringify({ update: { source, publicKey: PUBLIC_KEY } }),
    );
    machine.write(
      join(machine.home, ".amplihack/cache/update_check.json"),
      JSON.stringify({
        last_check: new Date().toISOString(),
        latest_version: "99.0.0",
        check_interval_hours: 24,
        current_version: version,
      }),
    );
    return machine;
  }
  const looksForNews = [{ send: "unset AMPLIHACK_NO_UPDATE_CHECK CI\n" }, { expect: "READY> " }] as const;

  it("is told about a newer version, and starts when the answer is no", async () => {
    await atTerminal(withNews("http://127.0.0.1:9/releases"), [
      ...looksForNews,
      { send: "$AMPLIHACK claude\n" },
      { expect: "amplihack 99.0.0 is available" },
      { expect: "Update now? [y/N]" },
      { send: "n\n" },
      { expect: "agent-ran" },
      { expect: "READY> " },
    ]);
  });

  it("is started by the newer version when the answer is yes", async () => {
    const server = await ReleaseServer.start();
    server.publish("99.0.0");
    const machine = withNews(server.source);
    await atTerminal(machine, [
      ...looksForNews,
      { send: "$AMPLIHACK claude --no-reflection -- --any words\n" },
      { expect: "Update now? [y/N]" },
      { send: "y\n" },
      { expect: "READY> " },
      ...RESULT,
      { expect: "result=0" },
    ]);
    expect(readFileSync(join(machine.home, "ran-99.0.0"), "utf8")).toBe(
      "claude --no-reflection -- --any words\n",
    );
    expect(existsSync(join(machine.project, ".claude/runtime/sessions.jsonl"))).toBe(false);
  });

  it("is not started again with words that could mean something else; the command is told", async () => {
    const server = await ReleaseServer.start();
    server.publish("99.0.0");
    const machine = withNews(server.source);
    await atTerminal(machine, [
      ...looksForNews,
      { send: "$AMPLIHACK claude --cwd .\n" },
      { expect: "Update now? [y/N]" },
      { send: "y\n" },
      { expect: "updated; now run: amplihack claude --cwd ." },
      { expect: "READY> " },
    ]);
    expect(existsSync(join(machine.home, "ran-99.0.0"))).toBe(false);
  });

  it("is told when it is older than any in which the hooks are known to work", async () => {
    const machine = new LaunchMachine(program);
    machine.agent("codex", "echo agent-ran", "0.100.0");
    await atTerminal(machine, [
      { send: "$AMPLIHACK codex\n" },
      { expect: "codex 0.100.0 is older than 0.166.0" },
      { expect: "agent-ran" },
      { expect: "READY> " },
    ]);
  });
});
