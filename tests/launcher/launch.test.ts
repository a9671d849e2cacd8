import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOSTS } from "../../src/exports/hosts.ts";
import { registerEntries, wantedEntries } from "../../src/install/hook-entries.ts";
import { buildProgram, LaunchMachine } from "./launch-machine.ts";

const program = buildProgram();
const HOUR = 60 * 60;

function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** The pid of a process that has just ended. */
function deadPid(): number {
  return spawnSync("true").pid;
}

function claim(machine: LaunchMachine, record: unknown): string {
  const path = join(machine.home, ".claude/runtime/session.json");
  return machine.write(path, typeof record === "string" ? record : JSON.stringify(record));
}

/** Settings as `install` leaves them, with a hook program that is there. */
function register(machine: LaunchMachine, change: (text: string) => string = text => text): string {
  const hooks = machine.script(join(machine.home, ".amplihack/.claude/bin/amplihack-hooks"), "exit 0");
  const layout = HOSTS["claude-code"].registration?.layout;
  if (layout === undefined) throw new Error("Claude Code has no layout");
  const edited = registerEntries(
    "{}\n",
    layout,
    wantedEntries("claude-code", { program: hooks, isShared: true }),
  );
  if (!edited.ok) throw new Error(edited.problem);
  return machine.write(join(machine.home, ".claude/settings.json"), change(edited.text));
}

describe("finding the agent", () => {
  it("takes AMPLIHACK_CLAUDE_BINARY_PATH before CLAUDE_BINARY_PATH before PATH", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo from PATH");
    machine.agent("second", "echo second");
    machine.agent("first", "echo first");
    expect(machine.run("claude").stdout).toBe("from PATH\n");
    machine.env["CLAUDE_BINARY_PATH"] = join(machine.bin, "second");
    expect(machine.run("claude").stdout).toBe("second\n");
    machine.env["AMPLIHACK_CLAUDE_BINARY_PATH"] = join(machine.bin, "first");
    expect(machine.run("claude").stdout).toBe("first\n");
  });

  it("is an error when a variable names nothing usable, whatever PATH holds", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo started");
    machine.env["AMPLIHACK_CLAUDE_BINARY_PATH"] = "/nope";
    const { code, stdout, stderr } = machine.run("claude");
    expect([code, stdout]).toEqual([127, ""]);
    expect(stderr).toContain("AMPLIHACK_CLAUDE_BINARY_PATH");
  });

  it("passes over empty and relative entries of PATH, directories, and files that are not executable", () => {
    const machine = new LaunchMachine(program);
    machine.script(join(machine.project, "claude"), "echo from the working directory");
    mkdirSync(join(machine.home, "a/claude"), { recursive: true });
    machine.write(join(machine.home, "b/claude"), "#!/bin/sh\n");
    machine.agent("claude", "echo right");
    machine.env["PATH"] = `:.:${machine.home}/a:${machine.home}/b:${machine.env["PATH"]}`;
    expect(machine.run("claude").stdout).toBe("right\n");
  });

  it("looks into the usual places after PATH", () => {
    const machine = new LaunchMachine(program);
    machine.script(join(machine.home, ".npm-global/bin/claude"), "echo found");
    expect(machine.run("claude").stdout).toBe("found\n");
  });

  it("never starts itself through a link or a script of the agent's name", () => {
    const machine = new LaunchMachine(program);
    const shims = join(machine.home, "shims");
    machine.script(join(shims, "claude"), 'exec amplihack claude "$@"');
    mkdirSync(join(machine.home, "links"));
    symlinkSync(program, join(machine.home, "links/claude"));
    machine.script(
      join(machine.home, "node-shims/claude"),
      'require("node:child_process").spawnSync("amplihack", ["claude", ...process.argv.slice(2)]);',
    );
    machine.script(
      join(machine.home, "staged/claude"),
      `exec '/usr/bin/node' '/opt/amplihack/dist/bin/amplihack.cjs' "$@"`,
    );
    const before = ["node-shims", "staged", "links"].map(name => join(machine.home, name)).join(":");
    machine.env["PATH"] = `${shims}:${before}:${machine.env["PATH"]}`;
    expect(machine.run("claude").code).toBe(127);
    machine.agent("claude", "echo the real one");
    expect(machine.run("claude").stdout).toBe("the real one\n");
  });

  it("prefers rustyclawd only when asked", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo claude");
    machine.agent("rustyclawd", "echo rusty");
    expect(machine.run("claude").stdout).toBe("claude\n");
    machine.env["AMPLIHACK_PREFER_RUSTYCLAWD"] = "1";
    expect(machine.run("claude").stdout).toBe("rusty\n");
  });
});

describe("the agent's version", () => {
  it("is asked once for one file, and again when the file changes", () => {
    const machine = new LaunchMachine(program);
    const path = machine.script(
      join(machine.bin, "claude"),
      `[ "$1" = --version ] && { echo asked >>${machine.home}/asked; printf '\\033[1mclaude\\033[0m 2.0.1-beta.1 (x)\\n'; }`,
    );
    const asked = (): number => readFileSync(join(machine.home, "asked"), "utf8").length / "asked\n".length;
    expect(machine.run("claude", "--dry-run").stdout).toContain("claude 2.0.1-beta.1\n");
    machine.run("claude", "--dry-run");
    expect(asked()).toBe(1);
    utimesSync(path, 1, 1);
    machine.run("claude", "--dry-run");
    expect(asked()).toBe(2);
  });

  it("may be unknown: a warning, and the launch goes on", () => {
    const machine = new LaunchMachine(program);
    machine.script(join(machine.bin, "claude"), '[ "$1" = --version ] && exit 1; echo started');
    const { stdout, stderr } = machine.run("claude");
    expect(stdout).toBe("started\n");
    expect(stderr).toContain("version of claude is unknown");
  });

  it("below the wanted one is a warning, with --strict-version an error", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo started", "1.9.0");
    machine.env["AMPLIHACK_MIN_CLAUDE_VERSION"] = "1.10.0";
    const lenient = machine.run("claude");
    expect(lenient.stdout).toBe("started\n");
    expect(lenient.stderr).toContain("older than 1.10.0");
    const strict = machine.run("claude", "--strict-version");
    expect([strict.code, strict.stdout]).toEqual([1, ""]);
    machine.env["AMPLIHACK_MIN_CLAUDE_VERSION"] = "1.9.0";
    expect(machine.run("claude", "--strict-version").code).toBe(0);
  });
});

describe("the oldest version in which the hooks are known to work", () => {
  it("is asked for with --strict-version, unless the variable says another", () => {
    const machine = new LaunchMachine(program);
    machine.agent("codex", "echo started", "0.100.0");
    expect(machine.run("codex")).toMatchObject({ code: 0, stdout: "started\n" });
    expect(machine.run("codex").stderr).not.toContain("older");
    const strict = machine.run("codex", "--strict-version");
    expect([strict.code, strict.stdout]).toEqual([1, ""]);
    expect(strict.stderr).toContain("codex 0.100.0 is older than 0.166.0");
    machine.env["AMPLIHACK_MIN_CODEX_VERSION"] = "0.99.0";
    expect(machine.run("codex", "--strict-version").code).toBe(0);
  });

  it("is not known of every agent", () => {
    const machine = new LaunchMachine(program);
    machine.agent("amplifier", "echo started", "0.0.1");
    expect(machine.run("amplifier", "--strict-version")).toMatchObject({ code: 0, stdout: "started\n" });
  });
});

describe("the words of a launch", () => {
  it("go to the agent unchanged from the first that is not ours", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", 'for word in "$@"; do printf "<%s>" "$word"; done');
    const { stdout } = machine.run(
      "claude",
      "--no-reflection",
      "-p",
      "a b",
      "--cwd",
      "/x",
      "--",
      "--dry-run",
      "",
    );
    expect(stdout).toBe("<-p><a b><--cwd></x><--><--dry-run><>");
    expect(machine.run("claude", "--", "--version").stdout).toBe("claude 1.2.3\n");
    expect(machine.run("launch", "--resume", "id").stdout).toBe("<--resume><id>");
    expect(machine.run("claude", "--resume=id").stdout).toBe("<--resume=id>");
    expect(machine.run("claude", "--continue-session").stdout).toBe("<--continue>");
    expect(machine.run("claude", "--skip-permissions").stdout).toBe("<--dangerously-skip-permissions>");
  });

  it("of other agents keep options that only Claude Code has", () => {
    const machine = new LaunchMachine(program);
    machine.agent("codex", 'echo "$@"');
    expect(machine.run("codex", "--resume", "--skip-permissions").stdout).toBe(
      "--resume --skip-permissions\n",
    );
  });

  it("must not contradict each other", () => {
    const machine = new LaunchMachine(program);
    expect(machine.run("claude", "--reflection", "--no-reflection").code).toBe(2);
  });

  it.each(["copilot", "codex", "amplifier", "gemini", "opencode", "pi"])("start %s as well", agent => {
    const machine = new LaunchMachine(program);
    machine.agent(agent, 'echo "$AMPLIHACK_AGENT_BINARY"');
    expect(machine.run(agent).stdout).toBe(`${agent}\n`);
  });
});

describe("a trial", () => {
  it("with --dry-run shows the plan, starts nothing and writes nothing into the project", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo started");
    const { code, stdout } = machine.run("claude", "--dry-run", "-p", "two words");
    expect(code).toBe(0);
    expect(stdout).toContain(join(machine.bin, "claude"));
    expect(stdout).toContain("-p 'two words'");
    expect(stdout).not.toContain("started");
    expect(readdirSync(join(machine.project, ".claude"))).toEqual([]);
    expect(existsSync(join(machine.home, ".claude"))).toBe(false);
  });

  it("fails with 1 when the agent is missing", () => {
    const machine = new LaunchMachine(program);
    expect(machine.run("claude", "--dry-run").code).toBe(1);
  });

  it("with --print-env shows what is added, never a value that is not ours", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "");
    Object.assign(machine.env, { CLAUDECODE: "1", API_KEY: "hunter2", AMPLIHACK_NODE_HEAP_MB: "64" });
    const { stdout } = machine.run("claude", "--print-env");
    expect(stdout).toContain("- CLAUDECODE\n");
    expect(stdout).toContain("+ AMPLIHACK_AGENT_BINARY=claude\n");
    expect(stdout).toContain("+ NODE_OPTIONS\n");
    expect(stdout).toContain(`argv: ${join(machine.bin, "claude")}\n`);
    expect(stdout).not.toContain("hunter2");
  });
});

describe("the environment of a real agent", () => {
  it("has our directories first and once, and not what is removed", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "env");
    const local = join(machine.home, ".local/bin");
    machine.env["CLAUDECODE"] = "1";
    machine.env["PATH"] = `${machine.env["PATH"]}:${local}/`;
    const { stdout } = machine.run("claude");
    expect(stdout).not.toContain("CLAUDECODE");
    expect(stdout).toContain("AMPLIHACK_NONINTERACTIVE=1\n");
    const path = /^PATH=(.*)$/m.exec(stdout)?.[1]?.split(":") ?? [];
    expect(path.slice(0, 2)).toEqual([join(machine.home, ".amplihack/.claude/bin"), local]);
    expect(path.filter(entry => entry.startsWith(local))).toHaveLength(1);
  });

  it("refuses an engine that does not exist", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo started");
    machine.env["AMPLIHACK_HOOK_ENGINE"] = "auto";
    expect(machine.run("claude")).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("a launch inside of another", () => {
  it("inherits the session and is one deeper", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", 'echo "$AMPLIHACK_SESSION_ID $AMPLIHACK_DEPTH"');
    Object.assign(machine.env, { AMPLIHACK_SESSION_ID: "outer", AMPLIHACK_DEPTH: "2" });
    const { stdout, stderr } = machine.run("claude");
    expect(stdout).toBe("outer 3\n");
    expect(stderr).toContain("nested inside of another");
    expect(machine.sessions()[0]).toMatchObject({ is_nested: true, parent_session_id: "outer" });
  });

  it.each([
    ["6", undefined, 1],
    ["5", undefined, 0],
    ["6", "7", 0],
    ["32", "100", 1],
    ["many", undefined, 1],
    ["1", "none", 1],
  ])("at depth %s with a limit of %s ends with %i", (depth, limit, code) => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "exit 0");
    Object.assign(machine.env, { AMPLIHACK_SESSION_ID: "outer", AMPLIHACK_DEPTH: depth });
    if (limit !== undefined) machine.env["AMPLIHACK_MAX_DEPTH"] = limit;
    expect(machine.run("claude").code).toBe(code);
  });

  it("is known from the log of the project, by the latest session here that lives", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", 'echo "$AMPLIHACK_SESSION_ID $AMPLIHACK_DEPTH"');
    const line = (id: string, pid: number, second: number, more: object = {}): string =>
      `${JSON.stringify({
        session_id: id,
        pid,
        launch_dir: machine.project,
        start_time: `2026-01-01T00:00:0${second}Z`,
        status: "active",
        ...more,
      })}\n`;
    machine.write(
      join(machine.project, ".claude/runtime/sessions.jsonl"),
      [
        line("late", process.pid, 9, { parent_session_id: "older" }),
        line("early", process.pid, 1),
        line("dead", deadPid(), 9),
        line("elsewhere", process.pid, 9, { launch_dir: "/" }),
        line("done", process.pid, 9),
        `${JSON.stringify({ session_id: "done", status: "completed" })}\n`,
        "not json\n",
      ].join(""),
    );
    expect(machine.run("claude").stdout).toBe("late 3\n");
  });

  it("closes its own record, not the one of the session around it", () => {
    const machine = new LaunchMachine(program);
    machine.agent("codex", "exit 0");
    machine.agent("claude", `amplihack-inner codex; cat .claude/runtime/sessions.jsonl`);
    machine.script(join(machine.bin, "amplihack-inner"), `exec ${process.execPath} ${program} "$@"`);
    const lines = machine
      .run("claude")
      .stdout.trimEnd()
      .split("\n")
      .map(line => JSON.parse(line) as Record<string, unknown>);
    const [outer, inner, closed] = lines;
    expect(inner).toMatchObject({ session_id: outer?.["session_id"], is_nested: true });
    expect(closed).toMatchObject({ pid: inner?.["pid"], status: "completed" });
  });
});

describe("the user's session.json", () => {
  it("of a dead process and two hours old is replaced", () => {
    const machine = new LaunchMachine(program);
    const path = claim(machine, { session_id: "old", pid: deadPid(), timestamp: now() - 2 * HOUR });
    machine.agent("claude", `cat ${path}; echo "$AMPLIHACK_DEPTH"`);
    const { code, stdout } = machine.run("claude");
    expect(code).toBe(0);
    expect(stdout).not.toContain("old");
    expect(stdout).toMatch(/"session_id":"rs-.*\n1\n$/);
    expect(existsSync(path)).toBe(false);
  });

  it("of a process that died lately is kept, and told", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", 'echo "$AMPLIHACK_SESSION_ID"');
    const path = claim(machine, { session_id: "young", pid: deadPid(), timestamp: now() - 60 });
    const { stdout, stderr } = machine.run("claude");
    expect(stdout).toBe("young\n");
    expect(stderr).toContain("whose process is gone");
    expect(existsSync(path)).toBe(true);
  });

  it("of a living process makes this a nested launch, unless that process is another of the same number", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", 'echo "$AMPLIHACK_SESSION_ID"');
    const record = { session_id: "living", pid: process.pid, timestamp: now() - 2 * HOUR };
    claim(machine, record);
    expect(machine.run("claude").stdout).toBe("living\n");
    claim(machine, { ...record, pid_start: "not this one" });
    expect(machine.run("claude").stdout).toMatch(/^rs-/);
  });

  it.each(["{", "[]", '{"session_id":"x"}'])("that cannot be used (%s) is told and counts as none", text => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", 'echo "$AMPLIHACK_DEPTH"');
    claim(machine, text);
    const { stdout, stderr } = machine.run("claude");
    expect(stdout).toBe("1\n");
    expect(stderr).toContain("session.json is ignored");
  });

  it("stays whole when two launches begin at once, and both run", async () => {
    const machine = new LaunchMachine(program);
    const path = join(machine.home, ".claude/runtime/session.json");
    machine.agent("claude", "echo started; read -r line; exit 0");
    const both = [machine.start("claude"), machine.start("claude")];
    await Promise.all(both.map(each => each.printed("started")));
    expect(JSON.parse(readFileSync(path, "utf8"))).toHaveProperty("session_id");
    for (const each of both) each.child.stdin?.end("\n");
    expect((await Promise.all(both.map(each => each.end()))).map(({ code }) => code)).toEqual([0, 0]);
    expect(existsSync(path)).toBe(false);
  });
});

describe("the settings of the host", () => {
  it("as install leaves them are passed in silence", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "exit 0");
    register(machine);
    expect(machine.run("claude")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("with foreign hooks are not judged", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "exit 0");
    register(machine, text => {
      const settings = JSON.parse(text) as { hooks: Record<string, unknown[]> };
      settings.hooks["Stop"]?.push({
        hooks: [{ type: "command", command: "/work/amplihack-notes/check.sh" }],
      });
      return JSON.stringify(settings);
    });
    expect(machine.run("claude").stderr).toBe("");
  });

  it("that are no JSON stop the launch, with line and column, and stay as they are", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo started");
    const text = '{\n  "hooks": oops\n}';
    const path = machine.write(join(machine.home, ".claude/settings.json"), text);
    const { code, stdout, stderr } = machine.run("claude");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${path}: line 2, column 12`);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(existsSync(join(machine.project, ".claude/runtime"))).toBe(false);
  });

  it.each<[string, (text: string) => string, string]>([
    [
      "missing entries",
      text => text.replace(/"PreCompact": \[[^\]]*\][^\]]*\],?/, ""),
      "no entry for PreCompact",
    ],
    ["a moved program", text => text.replaceAll("/.amplihack/.claude/bin/", "/.local/bin/"), "is missing"],
    [
      "a script of an earlier version",
      text => text.replace(/"[^"]*amplihack-hooks stop"/, '"~/.claude/tools/amplihack/hooks/stop.py"'),
      "earlier version",
    ],
    [
      "a hook that does not exist",
      text => text.replace("amplihack-hooks stop", "amplihack-hooks stopp"),
      "does not exist",
    ],
  ])("with %s give one warning and the command to run", (_, change, message) => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo started");
    register(machine, change);
    const { code, stdout, stderr } = machine.run("claude");
    expect([code, stdout]).toEqual([0, "started\n"]);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain("amplihack install --host claude");
  });

  it("that run somebody else's program as ours stop the launch, unless that is allowed", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo started");
    const evil = machine.script(join(machine.project, "node_modules/.bin/amplihack-hooks"), "exit 0");
    machine.env["PATH"] = `${dirname(evil)}:${machine.env["PATH"]}`;
    const hook = { type: "command", command: `${evil} pre-tool-use` };
    machine.write(
      join(machine.project, ".claude/settings.json"),
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: "*", hooks: [hook] }] } }),
    );
    const { code, stdout, stderr } = machine.run("claude");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(evil);
    expect(machine.run("claude", "--allow-untrusted-hooks").stdout).toBe("started\n");
  });

  it.each([
    ["a comment", '{\n  "model": "x" // mine\n}', "line 2, column 16"],
    ["a trailing comma", '{\n  "model": "x",\n}', "line 3, column 1"],
  ])("with %s stop the launch, because Claude Code would pass over all of them", (_, text, place) => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo started");
    const path = machine.write(join(machine.home, ".claude/settings.json"), text);
    const { code, stdout, stderr } = machine.run("claude");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${path}: ${place}: claude-code ignores`);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("with comments are right for hosts that read them", () => {
    const machine = new LaunchMachine(program);
    machine.agent("copilot", "echo started");
    machine.write(
      join(machine.home, ".copilot/hooks/amplihack.json"),
      '// mine\n{ "version": 1, "hooks": {}, }',
    );
    expect(machine.run("copilot")).toMatchObject({ code: 0, stdout: "started\n" });
  });

  it("are read from the project's personal file too", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo started");
    const text = readFileSync(register(machine), "utf8");
    const personal = machine.write(join(machine.project, ".claude/settings.local.json"), text);
    expect(machine.run("claude").stderr).toContain("runs twice");
    machine.write(personal, text.replaceAll(join(machine.home, ".amplihack/.claude/bin"), machine.project));
    const tampered = machine.run("claude");
    expect([tampered.code, tampered.stdout]).toEqual([1, ""]);
    expect(tampered.stderr).toContain(`${personal}: ${machine.project}/amplihack-hooks`);
    machine.write(personal, "{\n  oops");
    expect(machine.run("claude").stderr).toContain(`${personal}: line 2, column 3`);
    machine.write(personal, '{ "permissions": {} }');
    expect(machine.run("claude")).toEqual({ code: 0, stdout: "started\n", stderr: "" });
  });

  it("whose program everybody may change stop the launch", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "echo started");
    register(machine);
    chmodSync(join(machine.home, ".amplihack/.claude/bin/amplihack-hooks"), 0o777);
    expect(machine.run("claude")).toMatchObject({ code: 1, stdout: "" });
  });

  it("were written by another version: one hint", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "exit 0");
    register(machine);
    machine.write(join(machine.home, ".amplihack/.installed-version"), "0.0.1");
    expect(machine.run("claude").stderr).toMatch(
      /^amplihack: hooks were installed by amplihack 0\.0\.1.*run: amplihack install --host claude\n$/,
    );
  });

  it("were written by a newer version: a hint that does not advise to go back", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "exit 0");
    register(machine);
    machine.write(join(machine.home, ".amplihack/.installed-version"), "99.0.0");
    const { stderr } = machine.run("claude");
    expect(stderr).toMatch(/^amplihack: hooks were installed by amplihack 99\.0\.0, this is [\d.]+\n$/);
  });
});

describe("the check for updates", () => {
  it("is skipped, with a line, where nobody sits at a terminal", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "exit 0");
    register(machine);
    delete machine.env["AMPLIHACK_NO_UPDATE_CHECK"];
    const line = "amplihack: skipping update check (subprocess-safe / no TTY)\n";
    expect(machine.run("claude").stderr).toBe(line);
    expect(machine.run("claude", "--skip-update-check").stderr).toBe("");
    expect(machine.run("claude", "--dry-run").stderr).toBe("");
  });
});

describe("--checkout-repo", () => {
  function withRepository(): LaunchMachine {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "pwd");
    const origin = join(machine.home, "github/acme/tool.git");
    mkdirSync(origin, { recursive: true });
    spawnSync("git", ["init", "--quiet", "--bare", origin], { env: machine.env });
    machine.write(
      join(machine.home, ".gitconfig"),
      `[url "file://${machine.home}/github/"]\n  insteadOf = https://github.com/\n`,
    );
    return machine;
  }

  it("clones and starts there, and the next time reuses the clone", () => {
    const machine = withRepository();
    const expected = `${join(machine.project, "tool")}\n`;
    expect(machine.run("claude", "--checkout-repo", "acme/tool").stdout).toBe(expected);
    machine.write(join(machine.project, "tool/mine"), "");
    expect(machine.run("claude", "--checkout-repo", "https://github.com/acme/tool").stdout).toBe(expected);
    expect(existsSync(join(machine.project, "tool/mine"))).toBe(true);
  });

  it("leaves a directory of the same name alone", () => {
    const machine = withRepository();
    machine.write(join(machine.project, "tool/mine"), "");
    const { code, stderr } = machine.run("claude", "--checkout-repo", "acme/tool");
    expect(code).toBe(1);
    expect(stderr).toContain("is not a clone of acme/tool");
  });

  it.each(["https://example.com/a/b", "--upload-pack=x/y", "a/b/c", "../x", "file:///etc/x", "a/.."])(
    "refuses %s",
    name => {
      const machine = withRepository();
      expect(machine.run("claude", `--checkout-repo=${name}`).code).toBe(2);
    },
  );
});
