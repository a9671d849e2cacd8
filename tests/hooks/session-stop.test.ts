import { describe, expect, it } from "vitest";
import { sessionStop } from "../../src/hooks/stock/session-stop.ts";
import { parseStatus } from "../../src/hooks/stock/uncommitted-work.ts";
import type { JsonObject } from "../../src/protocol/index.ts";
import type { MemorySystem, ScriptedRun, SeedEntry } from "../../src/system/memory.ts";
import type { ProcessRequest } from "../../src/system/system.ts";
import { recordCall } from "../commands/agent-call.ts";
import { assistant, claudeSession, meta, result, type Said, use, user } from "./recorded.ts";
import { metricsOf, projectSystem, ROOT, RUNTIME, runHook } from "./run-hook.ts";

const TRANSCRIPT = "/home/user/.claude/projects/p/s1.jsonl";
const GIT = "/usr/bin/git";
const STORED: ScriptedRun = { stdout: '{"stored":true,"memories_count":3}' };

interface Setting {
  readonly said?: readonly Said[];
  readonly files?: Record<string, SeedEntry>;
  readonly answer?: ScriptedRun;
  /** what `git status --porcelain` prints; undefined outside a repository */
  readonly status?: string | ScriptedRun;
  readonly cwd?: string;
}

function session({ said, files = {}, answer = STORED, status, cwd }: Setting = {}): MemorySystem {
  const run = ({ argv }: ProcessRequest): ScriptedRun => {
    if (argv[0] !== GIT) return answer;
    if (status === undefined) return { code: 128 };
    if (argv.includes("--is-inside-work-tree")) return { stdout: "true\n" };
    return typeof status === "string" ? { stdout: status } : status;
  };
  return projectSystem({
    ...(cwd === undefined ? {} : { cwd }),
    files: { ...(said === undefined ? {} : { [TRANSCRIPT]: claudeSession(said) }), ...files },
    env: { HOME: "/home/user", AMPLIHACK_TESTING: "1", AMPLIHACK_TEST_BRIDGE_COMMAND: "bridge-under-test" },
    run,
  });
}

const end = (system: MemorySystem, payload: JsonObject = {}) =>
  runHook(sessionStop(), system, { session_id: "s1", ...payload });
const stored = async (setting: Setting, payload: JsonObject = {}) => {
  const system = session(setting);
  await end(system, payload);
  const requests = system.processes.requests.filter(({ argv }) => argv[0] !== GIT);
  return requests.map(({ input }) => JSON.parse(new TextDecoder().decode(input)));
};
const withTranscript = { transcript_path: TRANSCRIPT };

describe("what a session learnt", () => {
  it("is what the payload says, stored once", async () => {
    const payload = { output: "We learnt x.", task: "do x", agent_type: "builder", success: false };
    expect(await stored({}, payload)).toEqual([
      {
        version: 1,
        action: "store",
        session_id: "s1",
        transcript_path: null,
        agent_type: "builder",
        task: "do x",
        success: false,
        content: "We learnt x.",
      },
    ]);
  });

  it("is else the beginning of what was said, without tools and texts of programs", async () => {
    const said = [
      meta("caveat"),
      user("make it"),
      assistant("done"),
      use("Bash", { command: "SECRET" }),
      result("SECRET"),
      assistant("really"),
    ];
    expect(await stored({ said }, withTranscript)).toMatchObject([
      {
        content: "make it\ndone\nreally",
        task: "make it",
        agent_type: "general",
        success: true,
        transcript_path: TRANSCRIPT,
      },
    ]);
  });

  it("has at most five hundred characters", async () => {
    expect((await stored({}, { output: "😀".repeat(600) }))[0].content).toBe("😀".repeat(500));
    expect((await stored({ said: [user("y".repeat(900))] }, withTranscript))[0].content).toBe(
      "y".repeat(500),
    );
  });

  it("belongs to an agent that the session mentioned", async () => {
    const said = [user("/fix it"), assistant("asking @.claude/agents/tester.md")];
    expect(await stored({ said }, withTranscript)).toMatchObject([{ agent_type: "fix-agent" }]);
  });

  it.each<[string, Setting, JsonObject]>([
    ["there is no transcript", {}, {}],
    ["the output is blank", {}, { output: " \n" }],
    ["the output is no text", {}, { output: { a: 1 } }],
    ["the transcript is missing", {}, { transcript_path: "/nowhere" }],
    ["the transcript has no text", { said: [use("Bash", {}), result("x")] }, withTranscript],
  ])("is nothing when %s; no child is started", async (_, setting, payload) => {
    expect(await stored(setting, payload)).toEqual([]);
  });

  it.each<[string, ScriptedRun]>([
    ["the child takes too long", { durationMs: 16_000 }],
    ["the child fails", { code: 1 }],
    ["the reply is wrong", { stdout: "{}" }],
    ["the reply is text", { stdout: "ok" }],
  ])("is reported lost when %s; the session ends all the same", async (_, answer) => {
    const system = session({ answer, status: "" });
    const effect = await end(system, { output: "x" });
    expect(effect).toEqual({
      diagnostics: [
        {
          code: "hook-problem",
          severity: "error",
          detail: expect.stringMatching(/was not stored: bridge store/),
        },
      ],
    });
    expect(system.stderr()).toMatch(/was not stored/);
    expect(system.peek(`${RUNTIME}/logs/session_stop.log`)).toMatch(/ERROR/);
    expect(metricsOf(system, "session_end")).toEqual(["clean_exits=1"]);
  });

  it("may be refused by the store, which is a warning", async () => {
    const system = session({ answer: { stdout: '{"stored":false,"memories_count":0}' } });
    expect(await end(system, { output: "x" })).toBeUndefined();
    expect(system.stderr()).toMatch(/did not keep/);
  });

  it("is in no log", async () => {
    const system = session({ said: [user("SECRETWORD")] });
    await end(system, withTranscript);
    expect(system.peek(`${RUNTIME}/logs/session_stop.log`)).not.toContain("SECRETWORD");
  });

  it("waits fifteen seconds, on Codex only as long as that host allows", async () => {
    const system = session();
    await end(system, { output: "x" });
    expect(system.processes.requests[0]).toMatchObject({ timeoutMs: 15_000 });
    const codex = session();
    await runHook(sessionStop(), codex, { output: "x" }, "codex");
    expect(codex.processes.requests[0]).toMatchObject({ timeoutMs: 1000, killAfterMs: 500 });
  });
});

describe("what a session changed", () => {
  const call = (system: MemorySystem, session: string, name: string) =>
    recordCall(
      system,
      { home: "/home/user", project: ROOT },
      { command: `rm ${name}`, targets: [name], how: "delete", session },
      () => system.files.remove(`${ROOT}/${name}`),
    );

  it("is told with the command that takes it back", async () => {
    const system = session({ files: { [`${ROOT}/a`]: "1", [`${ROOT}/b`]: "2", [`${ROOT}/c`]: "3" } });
    await call(system, "s1", "a");
    await call(system, "s1", "b");
    await call(system, "s2", "c");
    await end(system);
    expect(system.stderr()).toContain("2 changes to 2 files; take back: amplihack undo --session s1\n");
    expect(metricsOf(system, "session_stop")).toContain("history_changes=2");
  });

  it("is not mentioned when it is nothing, or when the history is switched off", async () => {
    const nothing = session();
    await end(nothing);
    const off = session({
      files: { [`${ROOT}/a`]: "1", "/home/user/.amplihack/config.jsonc": '{"parts":["guard"]}' },
    });
    await call(off, "s1", "a");
    await end(off);
    for (const system of [nothing, off]) expect(system.stderr()).not.toContain("amplihack undo");
  });
});

describe("uncommitted work", () => {
  it("is told on stderr with what to do about it", async () => {
    const system = session({ status: " M a.ts\nM  b.ts\nMM c.ts\n?? d.ts\n" });
    expect(await end(system)).toBeUndefined();
    expect(system.stderr()).toContain(`uncommitted work: 5 changes in ${ROOT}`);
    expect(system.stderr()).toMatch(/staged \(2\):\n +b\.ts\n +c\.ts\n/);
    expect(system.stderr()).toMatch(/not staged \(3\):\n +a\.ts\n +c\.ts\n +d\.ts\n/);
    expect(system.stderr()).toMatch(/git diff.*git commit.*git stash.*stay as they are/);
    expect(metricsOf(system, "session_end")).toEqual(["uncommitted_work_warnings=1"]);
    expect(system.peek(`${RUNTIME}/logs/session_end.log`)).toContain("INFO: uncommitted changes: 5\n");
    expect(system.stdout()).toBe("");
  });

  it("names five files and counts the rest", async () => {
    const system = session({ status: Array.from({ length: 8 }, (_, index) => `?? f${index}\n`).join("") });
    await end(system);
    expect(system.stderr()).toMatch(/f4\n +and 3 more/);
    expect(system.stderr()).not.toContain("f5");
  });

  it("is looked for in the session's directory", async () => {
    const system = session({ status: "", files: { "/work/sub": { kind: "directory" } } });
    await end(system, { cwd: "/work/sub" });
    expect(system.processes.requests.map(({ cwd }) => cwd)).toEqual(["/work/sub", "/work/sub"]);
  });

  it("is looked for in the project when the host names no directory", async () => {
    const system = session({ status: "", cwd: `${ROOT}/deep/down` });
    await end(system);
    expect(system.processes.requests.map(({ cwd }) => cwd)).toEqual([ROOT, ROOT]);
  });

  it.each<[string, Setting]>([
    ["outside a repository", {}],
    ["when git fails", { status: { code: 1 } }],
    ["when git takes too long", { status: { durationMs: 6000 } }],
    ["when git is missing", { status: { end: { kind: "not-started", code: "ENOENT" } } }],
  ])("is not mentioned %s", async (_, setting) => {
    const system = session(setting);
    expect(await end(system)).toBeUndefined();
    expect(system.stderr()).toBe("");
    expect(system.peek(`${RUNTIME}/logs/session_end.log`)).toMatch(/INFO|WARNING/);
  });

  it("is read from the columns as they are: the first line may begin with a blank", () => {
    expect(parseStatus(" M first.ts\nR  old -> new\n")).toEqual({
      staged: ["old -> new"],
      unstaged: ["first.ts"],
    });
    expect(parseStatus("")).toEqual({ staged: [], unstaged: [] });
  });
});
