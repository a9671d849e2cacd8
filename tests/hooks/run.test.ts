import { describe, expect, it } from "vitest";
import { INPUT_LIMIT_BYTES, openRun } from "../../src/hooks/program/run.ts";
import { resolveSubcommand } from "../../src/hosts/subcommands.ts";
import type { Hook } from "../../src/protocol/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import type { System } from "../../src/system/system.ts";
import { callProgram } from "./call-program.ts";

const OF_CLAUDE = { "/home/user/project/.claude": { kind: "directory" } } as const;
const TOOL = {
  session_id: "s1",
  cwd: "/home/user/project",
  tool_name: "Bash",
  tool_input: { command: "ls" },
};
const post = (more = {}) => JSON.stringify({ hook_event_name: "PostToolUse", ...TOOL, ...more });
const pre = (more = {}) => JSON.stringify({ hook_event_name: "PreToolUse", ...TOOL, ...more });
const closed = { HOME: "/home/user", AMPLIHACK_FAILURE_POLICY: "closed" };

describe("an ordinary call", () => {
  it("answers with one object, exit 0 and one telemetry line at the end of stderr", async () => {
    const { code, stdout, telemetry } = await callProgram(["post-tool-use"], { stdin: post() });
    expect([code, stdout]).toEqual([0, "{}\n"]);
    expect(telemetry).toEqual({ hook: "post_tool_use", duration_us: expect.any(Number), result: "ok" });
  });

  it("is recorded with host, event, decision, session and project", async () => {
    const { system } = await callProgram(["post-tool-use"], { stdin: post() });
    const [line = ""] = (system.peek("/home/user/.amplihack/logs/runs.jsonl") ?? "").split("\n");
    expect(JSON.parse(line)).toMatchObject({
      hook: "post_tool_use",
      host: "claude-code",
      event: "PostToolUse",
      decision: "none",
      rules: [],
      session: "s1",
      project: "/home/user/project",
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  it("is not recorded when it is a trial of doctor, which is no sign of a host", async () => {
    const stdin = post({ session_id: "amplihack-doctor" });
    const { code, stdout, system } = await callProgram(["post-tool-use"], { stdin });
    expect([code, stdout]).toEqual([0, "{}\n"]);
    expect(system.peek("/home/user/.amplihack/logs/runs.jsonl")).toBeUndefined();
  });

  it.each<[string, object, string?]>([
    ["Notification", { message: "hello" }],
    ["PermissionRequest", { tool_name: "Bash", tool_input: { command: "ls" } }],
    ["SubagentStart", {}],
    ["PostToolBatch", {}],
    ["SomethingNew", {}, "post-tool-use"],
  ])(
    "is recorded with its session, too, when no stock hook serves %s",
    async (event, more, subcommand = event) => {
      const stdin = JSON.stringify({
        hook_event_name: event,
        session_id: "s1",
        cwd: "/home/user/project",
        ...more,
      });
      const { system, code } = await callProgram([subcommand], { stdin });
      const [line = ""] = (system.peek("/home/user/.amplihack/logs/runs.jsonl") ?? "").split("\n");
      expect(code).toBe(0);
      expect(JSON.parse(line)).toMatchObject({ session: "s1", project: "/home/user/project" });
    },
  );

  it("leaves one line in the hook's own log, with the payload's member names and nothing they hold", async () => {
    const { system } = await callProgram(["pre-tool-use"], { stdin: pre(), files: OF_CLAUDE });
    const log = system.peek("/home/user/project/.claude/runtime/logs/pre_tool_use.log") ?? "";
    expect(log).toMatch(/^\[[^\]]+\] INFO: PreToolUse from claude-code, .*keys hook_event_name, session_id/m);
    expect(log).not.toContain("ls");
    expect(system.files.inspect("/home/user/project/.claude/runtime/logs")?.mode).toBe(0o700);
  });

  it("leaves the error in the log when it could not be checked", async () => {
    const { system, stderr } = await callProgram(["pre-tool-use"], { stdin: "junk", files: OF_CLAUDE });
    const path = "/home/user/project/.claude/runtime/logs/pre_tool_use.log";
    const log = system.peek(path);
    expect(stderr).toContain(`error; log: ${path}\n`);
    expect(log).toMatch(/ERROR: stdin is not JSON/);
  });

  it("never shows payload text in telemetry or records", async () => {
    const secret = "hunter2-hunter2";
    const { stderr, system } = await callProgram(["post-tool-use"], {
      stdin: post({ tool_input: { command: `echo ${secret}` } }),
    });
    expect(stderr).not.toContain(secret);
    expect(system.peek("/home/user/.amplihack/logs/runs.jsonl")).not.toContain(secret);
  });

  it.each([
    "stop",
    "agentStop",
    "session-end",
    "sessionEnd",
    "session-stop-event",
    "user-prompt",
    "Notification",
    "worktree-remove",
    "beforeShellExecution",
  ])("serves %s", async name => {
    const stdin = JSON.stringify({ ...TOOL, session_id: "s1" });
    const { code, telemetry } = await callProgram([name], { stdin });
    expect([code, telemetry["result"]]).toEqual([0, expect.stringMatching(/ok|error/)]);
  });

  it("takes an event without a stock hook for a no-op", async () => {
    const { code, stdout, telemetry } = await callProgram(["teammate-idle"], { stdin: "{}" });
    expect([code, stdout, telemetry["result"], telemetry["hook"]]).toEqual([
      0,
      "{}\n",
      "ok",
      "teammate_idle",
    ]);
  });
});

describe("a refused call", () => {
  it("is denied in the host's words with exit 0, told on stderr, and recorded with its rules", async () => {
    const stdin = pre({ tool_input: { command: "rm -rf ~" } });
    const { code, stdout, stderr, system } = await callProgram(["pre-tool-use"], { stdin });
    expect(code).toBe(0);
    const { permissionDecision, permissionDecisionReason } = JSON.parse(stdout).hookSpecificOutput;
    expect(permissionDecision).toBe("deny");
    expect(permissionDecisionReason).toContain("fs.home");
    expect(stderr).toContain(permissionDecisionReason);
    const record = JSON.parse(
      (system.peek("/home/user/.amplihack/logs/runs.jsonl") ?? "").split("\n")[0] ?? "",
    );
    expect(record).toMatchObject({
      decision: "deny",
      rules: expect.arrayContaining(["fs.home"]),
      result: "ok",
    });
    expect(system.peek("/home/user/.amplihack/logs/audit.jsonl")).toContain("fs.home");
  });
});

describe("a payload that reached the wrong hook", () => {
  it("is answered with no opinion", async () => {
    const { stdout, telemetry } = await callProgram(["post-tool-use"], { stdin: pre() });
    expect([stdout, telemetry["result"]]).toEqual(["{}\n", "ok"]);
  });

  it("lets the agent stop", async () => {
    const { stdout } = await callProgram(["stop"], { stdin: pre() });
    expect(JSON.parse(stdout)).toEqual({ decision: "approve" });
  });
});

describe("a payload that cannot be read", () => {
  const broken: readonly (readonly [string, string | Uint8Array])[] = [
    ["not JSON", "no json"],
    ["a truncated object", '{"tool_name":"Bash"'],
    ["an array", "[]"],
    ["null", "null"],
    ["a string", '"x"'],
    ["no tool name", JSON.stringify({ tool_input: {} })],
    ["no tool input", JSON.stringify({ tool_name: "Bash" })],
    ["blank stdin", " \n"],
  ];

  it.each(broken)("%s fails open by default, visibly", async (_, stdin) => {
    const { code, stdout, stderr, telemetry } = await callProgram(["pre-tool-use"], { stdin });
    expect([code, stdout, telemetry["result"]]).toEqual([0, "{}\n", "error"]);
    expect(stderr).toContain("could not check");
  });

  it.each(broken)("%s is refused under a closed policy", async (_, stdin) => {
    const { code, stdout, stderr } = await callProgram(["pre-tool-use"], { stdin, env: closed });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("could not check");
  });

  it("becomes a question under the policy ask", async () => {
    const env = { HOME: "/home/user", AMPLIHACK_FAILURE_POLICY: "pre-tool-use=ask" };
    const { code, stdout } = await callProgram(["pre-tool-use"], { stdin: "junk", env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "ask" } });
  });

  it.each(["post-tool-use", "stop", "session-start", "session-stop"])(
    "never holds up %s, whatever the policy",
    async name => {
      const { code, telemetry } = await callProgram([name], { stdin: "junk", env: closed });
      expect([code, telemetry["result"]]).toEqual([0, "error"]);
    },
  );

  it("takes the policy from the user's configuration", async () => {
    const files = {
      "/home/user/.amplihack/config.jsonc": { content: '{"failure":{"pre-tool-use":"closed"}}', mode: 0o600 },
    };
    expect((await callProgram(["pre-tool-use"], { stdin: "junk", files })).code).toBe(2);
    expect((await callProgram(["user-prompt-submit"], { stdin: "junk", files })).code).toBe(0);
  });

  it("survives a byte order mark, trailing commas, trailing text and invalid UTF-8", async () => {
    const encode = (text: string) => new TextEncoder().encode(text);
    const invalid = new Uint8Array([
      ...encode(post().slice(0, -1)),
      ...encode(',"note":"'),
      0xff,
      0xfe,
      ...encode('"}'),
    ]);
    for (const stdin of [`\uFEFF${post()}`, post().replace(/}$/, ",}"), `${post()} trailing`, invalid]) {
      expect((await callProgram(["post-tool-use"], { stdin })).telemetry["result"]).toBe("ok");
    }
  });
});

describe("a payload over the size limit", () => {
  const stdin = { kind: "too-large", limitBytes: INPUT_LIMIT_BYTES } as const;

  it("is a question before a tool, whatever the policy", async () => {
    for (const env of [{ HOME: "/home/user" }, closed]) {
      const { code, stdout } = await callProgram(["pre-tool-use"], { stdin, env });
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "ask" } });
    }
  });

  it("is no reason to hold up anything else", async () => {
    const { stdout, telemetry } = await callProgram(["post-tool-use"], { stdin });
    expect([stdout, telemetry["result"]]).toEqual(["{}\n", "error"]);
  });
});

describe("a session that is being taken down", () => {
  const env = { HOME: "/home/user", AMPLIHACK_SHUTDOWN_IN_PROGRESS: "1" };

  it("lets the agent stop at once, without reading anything", async () => {
    const { stdout, telemetry } = await callProgram(["stop"], { stdin: "junk", env });
    expect([JSON.parse(stdout), telemetry["result"]]).toEqual([{ decision: "approve" }, "ok"]);
  });

  it("is not a way round the guard", async () => {
    const { telemetry } = await callProgram(["pre-tool-use"], { stdin: "junk", env });
    expect(telemetry["result"]).toBe("error");
  });

  it("is announced by the value 1 alone", async () => {
    const other = { ...env, AMPLIHACK_SHUTDOWN_IN_PROGRESS: "true" };
    expect((await callProgram(["stop"], { stdin: "junk", env: other })).telemetry["result"]).toBe("error");
  });

  it("may have closed stdin", async () => {
    const files = { "/home/user/project/.claude/runtime/locks/.lock_active": "" };
    const where = { cwd: "/home/user/project", env: { HOME: "/home/user" }, files };
    const { stdout } = await callProgram(["stop"], { ...where, stdin: { kind: "closed" } });
    expect(JSON.parse(stdout)).toEqual({ decision: "approve" });
    const held = await callProgram(["stop"], { ...where, stdin: "" });
    expect(JSON.parse(held.stdout)).toMatchObject({ decision: "block" });
  });
});

describe("a closed stdin", () => {
  const stdin = { kind: "closed" } as const;

  it("is an empty payload for a hook that needs none", async () => {
    const { stdout } = await callProgram(["session-start"], { stdin });
    expect(stdout).toContain('"hookEventName":"SessionStart"');
  });

  it("is a malformed event for the guard", async () => {
    const { stdout, telemetry } = await callProgram(["pre-tool-use"], { stdin });
    expect([stdout, telemetry["result"]]).toEqual(["{}\n", "error"]);
    expect(telemetry["error"]).toMatch(/tool name/);
  });

  it("does not keep a host from speaking through the environment", async () => {
    const carried = { event: "pre_tool_use", tool_name: "bash", tool_args: '{"command":"rm -rf /"}' };
    const env = { HOME: "/home/user", ATOMCODE_HOOK_CONTEXT: JSON.stringify(carried) };
    const { stdout } = await callProgram(["pre-tool-use", "--host", "atomcode"], { stdin, env });
    expect(JSON.parse(stdout)).toMatchObject({ action: "block" });
  });
});

describe("a refusal in the words of hosts that tell their form by the payload", () => {
  const input = {
    tool_name: "bash",
    tool_input: { command: "rm -rf /" },
    session_id: "s",
    cwd: "/home/user/project",
  };
  it.each([
    ["atomcode", { ...input, hook_event_name: "PreToolUse", call_id: "c" }, { action: "block" }],
    ["amplifier", { ...input, hook_event_name: "tool:pre" }, { decision: "block" }],
    ["amplifier-shell", input, { decision: "block" }],
  ])("%s", async (host, payload, expected) => {
    const stdin = JSON.stringify(payload);
    const { stdout } = await callProgram(["pre-tool-use", "--host", host], { stdin });
    expect(JSON.parse(stdout)).toMatchObject(expected);
  });

  it("and nothing at all for AtomCode where there is no opinion", async () => {
    const payload = { ...input, tool_input: { command: "ls" }, hook_event_name: "PreToolUse", call_id: "c" };
    expect((await callProgram(["pre-tool-use"], { stdin: JSON.stringify(payload) })).stdout).toBe("");
  });

  it.each([
    ["pre-tool-use", { ...input, tool_input: { command: "ls" }, hook_event_name: "PreToolUse" }],
    ["pre-tool-use", { event: "pre_tool_use", tool_name: "bash", tool_args: '{"command":"ls"}' }],
    ["session-stop", { session_id: "s", hook_event_name: "SessionEnd", cwd: "/home/user/project" }],
  ])("but the allow of its older form where nothing tells of the present one: %s", async (name, payload) => {
    const stdin = JSON.stringify(payload);
    const { stdout } = await callProgram([name, "--host", "atomcode"], { stdin });
    expect(stdout).toBe('{"action":"allow"}\n');
  });
});

describe("places that cannot be written", () => {
  it.each([
    ["a full disk", "ENOSPC"],
    ["a read-only file system", "EROFS"],
    ["a directory of somebody else", "EACCES"],
  ])("%s does not stop the answer and is told in it and on stderr", async (_, code) => {
    const { stdout, stderr } = await callProgram(["post-tool-use"], { stdin: post() }, system =>
      system.faults.failUnder("/", code, ["append", "createExclusive", "makeDirectory"]),
    );
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(["systemMessage"]);
    expect(stdout).toContain(`the log cannot be written: cannot`);
    expect(stdout).toContain(code);
    expect(stderr).toContain(code);
  });

  it(".claude as a file does not stop the answer", async () => {
    const files = { "/home/user/project/.claude": "a file" };
    const { code, stdout, stderr } = await callProgram(["post-tool-use"], { stdin: post(), files });
    expect([code, Object.keys(JSON.parse(stdout) as object)]).toEqual([0, ["systemMessage"]]);
    for (const text of [stdout, stderr]) expect(text.match(/log cannot be written/g)).toHaveLength(1);
  });

  it("no home directory is told and does not stop the answer", async () => {
    const { stdout, stderr } = await callProgram(["post-tool-use"], { stdin: post(), env: {} });
    expect(stdout).toBe("{}\n");
    expect(stderr).toContain("no home directory");
  });
});

describe("an answer nobody reads", () => {
  it("ends with exit 0", async () => {
    const { code } = await callProgram(["post-tool-use"], { stdin: post(), stdoutState: "gone" });
    expect(code).toBe(0);
  });

  it.each(["gone", { code: "ENOSPC" }] as const)("that refuses ends with exit 2: %j", async stdoutState => {
    const pre = (command: string) =>
      JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } });
    const refused = await callProgram(["pre-tool-use"], { stdin: pre("rm -rf /"), stdoutState });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("[fs.root]");
    const asked = await callProgram(["pre-tool-use"], { stdin: pre("npm publish"), stdoutState });
    expect(asked.code).toBe(2);
    expect((await callProgram(["pre-tool-use"], { stdin: pre("ls"), stdoutState })).code).toBe(0);
    const env = { HOME: "/home/user", AMPLIHACK_FAILURE_POLICY: "closed" };
    expect((await callProgram(["pre-tool-use"], { stdin: "{", stdoutState, env })).code).toBe(2);
  });

  it("that cannot be written for another reason is an error in the records", async () => {
    const { telemetry } = await callProgram(["post-tool-use"], {
      stdin: post(),
      stdoutState: { code: "EIO" },
    });
    expect(telemetry).toMatchObject({ result: "error", error: "cannot write the answer: EIO" });
  });
});

describe("a hook that breaks", () => {
  const subcommand = resolveSubcommand("pre-tool-use");
  if (subcommand === undefined) throw new Error("no such subcommand");
  const hookOf = (run: Hook<System>["run"]): Hook<System> => ({ id: "broken", event: "PreToolUse", run });
  const call = { host: undefined, nativeEvent: undefined };

  it("is a panic that fails open, and whose message stays private", async () => {
    const system = createMemorySystem({ stdin: pre() });
    const hook = hookOf(() => {
      throw new TypeError("the secret of the payload");
    });
    expect(await openRun({ subcommand, hook, isGuard: true }, call, system).run()).toBe(0);
    expect(system.stdout()).toBe("{}\n");
    expect(system.stderr()).toContain('"result":"panic"');
    expect(system.stderr()).toContain("TypeError");
    expect(system.stderr()).not.toContain("secret");
  });

  it.each(["out of memory", "Array buffer allocation failed", "Invalid string length"])(
    "asks when it broke because the memory is used up: %s",
    async message => {
      const hook = hookOf(() => {
        throw new RangeError(message);
      });
      const system = createMemorySystem({ stdin: pre() });
      expect(await openRun({ subcommand, hook, isGuard: true }, call, system).run()).toBe(0);
      expect(system.stdout()).toContain('"permissionDecision":"ask"');
      const other = createMemorySystem({ stdin: pre() });
      await openRun({ subcommand, hook }, call, other).run();
      expect(other.stdout()).toBe("{}\n");
    },
  );

  it("is refused under a closed policy, also when it rejects later", async () => {
    const system = createMemorySystem({ stdin: pre(), env: closed });
    const hook = hookOf(() => Promise.reject(new Error("late")));
    expect(await openRun({ subcommand, hook, isGuard: true }, call, system).run()).toBe(2);
    expect(system.stdout()).toBe("");
  });

  it("shows its stack to those who ask for it", async () => {
    const system = createMemorySystem({ stdin: pre(), env: { HOME: "/home/user", AMPLIHACK_DEBUG: "1" } });
    const hook = hookOf(() => {
      throw new Error("details");
    });
    await openRun({ subcommand, hook, isGuard: true }, call, system).run();
    expect(system.stderr()).toContain("Error: details");
  });

  it("that is abandoned answers once, by the policy, and never again", async () => {
    const system = createMemorySystem({ stdin: pre(), env: closed });
    let finish: () => void = () => {};
    const hook = hookOf(() => new Promise(resolve => (finish = () => resolve(undefined))));
    const run = openRun({ subcommand, hook, isGuard: true }, call, system);
    const running = run.run();
    await Promise.resolve();
    expect(run.abandon("told to end")).toBe(2);
    expect(run.abandon("told again")).toBeUndefined();
    finish();
    await running;
    expect(system.stdout()).toBe("");
    expect(system.stderr().match(/"hook":/g)).toHaveLength(1);
  });

  it("cannot flood the host", async () => {
    const system = createMemorySystem({ stdin: pre() });
    const hook = hookOf(() => ({
      decision: { kind: "deny", reason: "x".repeat(1_000_000) },
      context: "y".repeat(10_000_000),
    }));
    await openRun({ subcommand, hook, isGuard: true }, call, system).run();
    expect(system.stdout().length).toBeLessThan(150_000);
    expect(JSON.parse(system.stdout())).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });
});

describe("a payload with enormous names", () => {
  it("leaves small records", async () => {
    const huge = "x".repeat(1_000_000);
    for (const stdin of [
      post({ session_id: huge, tool_name: huge, cwd: `/${huge}`, tool_use_id: huge }),
      post({ hook_event_name: huge }),
      pre({ session_id: huge, cwd: `/${huge}`, tool_input: { command: "rm -rf /" } }),
      pre({ tool_name: "Write", tool_input: { file_path: `/etc/${huge}`, content: "x" } }),
    ]) {
      const subcommand = stdin.includes("PreToolUse") ? "pre-tool-use" : "post-tool-use";
      const { system, stdout, stderr } = await callProgram([subcommand], { stdin });
      const written = system.calls.filter(({ operation }) => operation === "append").map(({ path }) => path);
      const sizes = [...new Set(written)].map(path => system.peek(path)?.length ?? 0);
      expect(Math.max(...sizes, stdout.length, stderr.length)).toBeLessThan(20_000);
    }
  });
});

describe("the data of another event", () => {
  it.each([
    ["stop", { decision: "approve" }],
    ["session-start", {}],
  ])("is answered by %s with no opinion, however little of it there is", async (subcommand, answer) => {
    for (const event of ["PostToolUse", "PermissionRequest", "Notification"]) {
      const stdin = JSON.stringify({ hook_event_name: event });
      const { code, stdout, telemetry } = await callProgram([subcommand], { stdin, env: closed });
      expect([code, JSON.parse(stdout), telemetry["result"]]).toEqual([0, answer, "ok"]);
    }
  });
});

describe("an event that no hook of ours serves", () => {
  it.each(["permission-request", "PostToolBatch", "pre-model-switch", "instructions-loaded"])(
    "is never refused, whatever comes and whatever the policy: %s",
    async subcommand => {
      for (const stdin of ["", "{}", '{"tool_name":7}', "{", "[]"]) {
        const { code, stdout } = await callProgram([subcommand], { stdin, env: closed });
        expect([code, stdout]).toEqual([0, "{}\n"]);
      }
    },
  );
});

describe("a payload that is nested deeply", () => {
  it("is no way past the guard", async () => {
    const deep = `${"[".repeat(1500)}${"]".repeat(1500)}`;
    const stdin = pre({ tool_input: { command: "rm -rf /", junk: "JUNK" } }).replace('"JUNK"', deep);
    const { stdout } = await callProgram(["pre-tool-use"], { stdin });
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });
});

describe("a session directory that cannot be looked at", () => {
  it.each([
    ["/home/user/project", "follow"],
    ["/home/user/project/.claude", "inspect"],
    ["/home/user/project/.git", "inspect"],
  ] as const)("is told on stderr and in telemetry, and the hook answers: %s", async (path, operation) => {
    const { code, stdout, stderr, telemetry } = await callProgram(
      ["post-tool-use"],
      { stdin: post(), files: { "/home/user/project": { kind: "directory" } } },
      system => system.faults.failUnder(path, "EACCES", [operation]),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ systemMessage: expect.stringContaining(`${path}: EACCES`) });
    expect(stderr).toContain(`${path}: EACCES`);
    expect(telemetry).toMatchObject({ result: "error", error: expect.stringContaining("EACCES") });
  });

  it("is no failure when it is merely not there", async () => {
    const { telemetry } = await callProgram(["post-tool-use"], { stdin: post({ cwd: "/nowhere" }) });
    expect(telemetry).toMatchObject({ result: "ok" });
  });
});

describe("a variable that should lead to a place and does not", () => {
  it.each([
    ["AMPLIHACK_HOME", "relative"],
    ["AMPLIHACK_HOME", "/opt/../etc"],
    ["AMPLIHACK_ROOT", "."],
    ["CLAUDE_PROJECT_DIR", ""],
    ["CLAUDE_PLUGIN_ROOT", "plugins"],
  ])("is told by name, never by value, and is treated as not set: %s=%s", async (name, value) => {
    const env = { HOME: "/home/user", [name]: value };
    const { code, stderr, telemetry, system } = await callProgram(["post-tool-use"], { stdin: post(), env });
    expect([code, telemetry["result"]]).toEqual([0, "ok"]);
    expect(stderr).toMatch(
      new RegExp(`variable ${name} is not usable: expected an absolute path.*not set$`, "m"),
    );
    expect(system.peek("/home/user/.amplihack/logs/runs.jsonl")).toContain("post_tool_use");
  });
});

describe("a configuration that does not count", () => {
  it.each(["stop", "session-start", "user-prompt-submit", "session-stop"])(
    "is told by name where it could have named the bridge: %s",
    async subcommand => {
      const path = "/home/user/.amplihack/config.jsonc";
      const { stderr } = await callProgram([subcommand], {
        stdin: "{}",
        files: { [path]: { content: '{"bridge": {"command": 7}}', mode: 0o600 } },
      });
      expect(stderr).toContain(`${path}: bridge.command is ignored`);
    },
  );
});

describe("the telemetry of optional fields", () => {
  it("names a session id of the wrong type and goes on without it", async () => {
    const { stdout, telemetry } = await callProgram(["post-tool-use"], { stdin: post({ session_id: 7 }) });
    expect(stdout).toBe("{}\n");
    expect(telemetry).toMatchObject({ result: "error", error: expect.stringContaining("session_id") });
  });
});
