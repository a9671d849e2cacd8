import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { bundleProgram } from "../bundle-program.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const probe = bundleProgram(new URL("./programs/probe.ts", import.meta.url));

function shell(script: string): { stdout: string; stderr: string; status: number | null } {
  return spawnSync("sh", ["-c", script, process.execPath, probe], { encoding: "utf8", timeout: 200_000 });
}
const read = (redirection: string, limit = 1000) =>
  JSON.parse(shell(`"$0" "$1" read-input ${limit} ${redirection}`).stdout);

/** A named pipe whose every opener finds it non-blocking, as a careless parent may leave a shared pipe. */
function nonBlockingPipe(): number {
  const path = `${temporaryDirectory()}/pipe`;
  execFileSync("mkfifo", [path]);
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
}

/** As descriptor 3, because whoever starts a process makes 0, 1 and 2 blocking for it. */
function startWithPipe(script: string, pipe: number) {
  return spawn("sh", ["-c", script, process.execPath, probe], { stdio: ["ignore", "pipe", "pipe", pipe] });
}

/** How often a process went to sleep of its own will. */
function napsOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1]);
}

describe("reading stdin", () => {
  it("takes all of it up to the limit", () => {
    const script = `printf 'h\\303\\251llo' | "$0" "$1" read-input 6`;
    expect(JSON.parse(shell(script).stdout)).toEqual({ kind: "bytes", text: "héllo" });
  });

  it("reads input that comes in many pieces and is larger than one buffer", () => {
    const script = `(for i in 1 2 3 4 5; do head -c 100000 /dev/zero | tr '\\0' x; done) | "$0" "$1" read-input 500000`;
    expect(JSON.parse(shell(script).stdout).text).toHaveLength(500_000);
  });

  it("gives up once the limit is passed, without waiting for the end", () => {
    expect(JSON.parse(shell(`yes | "$0" "$1" read-input 1000`).stdout)).toEqual({
      kind: "too-large",
      limitBytes: 1000,
    });
  });

  it.each(["</dev/null", "<&-"])("finds nothing in %s", redirection => {
    expect(read(redirection)).toEqual({ kind: "bytes", text: "" });
  });

  it("tells the error of a stdin that cannot be read", () => {
    expect(read("</")).toEqual({ kind: "failed", code: "EISDIR" });
  });

  it("waits when the descriptor was made non-blocking", async () => {
    const pipe = nonBlockingPipe();
    const child = startWithPipe('exec "$0" "$1" read-input 5 <&3', pipe);
    let said = "";
    child.stdout?.on("data", chunk => {
      said += chunk;
    });
    const ended = once(child, "close");
    writeSync(pipe, "abc");
    const before = napsOf(child.pid);
    await vi.waitFor(() => expect(napsOf(child.pid)).toBeGreaterThan(before + 20), { timeout: 200_000 });
    writeSync(pipe, "def");
    await ended;
    closeSync(pipe);
    expect(JSON.parse(said)).toEqual({ kind: "too-large", limitBytes: 5 });
  });
});

describe("writing stdout", () => {
  it("reports a reader that has gone", () => {
    expect(shell(`"$0" "$1" write-output 1000000 | head -c 1`).stderr).toBe('"gone"\n');
  });

  it("reports other failures by their code", () => {
    expect(shell(`"$0" "$1" write-output 10 >/dev/full`).stderr).toBe('{"code":"ENOSPC"}\n');
  });

  it("survives a stdout that is closed", () => {
    const { stderr, status } = shell(`"$0" "$1" write-output 10 >&-`);
    expect([stderr, status]).toEqual(['"discarded"\n', 0]);
  });

  it("tells what went to the null device from what was written", () => {
    expect(shell(`"$0" "$1" write-output 10 >/dev/null`).stderr).toBe('"discarded"\n');
    expect(shell(`"$0" "$1" write-output 10 | cat >/dev/null`).stderr).toBe('"written"\n');
  });

  it("writes everything to a slow reader of a non-blocking pipe", async () => {
    const pipe = nonBlockingPipe();
    const child = startWithPipe('exec "$0" "$1" write-output 300000 >&3', pipe);
    const ended = once(child, "close");
    const buffer = Buffer.alloc(10_000);
    let received = 0;
    while (received < 300_000) {
      try {
        received += readSync(pipe, buffer);
      } catch {
        // Nothing there yet.
      }
      await new Promise(resolve => setImmediate(resolve));
    }
    await ended;
    closeSync(pipe);
    expect(received).toBe(300_000);
  });

  it("does not wait for ever for a reader of stderr", async () => {
    const pipe = nonBlockingPipe();
    const child = startWithPipe('exec "$0" "$1" write-error 300000 2>&3', pipe);
    const [said] = await once(child.stdout ?? child, "data");
    closeSync(pipe);
    expect(String(said)).toBe('"carried on"\n');
  });

  it("knows that pipes are no terminals", () => {
    expect(JSON.parse(shell(`"$0" "$1" terminals | cat`).stdout)).toEqual([false, false]);
  });
});

describe("what a hook pays for", () => {
  it("loads none of the heavy modules for a run that only reads, looks and answers", () => {
    expect(JSON.parse(shell(`"$0" "$1" loaded </dev/null`).stdout)).toEqual([]);
  });
});
