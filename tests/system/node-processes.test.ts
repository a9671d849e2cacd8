import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createNodeSystem } from "../../src/system/node.ts";
import type { ProcessRequest, RunningProcess } from "../../src/system/system.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const system = createNodeSystem();
const { processes } = system;
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const MEBIBYTE = 1 << 20;
const PATIENT_MS = 200_000;

function start(argv: readonly [string, ...string[]], more: Partial<ProcessRequest> = {}): RunningProcess {
  return processes.start({
    argv,
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    input: new Uint8Array(0),
    timeoutMs: PATIENT_MS,
    killAfterMs: 200,
    limits: { stdoutBytes: MEBIBYTE, tailBytes: 100, stderrBytes: 100, drainBytes: MEBIBYTE },
    ...more,
  });
}
const shell = (script: string, more: Partial<ProcessRequest> = {}) => start(["sh", "-c", script], more);

const untilGone = (pid: number) =>
  vi.waitFor(() => expect(processes.look(pid)).toBeUndefined(), { timeout: PATIENT_MS });

/** Waits for the first line a child prints, and gives the number on it. */
function firstNumber(): { onOutput: NonNullable<ProcessRequest["onOutput"]>; number: Promise<number> } {
  let resolve: (value: number) => void = () => {};
  const number = new Promise<number>(settle => {
    resolve = settle;
  });
  return { onOutput: (_stream, chunk) => resolve(Number.parseInt(textOf(chunk), 10)), number };
}

describe("a well-behaved child", () => {
  it("gets its input, arguments, environment and directory, and nothing else", async () => {
    const cwd = temporaryDirectory();
    const script =
      'cat; printf "|%s|%s|%s" "$1" "$(pwd)" "$GREETING"; env | grep -c HOME; echo err >&2; exit 7';
    const result = await start(["sh", "-c", script, "sh", "a b;$c"], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", GREETING: "hé" },
      input: system.text.encode("in€put"),
    }).done;
    expect(result.end).toEqual({ kind: "exit", code: 7 });
    expect(textOf(result.stdout)).toBe(`in€put|a b;$c|${cwd}|hé0\n`);
    expect(textOf(result.stderr)).toBe("err\n");
    expect(result).toMatchObject({
      stdoutTruncated: false,
      stderrTruncated: false,
      killed: false,
      pipeHeld: false,
    });
  });

  it("leads its own process group and session", async () => {
    const running = shell("cut -d' ' -f1,5,6 /proc/$$/stat");
    const result = await running.done;
    expect(textOf(result.stdout)).toBe(`${running.pid} ${running.pid} ${running.pid}\n`);
  });

  it("may answer in many small pieces", async () => {
    const seen: string[] = [];
    const result = await shell("for i in 1 2 3 4 5; do printf $i; done", {
      onOutput: (stream, chunk) => seen.push(`${stream}:${textOf(chunk)}`),
    }).done;
    expect(textOf(result.stdout)).toBe("12345");
    expect(seen.map(piece => piece.replace("stdout:", "")).join("")).toBe("12345");
  });

  it("is told apart by how it ended", async () => {
    expect((await shell("exit 127").done).end).toEqual({ kind: "exit", code: 127 });
    expect((await shell("kill -9 $$").done).end).toEqual({ kind: "signal", signal: "SIGKILL" });
    expect((await shell("kill -TERM $$").done).end).toEqual({ kind: "signal", signal: "SIGTERM" });
  });

  it("may print bytes that are no text", async () => {
    const result = await shell("printf '\\377\\000\\300a'").done;
    expect([...result.stdout]).toEqual([0xff, 0, 0xc0, 0x61]);
  });

  it("is not late because its parent was busy", async () => {
    const running = shell("echo done", { timeoutMs: 50, pipeGraceMs: 20 });
    while (processes.look(running.pid ?? 0) !== undefined) system.clock.sleepMs(5);
    system.clock.sleepMs(100);
    const result = await running.done;
    expect(result.end).toEqual({ kind: "exit", code: 0 });
    expect(textOf(result.stdout)).toBe("done\n");
    expect(result.pipeHeld).toBe(false);
  });
});

describe("a child that ends beside another", () => {
  it("does not hold its pipes because its end is seen before its output is read", async () => {
    const go = `${temporaryDirectory()}/go`;
    const untilEnded = ({ pid = 0 }: RunningProcess) => {
      while (processes.look(pid) !== undefined) system.clock.sleepMs(5);
    };
    const second = shell(`until [ -e ${go} ]; do sleep 0.01; done; echo late`, { pipeGraceMs: 0 });
    const first = shell("echo first", {
      onOutput() {
        // Whoever looks for ended children after this finds both.
        writeFileSync(go, "");
        untilEnded(second);
      },
    });
    untilEnded(first);
    void first.done.then(() => system.clock.sleepMs(20));
    const result = await second.done;
    expect(result).toMatchObject({ end: { kind: "exit", code: 0 }, pipeHeld: false });
    expect(textOf(result.stdout)).toBe("late\n");
  });
});

describe("a child that cannot be started", () => {
  const directory = () => temporaryDirectory();
  it.each([
    ["a missing program", () => start(["/nowhere/program"]), "ENOENT"],
    ["a missing directory", () => start(["true"], { cwd: "/nowhere" }), "ENOENT"],
    ["a directory as program", () => start(["/tmp"]), "EACCES"],
    [
      "a file that is not executable",
      () => {
        const path = `${directory()}/file`;
        writeFileSync(path, "");
        return start([path]);
      },
      "EACCES",
    ],
    ["an argument with NUL", () => start(["echo", "a\0b"]), "EINVAL"],
    ["arguments beyond every limit", () => start(["echo", "x".repeat(8 * MEBIBYTE)]), "E2BIG"],
  ])("is a result and not an exception: %s", async (_name, begin, code) => {
    const running = begin();
    expect(running.pid).toBeUndefined();
    running.stop();
    expect((await running.done).end).toEqual({ kind: "not-started", code });
  });
});

describe("a child that does not read its input", () => {
  it("is not waited for, however much there was to read", async () => {
    const result = await shell("echo answer", { input: new Uint8Array(MEBIBYTE) }).done;
    expect(result.end).toEqual({ kind: "exit", code: 0 });
    expect(textOf(result.stdout)).toBe("answer\n");
  });

  it("is still heard after it closed its stdin", async () => {
    const result = await shell("exec <&-; echo answer", { input: new Uint8Array(MEBIBYTE) }).done;
    expect(textOf(result.stdout)).toBe("answer\n");
  });
});

describe("a child that talks too much", () => {
  const fiftyMegabytes = "head -c 50000000 /dev/zero | tr '\\0' x; printf END";

  it("is kept at both ends and drained in between", async () => {
    const result = await shell(fiftyMegabytes, {
      limits: { stdoutBytes: 1000, tailBytes: 5, stderrBytes: 10, drainBytes: 100 * MEBIBYTE },
    }).done;
    expect(result.end).toEqual({ kind: "exit", code: 0 });
    expect(textOf(result.stdout)).toBe("x".repeat(1000));
    expect(textOf(result.stdoutTail)).toBe("xxEND");
    expect(result.stdoutTruncated).toBe(true);
  });

  it("is stopped when it passes the drain limit", async () => {
    const running = shell("yes", {
      limits: { stdoutBytes: 10, tailBytes: 10, stderrBytes: 10, drainBytes: MEBIBYTE },
    });
    const result = await running.done;
    expect(result.end).toEqual({ kind: "overflow" });
    expect(textOf(result.stdout)).toBe("y\ny\ny\ny\ny\n");
    await untilGone(running.pid ?? 0);
  });

  it("is stopped for its stderr too, of which the end is kept", async () => {
    const result = await shell("yes no >&2", {
      limits: { stdoutBytes: 10, tailBytes: 0, stderrBytes: 6, drainBytes: MEBIBYTE },
    }).done;
    expect(result.end).toEqual({ kind: "overflow" });
    expect(result.stderr).toHaveLength(6);
    expect(result.stderrTruncated).toBe(true);
  });
});

describe("a child that takes too long", () => {
  it("is ended by SIGTERM", async () => {
    const running = start(["sleep", "300"], { timeoutMs: 50, killAfterMs: PATIENT_MS });
    expect(await running.done).toMatchObject({ end: { kind: "timeout" }, killed: false });
    await untilGone(running.pid ?? 0);
  });

  it("is ended with its whole group", async () => {
    const { onOutput, number } = firstNumber();
    const running = shell("sleep 300 & echo $!; wait", { onOutput });
    const helper = await number;
    running.stop();
    expect((await running.done).end).toEqual({ kind: "stopped" });
    await untilGone(running.pid ?? 0);
    await untilGone(helper);
  });

  it("is killed when it ignores SIGTERM", async () => {
    const { onOutput, number } = firstNumber();
    const running = shell("trap '' TERM; echo 1; while :; do sleep 1; done", { onOutput });
    await number;
    running.stop();
    expect(await running.done).toMatchObject({ end: { kind: "stopped" }, killed: true });
    await untilGone(running.pid ?? 0);
  });

  it("takes its stubborn children along when it gives in", async () => {
    const { onOutput, number } = firstNumber();
    const script = "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait";
    const running = shell(script, { onOutput });
    const stubborn = await number;
    running.stop();
    expect((await running.done).end).toEqual({ kind: "stopped" });
    await untilGone(stubborn);
  });

  it("is not listened to any more", async () => {
    const { onOutput, number } = firstNumber();
    const running = shell("trap 'echo late; exit 0' TERM; echo 1; while :; do sleep 0.01; done", {
      onOutput,
    });
    await number;
    running.stop();
    const result = await running.done;
    expect(result.end).toEqual({ kind: "stopped" });
    expect(textOf(result.stdout)).toBe("1\n");
  });

  it("is given up when even the pipes outlive SIGKILL", async () => {
    const { onOutput, number } = firstNumber();
    // The grandchild leaves the group and keeps the pipes.
    const running = shell("setsid sh -c 'echo $$; exec sleep 300' & wait", {
      onOutput,
      killAfterMs: PATIENT_MS,
      pipeGraceMs: 50,
    });
    const holder = await number;
    onTestFinished(() => {
      process.kill(holder, "SIGKILL");
    });
    running.stop();
    const result = await running.done;
    expect(result).toMatchObject({ end: { kind: "stopped" }, pipeHeld: true });
    expect(processes.look(holder)).toBeDefined();
  });

  it("may be stopped twice, and after its end, without effect", async () => {
    const running = shell("exit 3");
    const result = await running.done;
    running.stop();
    running.stop();
    expect(result.end).toEqual({ kind: "exit", code: 3 });
    expect(await running.done).toBe(result);
  });

  it("may be given all the time there is", async () => {
    const result = await shell("echo fine", { timeoutMs: Number.POSITIVE_INFINITY }).done;
    expect(result.end).toEqual({ kind: "exit", code: 0 });
  });
});

describe("a child that leaves a helper behind", () => {
  it("has ended all the same; the helper lives and the held pipe is reported", async () => {
    const { onOutput, number } = firstNumber();
    const result = await shell("sleep 300 & echo $!", { onOutput, pipeGraceMs: 50 }).done;
    const helper = await number;
    onTestFinished(() => {
      process.kill(helper, "SIGKILL");
    });
    expect(result).toMatchObject({ end: { kind: "exit", code: 0 }, pipeHeld: true });
    expect(textOf(result.stdout)).toBe(`${helper}\n`);
    expect(processes.look(helper)).toBeDefined();
  });

  it("takes it along where the whole group is to end, after hearing what it still has to say", async () => {
    const { onOutput, number } = firstNumber();
    const script =
      "sh -c 'trap \"\" TERM; exec sleep 300' >/dev/null 2>&1 & echo $!; (sleep 0.1; echo late) &";
    const result = await shell(script, { onOutput, pipeGraceMs: PATIENT_MS, endsGroup: true }).done;
    expect(result).toMatchObject({ end: { kind: "exit", code: 0 }, pipeHeld: false });
    expect(textOf(result.stdout)).toBe(`${await number}\nlate\n`);
    await untilGone(await number);
  });
});

describe("looking at processes", () => {
  it("tells this one by pid, start time and host", () => {
    const ticks = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ")[19];
    expect(processes.self).toEqual({ pid: process.pid, start: ticks, host: hostname() });
    expect(processes.look(process.pid)).toEqual({ start: ticks });
  });

  it("finds the first process, and none behind numbers that are no pids", () => {
    expect(processes.look(1)).toBeDefined();
    for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 31, 4_194_304 + 5])
      expect(processes.look(pid)).toBeUndefined();
  });

  it("counts a process that ended and waits for its parent as gone", async () => {
    // `exec sleep` never collects the child that the shell left to it.
    const holder = spawn("sh", ["-c", "sh -c 'echo $$' & exec sleep 300"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => {
      holder.kill("SIGKILL");
    });
    const [chunk] = await once(holder.stdout, "data");
    const zombie = Number(String(chunk));
    await vi.waitFor(() => expect(readFileSync(`/proc/${zombie}/stat`, "utf8")).toContain(") Z "), {
      timeout: PATIENT_MS,
    });
    expect(processes.look(zombie)).toBeUndefined();
  });

  it("reads the start time of a program with brackets and blanks in its name", async () => {
    const directory = temporaryDirectory();
    const program = `${directory}/a) b (c`;
    writeFileSync(program, "#!/bin/sh\nread line\n", { mode: 0o755 });
    const child = spawn(program, { stdio: ["pipe", "ignore", "ignore"] });
    await once(child, "spawn");
    expect(processes.look(child.pid ?? 0)?.start).toMatch(/^\d+$/);
    child.stdin.end();
    await once(child, "exit");
  });
});
