import { describe, expect, it } from "vitest";
import { createMemorySystem, ProcessDied } from "../../src/system/memory.ts";
import type { ProcessRequest } from "../../src/system/system.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function request(more: Partial<ProcessRequest> = {}): ProcessRequest {
  return {
    argv: ["program"],
    cwd: "/",
    env: {},
    input: new Uint8Array(0),
    timeoutMs: 1000,
    limits: { stdoutBytes: 10, tailBytes: 0, stderrBytes: 10, drainBytes: 100 },
    ...more,
  };
}

describe("a memory system", () => {
  it("starts with a home, a working directory and the files it was given", () => {
    const system = createMemorySystem({
      files: {
        "/etc/x": { content: "text", mode: 0o400, uid: 7, modifiedMs: 5 },
        "/dev/pipe": { kind: "other" },
        "/empty": { kind: "directory" },
        "/link": { target: "/etc/x" },
      },
    });
    expect(system.env.get("HOME")).toBe("/home/user");
    expect(system.files.workingDirectory()).toBe("/home/user/project");
    expect(system.files.follow("/link")).toMatchObject({
      kind: "file",
      size: 4,
      mode: 0o400,
      uid: 7,
      modifiedMs: 5,
    });
    expect(system.files.inspect("/dev/pipe")?.kind).toBe("other");
    expect(system.files.list("/empty")).toEqual([]);
  });

  it("has no working directory once it was removed", () => {
    const system = createMemorySystem({ cwd: "/gone" });
    system.files.removeDirectory("/gone");
    expect(system.files.workingDirectory()).toBeUndefined();
  });

  it("keeps time only when told to, and stamps files with it", () => {
    const system = createMemorySystem({ nowMs: 1000 });
    system.clock.sleepMs(50);
    system.advance(25);
    system.files.append("/f", bytesOf("x"), 0o600);
    expect(system.clock.nowMs()).toBe(1075);
    expect(system.files.inspect("/f")?.modifiedMs).toBe(1075);
    expect(system.files.inspect("/")?.modifiedMs).toBe(1075);
  });

  it("lets a test act while somebody sleeps", () => {
    const naps: number[] = [];
    createMemorySystem({ onSleep: ms => naps.push(ms) }).clock.sleepMs(20);
    expect(naps).toEqual([20]);
  });

  it("has random digits that repeat with the seed and differ without", () => {
    const one = createMemorySystem({ seed: 1 }).random.hex(33);
    expect(one).toMatch(/^[0-9a-f]{33}$/);
    expect(createMemorySystem({ seed: 1 }).random.hex(33)).toBe(one);
    expect(createMemorySystem({ seed: 2 }).random.hex(33)).not.toBe(one);
  });

  it("reads stdin once, within its limit, or in the state it was given", () => {
    const system = createMemorySystem({ stdin: "hello" });
    expect(system.stdio.readInput(4)).toEqual({ kind: "too-large", limitBytes: 4 });
    expect(system.stdio.readInput(5)).toEqual({ kind: "bytes", bytes: bytesOf("hello") });
    expect(system.stdio.readInput(5)).toEqual({ kind: "bytes", bytes: bytesOf("") });
    expect(createMemorySystem({ stdin: { kind: "closed" } }).stdio.readInput(5)).toEqual({ kind: "closed" });
  });

  it("captures what is written, unless the reader has gone", () => {
    const system = createMemorySystem({ terminals: ["stderr"] });
    expect(system.stdio.writeOutput("out")).toBe("written");
    system.stdio.writeError("err");
    expect([system.stdout(), system.stderr()]).toEqual(["out", "err"]);
    expect(system.stdio.isTerminal("stderr")).toBe(true);
    expect(system.stdio.isTerminal("stdout")).toBe(false);
    const deaf = createMemorySystem({ stdoutState: "gone" });
    expect(deaf.stdio.writeOutput("out")).toBe("gone");
    expect(deaf.stdout()).toBe("");
  });
});

describe("the faults of a memory system", () => {
  it("fail one operation by its number", () => {
    const system = createMemorySystem();
    system.faults.failAt(2, "EIO");
    system.files.makeDirectory("/a", 0o700);
    expect(() => system.files.makeDirectory("/b", 0o700)).toThrow("cannot make directory /b: EIO");
    system.files.makeDirectory("/c", 0o700);
    expect(system.files.list("/")).not.toContain("b");
    expect(system.calls.map(call => call.path)).toEqual(["/a", "/b", "/c", "/"]);
  });

  it("fail chosen operations under a path", () => {
    const system = createMemorySystem({ files: { "/a/b": "x", "/ab": "y" } });
    system.faults.failUnder("/a", "EACCES", ["read"]);
    expect(() => system.files.read("/a/b", 10)).toThrow(/EACCES/);
    expect(textOf(system.files.read("/ab", 10))).toBe("y");
    expect(system.files.list("/a")).toEqual(["b"]);
    system.faults.clear();
    expect(textOf(system.files.read("/a/b", 10))).toBe("x");
  });

  it("let the process die half-way through a write and do nothing more", () => {
    const system = createMemorySystem();
    system.faults.dieAt(1);
    expect(() => system.files.createExclusive("/f", bytesOf("1234"), 0o600)).toThrow(ProcessDied);
    expect(() => system.files.remove("/f")).toThrow(ProcessDied);
    expect(system.peek("/f")).toBe("12");
  });
});

describe("the processes of a memory machine", () => {
  it("share disk, clock and process table, each with its own identity", () => {
    const one = createMemorySystem();
    const two = createMemorySystem({ machine: one.machine });
    one.files.append("/f", bytesOf("x"), 0o600);
    two.advance(10);
    expect(two.peek("/f")).toBe("x");
    expect(one.clock.nowMs()).toBe(two.clock.nowMs());
    expect(one.processes.self.pid).not.toBe(two.processes.self.pid);
    expect(one.processes.look(two.processes.self.pid)).toEqual({ start: two.processes.self.start });
    two.processes.die();
    expect(one.processes.look(two.processes.self.pid)).toBeUndefined();
  });

  it("run their last words when they end, not when they die", () => {
    const said: string[] = [];
    const one = createMemorySystem();
    one.processes.onEnd(() => said.push("one"));
    one.processes.onEnd(() => said.push("taken back")).dispose();
    one.processes.end();
    const two = createMemorySystem();
    two.processes.onEnd(() => said.push("two"));
    two.processes.die();
    expect(said).toEqual(["one"]);
  });
});

describe("a scripted child", () => {
  it("answers by its script, within the limits of the request", async () => {
    const seen: string[] = [];
    const system = createMemorySystem({
      run: ({ argv, input }) => ({
        stdout: `${argv[1]}:${textOf(input)}`,
        stderr: "0123456789abc",
        code: 3,
        durationMs: 40,
      }),
    });
    const started = system.clock.nowMs();
    const result = await system.processes.start(
      request({
        argv: ["p", "arg"],
        input: bytesOf("0123456789"),
        onOutput: (stream, chunk) => seen.push(`${stream} ${chunk.length}`),
      }),
    ).done;
    expect(result.end).toEqual({ kind: "exit", code: 3 });
    expect(textOf(result.stdout)).toBe("arg:012345");
    expect(textOf(result.stderr)).toBe("3456789abc");
    expect([result.stdoutTruncated, result.stderrTruncated]).toEqual([true, true]);
    expect(result.durationMs).toBe(40);
    expect(system.clock.nowMs() - started).toBe(40);
    expect(seen).toEqual(["stdout 14", "stderr 13"]);
    expect(system.processes.requests).toHaveLength(1);
  });

  it("times out when its script takes too long", async () => {
    const system = createMemorySystem({ run: () => ({ durationMs: 5000 }) });
    const result = await system.processes.start(request({ timeoutMs: 70 })).done;
    expect(result.end).toEqual({ kind: "timeout" });
    expect(result.durationMs).toBe(70);
  });

  it("overflows when it prints more than may be drained", async () => {
    const system = createMemorySystem({ run: () => ({ stdout: "x".repeat(111) }) });
    expect((await system.processes.start(request()).done).end).toEqual({ kind: "overflow" });
  });

  it("runs until it is stopped, if the script says so", async () => {
    const system = createMemorySystem({ run: () => ({ isEndless: true, stdout: "hi" }) });
    const running = system.processes.start(request());
    running.stop();
    expect(await running.done).toMatchObject({ end: { kind: "stopped" }, stdout: bytesOf("hi") });
  });

  it("cannot be started where no script was given", async () => {
    const running = createMemorySystem().processes.start(request());
    expect(running.pid).toBeUndefined();
    expect((await running.done).end).toEqual({ kind: "not-started", code: "ENOENT" });
  });
});
