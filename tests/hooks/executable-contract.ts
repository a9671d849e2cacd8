import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";
import { runProgram } from "./executable.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};
const MEBIBYTE = 1024 * 1024;
const PRE = JSON.stringify({
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
});
const POST = PRE.replace("Pre", "Post");

export function place(): { readonly home: string; readonly cwd: string } {
  const home = temporaryDirectory();
  const cwd = join(home, "project");
  mkdirSync(join(cwd, ".claude"), { recursive: true });
  return { home, cwd };
}

/** A hook program as it is shipped. */
export interface Executable {
  readonly argv: readonly string[];
  /** it hears a signal while it waits for its input, and answers by the policy */
  readonly hearsSignals: boolean;
  /** what it may need for a payload beyond the limit */
  readonly maxMebibytes: number;
}

/** What hosts may rely on, whatever the program is made of. */
export function keepsContract({ argv, hearsSignals, maxMebibytes }: Executable): void {
  const [file = "", ...args] = argv;

  it("tells its version", () => {
    const { stdout, status } = spawnSync(file, [...args, "--version"], { encoding: "utf8" });
    expect([stdout, status]).toEqual([`amplihack-hooks ${version}\n`, 0]);
  });

  it.each([
    [["--", "ls", "-la"], 0],
    [["--", "rm", "-rf", "/"], 2],
    [["--", "git", "stash", "drop"], 3],
    [["--"], 4],
    [[], 4],
  ])("judges the words %j of a shim with exit %i", async (words, expected) => {
    const { code, stdout } = await runProgram(argv, ["guard-argv", ...words], { ...place(), input: "" });
    expect([code, stdout]).toEqual([expected, ""]);
  });

  it("takes the null device for an empty payload, not for a caller that is gone", () => {
    const { home, cwd } = place();
    mkdirSync(join(cwd, ".claude/runtime/locks/.lock_active"), { recursive: true });
    const words = argv.map(word => `'${word}'`).join(" ");
    const stop = (redirection: string) =>
      spawnSync("sh", ["-c", `${words} stop ${redirection}`], { cwd, env: { HOME: home }, encoding: "utf8" });
    expect(JSON.parse(stop("</dev/null").stdout)).toMatchObject({ decision: "block" });
    expect(JSON.parse(stop("<&-").stdout)).toEqual({ decision: "approve" });
  });

  it.each([">&-", ">/dev/null"])("refuses by its exit code where its answer reaches nobody: %s", reader => {
    const { home, cwd } = place();
    const words = argv.map(word => `'${word}'`).join(" ");
    const input = PRE.replace('"ls"', '"rm -rf /"');
    const run = spawnSync("bash", ["-c", `${words} pre-tool-use ${reader}`], {
      cwd,
      env: { HOME: home, PATH: process.env["PATH"] },
      input,
      encoding: "utf8",
    });
    expect([run.status, run.stdout]).toEqual([2, ""]);
  });

  it("understands characters beyond ASCII in its own patterns", async () => {
    const where = place();
    const input = JSON.stringify({ session_id: "s", prompt: "Implement:\n\u2022 the first point" });
    await runProgram(argv, ["session-start"], { ...where, input });
    const file = join(where.cwd, ".claude/runtime/logs/s/original_request.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ requirements: ["the first point"] });
  });

  it.each([[[]], [["no-such-hook"]]])("answers %j with its usage and exit 1", async words => {
    const { code, stdout, stderr } = await runProgram(argv, words, { ...place(), input: "" });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("usage: amplihack-hooks SUBCOMMAND");
    expect(stderr).toContain("pre-tool-use");
  });

  it("ends with exit 0 when nobody reads its answer", async () => {
    const { home, cwd } = place();
    const script = `"$@" post-tool-use <<< '${POST}' | true; echo "\${PIPESTATUS[0]}"`;
    const run = spawnSync("bash", ["-c", script, "bash", ...argv], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home },
      encoding: "utf8",
    });
    expect(run.stdout).toBe("0\n");
  });

  it.each(["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])("survives being started with %s", closing => {
    const { home, cwd } = place();
    const script = `echo '${POST}' | "$@" post-tool-use ${closing}; echo "\${PIPESTATUS[1]}" >&9`;
    const run = spawnSync("bash", ["-c", `exec 9>&1; ${script}`, "bash", ...argv], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home },
      encoding: "utf8",
    });
    expect(run.stdout.trimEnd().split("\n").at(-1)).toBe("0");
  });

  it.each([">&-", ">&- 2>&-", "1</dev/null"])(
    "refuses by its exit code where its answer reaches nobody: %s",
    redirection => {
      const { home, cwd } = place();
      const { status } = spawnSync("bash", ["-c", `"$@" pre-tool-use ${redirection}`, "bash", ...argv], {
        cwd,
        env: { PATH: process.env["PATH"], HOME: home },
        input: PRE.replace('"ls"', '"rm -rf /"'),
      });
      expect(status).toBe(2);
    },
  );

  it("lets the agent stop when there is no input at all, lock or not", () => {
    const { home, cwd } = place();
    mkdirSync(join(cwd, ".claude", "runtime", "locks"), { recursive: true });
    writeFileSync(join(cwd, ".claude", "runtime", "locks", ".lock_active"), "");
    const run = spawnSync("bash", ["-c", '"$@" stop <&-', "bash", ...argv], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home },
      encoding: "utf8",
    });
    expect([run.status, run.stdout]).toEqual([0, '{"decision":"approve"}\n']);
  });

  it("tells how it is used when asked, and otherwise only when it is misused", () => {
    const { cwd } = place();
    const help = spawnSync(file, [...args, "--help"], { cwd, encoding: "utf8" });
    expect([help.status, help.stderr]).toEqual([0, ""]);
    expect(help.stdout).toContain("usage: amplihack-hooks SUBCOMMAND");
    const misuse = spawnSync(file, [...args, "no-such-hook"], { cwd, encoding: "utf8" });
    expect([misuse.status, misuse.stdout]).toEqual([1, ""]);
    expect(misuse.stderr).toContain("unknown subcommand 'no-such-hook'");
  });

  it("ends at once when it is told to while it waits for its input", async () => {
    for (const [failure, code] of [
      ["open", 0],
      ["closed", 2],
    ] as const) {
      const { home, cwd } = place();
      const child = spawn(file, [...args, "pre-tool-use"], {
        cwd,
        env: { PATH: process.env["PATH"], HOME: home, AMPLIHACK_FAILURE_POLICY: failure },
      });
      const ended = new Promise<unknown>(resolve => child.once("close", (...end) => resolve(end)));
      // More than a pipe holds: once it is gone, the program is reading.
      await new Promise(resolve => child.stdin.write(PRE.slice(0, 10).padEnd(MEBIBYTE), resolve));
      child.kill("SIGTERM");
      expect(await ended).toEqual(hearsSignals ? [code, null] : [null, "SIGTERM"]);
    }
  });

  it("answers by the failure policy when it is told to end while a child works for it", async () => {
    const { home, cwd } = place();
    const child = spawn(file, [...args, "session-start"], {
      cwd,
      env: {
        PATH: process.env["PATH"],
        HOME: home,
        AMPLIHACK_TESTING: "1",
        AMPLIHACK_TEST_BRIDGE_COMMAND: "sleep 60",
      },
    });
    child.stdin.end("{}");
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    const ended = new Promise<unknown>(resolve => child.once("close", (...end) => resolve(end)));
    await untilParent(child.pid ?? 0);
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(stdout).toBe("{}\n");
  });

  it("takes all of a payload beyond the limit, with bounded memory, and asks", async () => {
    const { home, cwd } = place();
    const child = spawn(file, [...args, "pre-tool-use"], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home },
    });
    const ended = new Promise<string>(resolve => {
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
      child.once("close", () => resolve(text));
    });
    let peakBytes = 0;
    let isOpen = true;
    child.stdin.on("error", () => (isOpen = false));
    const chunk = Buffer.alloc(MEBIBYTE, "x");
    for (let sent = 0; sent < 200 && isOpen; sent++) {
      if (!child.stdin.write(chunk)) {
        await new Promise<void>(resolve => {
          const go = (): void => {
            for (const event of ["drain", "close"]) child.stdin.off(event, go);
            resolve();
          };
          for (const event of ["drain", "close"]) child.stdin.once(event, go);
        });
      }
      peakBytes = Math.max(peakBytes, residentPeak(child.pid ?? 0));
    }
    child.stdin.end();
    expect(JSON.parse(await ended)).toMatchObject({ hookSpecificOutput: { permissionDecision: "ask" } });
    // A host whose write breaks off would take the call for one that failed.
    expect(isOpen).toBe(true);
    expect(peakBytes).toBeLessThan(maxMebibytes * MEBIBYTE);
  });

  it.each([
    ["", (values: string) => `{"tool_name":"Bash","tool_input":{"command":"rm -rf ~","x":[${values}]}}`],
    ["as text", (values: string) => JSON.stringify({ tool_name: "Bash", tool_input: `{"x":[${values}]}` })],
  ])("asks about more values than an engine can hold %s", async (_, payloadOf) => {
    for (const value of ["[]", '{"a":{}}']) {
      const input = payloadOf(new Array(Math.floor((6 * MEBIBYTE) / (value.length + 1))).fill(value).join());
      const { code, stdout, stderr } = await runProgram(argv, ["pre-tool-use"], { ...place(), input });
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "ask" } });
      expect(stderr).toContain("the payload is larger than 500000 values");
    }
  });

  it("still decides where nothing can be written", async () => {
    const { home, cwd } = place();
    writeFileSync(join(cwd, "plain"), "");
    const asFile = temporaryDirectory();
    writeFileSync(join(asFile, ".claude"), "not a directory");
    for (const directory of [asFile, readOnly()]) {
      const { code, stdout, stderr } = await runProgram(argv, ["post-tool-use"], {
        home,
        cwd: directory,
        input: POST,
      });
      const { systemMessage = "", ...rest } = JSON.parse(stdout) as { systemMessage?: string };
      expect([code, rest]).toEqual([0, {}]);
      if (directory !== asFile) continue;
      expect(stderr).toContain("cannot be written");
      expect(systemMessage).toContain("cannot be written");
    }
  });

  it.each(BROKEN)("tells in its answers that it is only partly working: %s", async (_, path, kind, words) => {
    const { home, cwd } = place();
    breakAt(join(home, path), kind);
    const call = async (event: string, more: object) => {
      const input = JSON.stringify({ hook_event_name: event, session_id: "s1", cwd, ...more });
      const subcommand = event === "SessionStart" ? "session-start" : "pre-tool-use";
      const { stdout, code } = await runProgram(argv, [subcommand], { home, cwd, input });
      expect(code).toBe(0);
      return (JSON.parse(stdout) as { systemMessage?: string }).systemMessage ?? "";
    };
    const push = { tool_name: "Bash", tool_input: { command: "git push --force" } };
    const told = [
      await call("SessionStart", { source: "startup" }),
      await call("PreToolUse", push),
      await call("PreToolUse", push),
      await call("PreToolUse", push),
    ];
    // Once each: the last call has nothing new to tell.
    expect([told.some(text => text.includes(words)), told[3]]).toEqual([true, ""]);
  });
}

type Breakage = "folder" | "pipe" | "link to nothing" | "file" | "not JSON";

/** What stands in the wrong place or cannot be read, and what the person is told of it. */
const BROKEN: readonly (readonly [string, string, Breakage, string])[] = [
  ["the log of runs is a folder", ".amplihack/logs/runs.jsonl", "folder", "this run is not recorded"],
  ["the log of runs is a pipe", ".amplihack/logs/runs.jsonl", "pipe", "this run is not recorded"],
  ["the log of runs is a link", ".amplihack/logs/runs.jsonl", "link to nothing", "this run is not recorded"],
  ["the audit log is a folder", ".amplihack/logs/audit.jsonl", "folder", "audit line was not written"],
  ["the audit log is a pipe", ".amplihack/logs/audit.jsonl", "pipe", "audit line was not written"],
  ["the folder of logs is a file", ".amplihack/logs", "file", "this run is not recorded"],
  [
    "the log of a hook is a folder",
    "project/.claude/runtime/logs/pre_tool_use.log",
    "folder",
    "the log cannot",
  ],
  ["permissions are no JSON", ".amplihack/guard/allow-once.json", "not JSON", "its codes no longer count"],
  ["permissions are a pipe", ".amplihack/guard/allow-once.json", "pipe", "cannot be shown"],
  ["permissions are a folder", ".amplihack/guard/allow-once.json", "folder", "cannot be shown"],
  ["the key is none", ".amplihack/guard/machine.key", "not JSON", "is replaced"],
  ["the key is a pipe", ".amplihack/guard/machine.key", "pipe", "is replaced"],
  ["hooks are a pipe", ".amplihack/hooks.jsonc", "pipe", "hooks.jsonc is not a file"],
  ["hooks are a folder", ".amplihack/hooks.jsonc", "folder", "hooks.jsonc is not a file"],
  ["hooks are a link to nothing", ".amplihack/hooks.jsonc", "link to nothing", "hooks.jsonc is not a file"],
  ["the folder of hooks is a file", ".amplihack/hooks", "file", "hooks is not a folder"],
  ["hooks of the project are a pipe", "project/.amplihack/hooks.jsonc", "pipe", "hooks.jsonc is not a file"],
];

function breakAt(path: string, kind: Breakage): void {
  mkdirSync(dirname(path), { recursive: true });
  if (kind === "folder") mkdirSync(path);
  else if (kind === "pipe") execFileSync("mkfifo", [path]);
  else if (kind === "link to nothing") symlinkSync("nowhere", path);
  else writeFileSync(path, kind === "file" ? "" : "{{");
}

function readOnly(): string {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, ".claude"));
  chmodSync(join(directory, ".claude"), 0o500);
  return directory;
}

function residentPeak(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Waits until the process has started a child of its own. */
async function untilParent(pid: number): Promise<void> {
  const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  await expect.poll(children, { timeout: 200_000, interval: 5 }).not.toBe("");
}
