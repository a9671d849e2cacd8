import { describe, expect, it } from "vitest";
import { stop } from "../../../src/hooks/stock/stop/stop.ts";
import type { MemorySystem, ScriptedRun, SeedEntry } from "../../../src/system/memory.ts";
import type { ProcessRequest } from "../../../src/system/system.ts";
import {
  assistant,
  bash,
  claudeSession,
  copilotSession,
  meta,
  result,
  type Said,
  todos,
  use,
  user,
  write,
} from "../recorded.ts";
import { jsonAt, metricsOf, projectSystem, ROOT, RUNTIME, runHook } from "../run-hook.ts";

const TRANSCRIPT = "/home/user/.claude/projects/p/s1.jsonl";
const STEERING = `${RUNTIME}/power-steering`;
const APPROVED = { extras: { claude: { decision: "approve" } } };

/** A piece of development work in which everything was done. */
const FINISHED: readonly Said[] = [
  user("implement the parser"),
  write("src/parser.py", "def parse():\n    return 1\n"),
  ...bash("pytest", "12 passed"),
  todos("completed"),
  assistant("Everything is done."),
];
/** The same with an open todo entry. */
const UNFINISHED: readonly Said[] = [
  ...FINISHED.slice(0, -2),
  todos("completed", "pending"),
  ...FINISHED.slice(-1),
];

interface Setting {
  readonly said?: readonly Said[];
  readonly files?: Record<string, SeedEntry>;
  readonly env?: Record<string, string>;
  readonly run?: (request: ProcessRequest) => ScriptedRun;
}

function session({ said = UNFINISHED, files = {}, env = {}, run }: Setting = {}): MemorySystem {
  return projectSystem({
    files: { [TRANSCRIPT]: claudeSession(said), ...files },
    env: { HOME: "/home/user", ...env },
    ...(run === undefined ? {} : { run }),
  });
}

const stopIn = (system: MemorySystem, more: Record<string, string> = {}) =>
  runHook(stop(), system, { session_id: "s1", transcript_path: TRANSCRIPT, ...more });
const verdict = async (setting: Setting) =>
  (await stopIn(session(setting)))?.decision === undefined ? "free" : "held";
const why = (system: MemorySystem) => {
  const text = system.peek(`${STEERING}/s1/diagnostic.jsonl`) ?? "";
  return text
    .split("\n")
    .filter(line => line !== "")
    .map(line => (JSON.parse(line) as { because: string }).because);
};

/** A repository whose git answers as a plain checkout does, and whose pull request is as given. */
const repository =
  (pullRequest?: object, behind = "0") =>
  ({ argv }: ProcessRequest): ScriptedRun => {
    const words = argv.join(" ");
    if (words.includes("--git-common-dir")) return { stdout: ".git\n.git\n" };
    if (words.startsWith("/usr/bin/gh pr view")) {
      return pullRequest === undefined ? { code: 1 } : { stdout: JSON.stringify(pullRequest) };
    }
    if (words.includes("rev-list")) return { stdout: `${behind}\n` };
    return { code: 128 };
  };

describe("power steering", () => {
  it("holds unfinished work and lets finished work go", async () => {
    expect(await verdict({ said: UNFINISHED })).toBe("held");
    expect(await verdict({ said: FINISHED })).toBe("free");
  });

  it.each<[string, Setting]>([
    ["a .disabled file in the working directory", { files: { [`${ROOT}/.disabled`]: "" } }],
    ["a .disabled file in the run-time directory", { files: { [`${STEERING}/.disabled`]: "" } }],
    ["the environment, whatever the value", { env: { AMPLIHACK_SKIP_POWER_STEERING: "0" } }],
    [
      "the project's configuration",
      { files: { [`${ROOT}/.claude/tools/amplihack/.power_steering_config`]: '{"enabled": false}' } },
    ],
    ["a marker of another run", { files: { [`${STEERING}/.power_steering_lock`]: "" } }],
    ["a session already judged", { files: { [`${STEERING}/.s1_completed`]: "" } }],
  ])("is switched off by %s", async (_, setting) => {
    expect(await verdict(setting)).toBe("free");
  });

  it.each([
    ["an empty variable", { env: { AMPLIHACK_SKIP_POWER_STEERING: "" } }],
    ...[
      "{",
      "[]",
      "{}",
      '{"enabled":"no"}',
      '{"enabled":false,"checkers_enabled":[]}',
      '{"enabled":false,"phase":"x"}',
    ].map(
      text =>
        [
          `a configuration of ${text}`,
          { files: { [`${ROOT}/.claude/tools/amplihack/.power_steering_config`]: text } },
        ] as [string, Setting],
    ),
  ])("stays on with %s", async (_, setting) => {
    expect(await verdict(setting as Setting)).toBe("held");
  });

  it("asks only the checks that the configuration leaves on", async () => {
    const config = (text: string) => ({ [`${ROOT}/.claude/tools/amplihack/.power_steering_config`]: text });
    const off = config('{"enabled":true,"checkers_enabled":{"todos_complete":false}}');
    const other = config('{"enabled":true,"checkers_enabled":{"ci_status":false}}');
    expect(await verdict({ files: off })).toBe("free");
    expect(await verdict({ files: other })).toBe("held");
  });
});

describe("the transcript", () => {
  it("may be missing: the stop is let through and counted", async () => {
    const system = session();
    expect(await runHook(stop(), system, { session_id: "s1" })).toEqual(APPROVED);
    expect(await stopIn(system, { transcript_path: "/home/user/none.jsonl" })).toEqual(APPROVED);
    const missing = metricsOf(system, "stop").filter(line => line === "power_steering_missing_transcript=1");
    expect(missing).toHaveLength(2);
  });

  it("must lie in the project, the home directory or a temporary one, links followed", async () => {
    const content = claudeSession(UNFINISHED);
    const system = session({
      files: {
        "/srv/s1.jsonl": content,
        "/tmp/s2.jsonl": content,
        "/tmp/s3.jsonl": { target: "/srv/s1.jsonl" },
      },
    });
    expect(await stopIn(system, { transcript_path: "/srv/s1.jsonl" })).toEqual(APPROVED);
    expect(await stopIn(system, { transcript_path: "/tmp/s3.jsonl" })).toEqual(APPROVED);
    expect((await stopIn(system, { transcript_path: "/tmp/s2.jsonl" }))?.decision?.kind).toBe("deny");
  });

  it("is read up to a number of lines, of which a tenth is the beginning and the rest the end", async () => {
    const filler = Array.from({ length: 40 }, () => assistant("working"));
    const said = [...UNFINISHED.slice(0, 1), ...filler, ...UNFINISHED.slice(1)];
    expect(await verdict({ said, env: { PSC_MAX_TRANSCRIPT_LINES: "12" } })).toBe("held");
    const middle = [
      ...FINISHED.slice(0, 1),
      todos("pending"),
      ...filler,
      ...FINISHED.slice(1, 4),
      ...FINISHED.slice(-1),
    ];
    expect(await verdict({ said: middle })).toBe("held");
    expect(await verdict({ said: middle, env: { PSC_MAX_TRANSCRIPT_LINES: "12" } })).toBe("free");
    expect(await verdict({ env: { PSC_QUERY_TIMEOUT: "abc", PSC_MAX_TRANSCRIPT_LINES: "many" } })).toBe(
      "held",
    );
  });

  it("may have lines that cannot be read", async () => {
    const system = session({ files: { [TRANSCRIPT]: `garbage\n${claudeSession(UNFINISHED)}{"half` } });
    expect((await stopIn(system))?.decision?.kind).toBe("deny");
    expect(metricsOf(system, "stop")).toContain("transcript_parse_errors=2");
  });

  it("may lack the last message, which the payload has", async () => {
    const said = [...FINISHED.slice(0, -1), assistant("Looking"), assistant("Working")];
    const system = session({ said });
    expect((await stopIn(system))?.decision?.reason).toContain("objective_completion");
    const again = session({ said });
    expect(await stopIn(again, { last_assistant_message: "All done." })).toEqual(APPROVED);
  });

  it("names the session: Copilot's by its folder, because all its files are called events", async () => {
    const path = "/home/user/.copilot/session-state/abc-1/events.jsonl";
    const system = session({ files: { [path]: copilotSession(UNFINISHED) } });
    expect((await stopIn(system, { transcript_path: path }))?.decision?.kind).toBe("deny");
    expect(system.files.list(STEERING)).toContain(".abc-1_results_shown");
  });
});

describe("a held stop", () => {
  it("is remembered", async () => {
    const system = session();
    await stopIn(system);
    expect(jsonAt(system, `${STEERING}/s1/turn_state.json`)).toEqual({
      session_id: "s1",
      turn_count: 1,
      consecutive_blocks: 1,
      first_block_timestamp: expect.any(String),
      last_block_timestamp: expect.any(String),
      block_history: [
        {
          block_number: 1,
          timestamp: expect.any(String),
          transcript_index: 0,
          transcript_length: UNFINISHED.length,
          failed_evidence: [
            {
              consideration_id: "todos_complete",
              reason: "1 of 2 todo entries are not completed",
              evidence_quote: null,
              timestamp: expect.any(String),
              was_claimed_complete: true,
            },
          ],
          user_claims_detected: ["Everything is done."],
        },
      ],
      last_analyzed_transcript_index: UNFINISHED.length,
      failure_fingerprints: ["ba490e6ace236686"],
    });
    const redirect = JSON.parse(system.peek(`${STEERING}/s1/redirects.jsonl`) ?? "");
    expect(redirect).toMatchObject({ redirect_number: 1, failed_considerations: ["todos_complete"] });
    expect(redirect.continuation_prompt).toContain("task 2");
    expect(system.files.inspect(`${STEERING}/s1/redirects.jsonl`)?.mode).toBe(0o600);
    expect(system.peek(`${STEERING}/s1/session_count`)).toBe("1");
    expect(jsonAt(system, `${STEERING}/s1/violations.json`)).toMatchObject({
      violations: [{ id: "todos_complete" }],
    });
    expect(system.files.list(STEERING)).toContain(".s1_results_shown");
    expect(metricsOf(system, "stop")).toContain("power_steering_blocks=1");
  });

  it("says what is missing, what was announced and claimed, and how to go on", async () => {
    const said = [...UNFINISHED, assistant("The next step is to write docs. It is complete.")];
    const reason = (await stopIn(session({ said })))?.decision?.reason ?? "";
    expect(reason).toContain("attempt 1 of 5");
    expect(reason).toContain("[pending] task 2");
    expect(reason).toContain("The next step is to write docs.");
    expect(reason).toContain("todos_complete: 1 of 2 todo entries are not completed");
    expect(reason).toContain("After 4 more held attempts");
    expect(reason).toMatch(/^✗ next_steps: .*\("The next step is to write docs\."\)$/m);
    expect(reason).toContain("You said that it is complete: ");
  });

  it("says so in eight lines at most, with facts only and no way to switch the check off", async () => {
    const said = [
      user("implement the feature, and /review it; address the review comments"),
      write("src/parser.py", "def parse():\n    pass  # TODO\n"),
      ...bash("git push origin main", "done"),
      todos(...Array.from({ length: 40 }, () => "pending")),
      assistant(
        "CI fails. The next step is to write docs. It is done. Remaining work: everything.\nAll complete.",
      ),
    ];
    const system = session({ said });
    const reasons = [(await stopIn(system))?.decision?.reason ?? ""];
    system.put(TRANSCRIPT, claudeSession([...said, assistant("next steps: more")]));
    reasons.push((await stopIn(system))?.decision?.reason ?? "");
    for (const reason of reasons) {
      expect(reason).toContain("todos_complete");
      expect(reason.split("\n").length).toBeLessThanOrEqual(8);
      expect(reason).not.toMatch(/✓|AMPLIHACK_SKIP|\.disabled|switch/);
    }
  });

  it("tells at the next one what failed again and what was addressed", async () => {
    const system = session({ said: [...UNFINISHED, assistant("next steps: docs")] });
    await stopIn(system);
    system.put(TRANSCRIPT, claudeSession(UNFINISHED));
    const reason = (await stopIn(system))?.decision?.reason ?? "";
    expect(reason).toContain("attempt 2 of 5");
    expect(reason).toContain(
      "Since the last attempt: next_steps was addressed; todos_complete failed again, 2 times now",
    );
  });

  it("does not count its own text among the user's messages next time", async () => {
    const system = session();
    const reason = (await stopIn(system))?.decision?.reason ?? "";
    system.put(
      TRANSCRIPT,
      claudeSession([...UNFINISHED, meta(`Stop hook feedback:\n${reason}`), user(reason)]),
    );
    await stopIn(system);
    expect(why(system)).toEqual(["failed_blockers", "failed_blockers"]);
  });

  it("leaves no word of the session in any log", async () => {
    const said = [...UNFINISHED, assistant("SECRETWORD next step"), user("SECRETWORD please")];
    const system = session({ said });
    await stopIn(system);
    const logs = [
      `${RUNTIME}/logs/stop.log`,
      `${STEERING}/power_steering.log`,
      `${STEERING}/s1/diagnostic.jsonl`,
    ];
    for (const path of [...logs, `${RUNTIME}/metrics/stop_metrics.jsonl`]) {
      expect(system.peek(path)).toMatch(/\w/);
      expect(system.peek(path)).not.toContain("SECRETWORD");
    }
    expect(system.stderr()).not.toContain("SECRETWORD");
  });
});

describe("an agent that is held again and again", () => {
  it("passes at the third stop with the same failures", async () => {
    const system = session();
    const kinds = [];
    for (let count = 0; count < 3; count++) kinds.push((await stopIn(system))?.decision?.kind);
    expect(kinds).toEqual(["deny", "deny", undefined]);
    expect(why(system)).toEqual(["failed_blockers", "failed_blockers", "loop_detected"]);
    expect(jsonAt(system, `${STEERING}/s1/turn_state.json`)).toMatchObject({
      turn_count: 3,
      consecutive_blocks: 0,
      failure_fingerprints: [],
    });
  });

  it("passes after five held stops, whatever failed", async () => {
    const state = { session_id: "s1", turn_count: 5, consecutive_blocks: 5 };
    const system = session({ files: { [`${STEERING}/s1/turn_state.json`]: JSON.stringify(state) } });
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(why(system)).toEqual(["auto_approve_threshold"]);
    expect(jsonAt(system, `${STEERING}/s1/turn_state.json`)).toMatchObject({
      turn_count: 6,
      consecutive_blocks: 0,
    });
    expect((await stopIn(system))?.decision?.kind).toBe("deny");
  });

  it("is warned more urgently from the third time on", async () => {
    const state = { turn_count: 2, consecutive_blocks: 2 };
    const system = session({ files: { [`${STEERING}/s1/turn_state.json`]: JSON.stringify(state) } });
    expect((await stopIn(system))?.decision?.reason).toMatch(/attempt 3 of 5.*urgent/s);
  });

  it.each(["{", "[]", "7", '{"consecutive_blocks":"many"}'])(
    "starts anew when its state is %s",
    async content => {
      const path = `${STEERING}/s1/turn_state.json`;
      const system = session({ files: { [path]: content } });
      expect((await stopIn(system))?.decision?.kind).toBe("deny");
      expect(jsonAt(system, path)).toMatchObject({ turn_count: 1, consecutive_blocks: 1 });
      expect(system.files.list(`${STEERING}/s1`).filter(name => name.includes(".corrupt-"))).toHaveLength(1);
      expect(system.stderr()).toContain("malformed");
    },
  );
});

describe("a session in which everything passed", () => {
  it("shows its results once, on stderr, and is not judged again", async () => {
    const system = session({ said: FINISHED });
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(system.stderr()).toMatch(/✓ todos_complete/);
    expect(metricsOf(system, "stop")).toContain("power_steering_first_stop_visibility=1");
    expect(system.files.list(STEERING)).toEqual(
      expect.arrayContaining([".s1_completed", ".s1_results_shown", "s1"]),
    );
    system.put(TRANSCRIPT, claudeSession(UNFINISHED));
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(why(system)).toEqual(["first_stop"]);
  });

  it("gets a summary when it passes after a held stop", async () => {
    const system = session();
    await stopIn(system);
    system.put(TRANSCRIPT, claudeSession(FINISHED));
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(system.peek(`${STEERING}/s1/summary.md`)).toMatch(/✓ todos_complete/);
    expect(jsonAt(system, `${STEERING}/s1/turn_state.json`)).toMatchObject({
      turn_count: 2,
      consecutive_blocks: 0,
    });
    expect(why(system)).toEqual(["failed_blockers", "all_passed"]);
  });

  it.each([
    ["held", "investigate the crash of the parser"],
    ["free", "why does the parser crash?"],
    ["free", "investigate the crash and suggest what to do"],
  ])("is %s when an investigation announces more work after: %s", async (expected, request) => {
    const said = [
      ...[user(request), use("Read", { file_path: "a.py" }), result("x"), use("Read", { file_path: "b.py" })],
      ...[
        result("y"),
        assistant("The index runs over; done with the search. Remaining work: the other callers."),
      ],
    ];
    expect(await verdict({ said })).toBe(expected);
  });

  it.each([
    ["held", "I am still looking at the rest of the grammar."],
    ["held", "Currently working on the second half of the parser."],
    ["free", "The parser reads nested lists, and its tests cover them."],
  ])("is %s when nothing else is missing and it closes with: %s", async (expected, closing) => {
    const said = [...FINISHED.slice(0, -1), assistant(closing)];
    expect(await verdict({ said })).toBe(expected);
  });

  it("is not held for warnings", async () => {
    const said = [...FINISHED.slice(0, 1), write("stray.py"), ...FINISHED.slice(1)];
    const system = session({ said });
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(system.stderr()).toMatch(/⚠ root_pollution/);
  });
});

describe("sessions that are not judged", () => {
  it("are questions and answers", async () => {
    const system = session({ said: [user("why?"), assistant("because")] });
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(why(system)).toEqual(["qa_session"]);
  });

  it.each(["SIMPLE", "operations"])("are of type %s", async type => {
    const system = session({ env: { AMPLIHACK_SESSION_TYPE: type } });
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(why(system)).toEqual(["no_applicable_checks"]);
    expect(system.files.list(STEERING)).toContain(".s1_completed");
  });

  it("are not chosen by an unknown type in the environment", async () => {
    expect(await verdict({ env: { AMPLIHACK_SESSION_TYPE: "PARTY" } })).toBe("held");
  });

  it("are those whose user confirmed that they are complete", async () => {
    const system = session({ files: { [`${STEERING}/s1/user_confirmed_complete`]: "" } });
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(why(system)).toEqual(["user_confirmed"]);
  });

  it("are those whose pull request is merged", async () => {
    const system = session({ run: repository({ state: "MERGED" }) });
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(why(system)).toEqual(["pr_merged"]);
  });

  it("are not asked about on GitHub when nothing failed or there is no repository", async () => {
    const finished = session({ said: FINISHED, run: repository({ state: "MERGED" }) });
    await stopIn(finished);
    const plain = session({ run: () => ({ code: 128 }) });
    await stopIn(plain);
    const asked = [finished, plain].flatMap(system => system.processes.requests.map(({ argv }) => argv[0]));
    expect(asked).toEqual(["/usr/bin/git", "/usr/bin/git"]);
  });
});

describe("a linked work tree", () => {
  it("shares its state with the main checkout", async () => {
    const run = ({ argv }: ProcessRequest): ScriptedRun =>
      argv.includes("--git-common-dir")
        ? { stdout: "/home/user/main/.git\n/home/user/main/.git/worktrees/x\n" }
        : { code: 1 };
    const system = session({ run });
    system.put("/home/user/main/.claude", { kind: "directory" });
    await stopIn(system);
    expect(system.files.list("/home/user/main/.claude/runtime/power-steering")).toContain(
      ".s1_results_shown",
    );
  });
});

describe("after a compaction", () => {
  const LOGS = `${RUNTIME}/logs/s1`;
  const LATER: readonly Said[] = [
    user("go on"),
    ...bash("ls", "a"),
    ...bash("ls", "b"),
    assistant("Everything is done."),
  ];
  const compacted = (exported: string, name = "conversation_transcript.jsonl") => ({
    [`${LOGS}/compaction_events.json`]: JSON.stringify([
      { transcript_path: `${LOGS}/CONVERSATION_TRANSCRIPT.md` },
    ]),
    [`${LOGS}/${name}`]: exported,
  });

  it("counts what was said before it", async () => {
    expect(await verdict({ said: LATER })).toBe("free");
    expect(await verdict({ said: LATER, files: compacted(claudeSession(UNFINISHED)) })).toBe("held");
  });

  it("does not count twice what the host's file still has", async () => {
    const files = compacted(claudeSession(UNFINISHED.slice(0, 3)));
    const system = session({ said: UNFINISHED, files });
    await stopIn(system);
    const [line = ""] = (system.peek(`${STEERING}/s1/diagnostic.jsonl`) ?? "").split("\n");
    expect(JSON.parse(line)).toMatchObject({ entries: UNFINISHED.length });
  });

  it("reads an export in Markdown when there is no other", async () => {
    const text =
      "# T\n\n---\n\n## 1. USER\n**Timestamp**: Unknown\n\nimplement x\n\n---\n\n## 2. ASSISTANT\n\nNext steps: all\n\n---\n";
    const said = [...LATER, write("a.py"), ...bash("pytest", "1 passed")];
    const system = session({ said, files: compacted(text, "CONVERSATION_TRANSCRIPT.md") });
    await stopIn(system);
    const [line = ""] = (system.peek(`${STEERING}/s1/diagnostic.jsonl`) ?? "").split("\n");
    expect(JSON.parse(line)).toMatchObject({ entries: said.length + 2 });
  });

  it.each([
    [
      "an open pull request that is mergeable and green",
      {
        state: "OPEN",
        mergeable: "MERGEABLE",
        statusCheckRollup: [{ conclusion: "SUCCESS" }, { state: "SUCCESS" }],
      },
      "0",
      "free",
    ],
    [
      "a pull request that conflicts",
      { state: "OPEN", mergeable: "CONFLICTING", statusCheckRollup: [] },
      "0",
      "held",
    ],
    [
      "a pull request with a failing check",
      { state: "OPEN", mergeable: "MERGEABLE", statusCheckRollup: [{ conclusion: "FAILURE" }] },
      "0",
      "held",
    ],
    ["no pull request, up to date with main", undefined, "0", "free"],
    ["no pull request, behind main", undefined, "3", "held"],
  ])("is judged by the repository: %s", async (_, pullRequest, behind, wanted) => {
    const setting = {
      said: LATER,
      files: compacted(claudeSession(UNFINISHED)),
      run: repository(pullRequest, behind),
    };
    expect(await verdict(setting)).toBe(wanted);
  });

  it("is the only time when the repository is judged so", async () => {
    expect(await verdict({ run: repository(undefined, "0") })).toBe("held");
  });
});

describe("a project's own list of considerations", () => {
  const FILE = `${ROOT}/.claude/tools/amplihack/considerations.yaml`;
  const entry = (more: Record<string, unknown> = {}) =>
    JSON.stringify([
      {
        id: "mine",
        category: "Mine",
        question: "Done?",
        severity: "blocker",
        checker: "todos_complete",
        enabled: true,
        applicable_session_types: ["*"],
        ...more,
      },
    ]);

  it("replaces the shipped one", async () => {
    const system = session({ files: { [FILE]: entry() } });
    expect((await stopIn(system))?.decision?.reason).toContain("mine: 1 of 2");
  });

  it.each<[string, Record<string, unknown>]>([
    ["a generic checker, which only a model could answer", { checker: "generic" }],
    ["a warning", { severity: "warning" }],
    ["a check that is switched off", { enabled: false }],
    ["a check for other sessions", { applicable_session_types: ["MAINTENANCE"] }],
  ])("holds nothing with %s", async (_, more) => {
    expect(await verdict({ files: { [FILE]: entry(more) } })).toBe("free");
  });

  it("applies to development when it names no session types, and finds a checker by the original's name", async () => {
    const more = { applicable_session_types: undefined, checker: "_check_todos_complete" };
    expect(await verdict({ files: { [FILE]: entry(more) } })).toBe("held");
    expect(
      await verdict({ files: { [FILE]: entry(more) }, env: { AMPLIHACK_SESSION_TYPE: "MAINTENANCE" } }),
    ).toBe("free");
  });

  it.each([
    ["is not YAML", "a: [1"],
    ["is no list", "a: 1"],
    ["has no good entry", '[{"id": 1}]'],
    ["has a severity nobody knows", entry({ severity: "fatal" })],
    ["is empty", ""],
  ])("gives way to the built-in five when it %s", async (_, content) => {
    const system = session({ said: FINISHED, files: { [FILE]: content } });
    await stopIn(system);
    expect(
      system
        .stderr()
        .match(/^\s*[✓✗⚠·] \w+/gm)
        ?.map(line => line.trim().slice(2)),
    ).toEqual([
      "todos_complete",
      "dev_workflow_complete",
      "philosophy_compliance",
      "local_testing",
      "ci_status",
    ]);
  });
});

describe("an error of the check itself", () => {
  it("never holds the stop, and is told", async () => {
    const system = session({ files: { [STEERING]: "a file in the way" } });
    const effect = await stopIn(system);
    expect(effect).toMatchObject(APPROVED);
    expect(effect?.diagnostics?.[0]?.detail).toContain("could not be checked");
    expect(metricsOf(system, "stop")).toContain("power_steering_errors=1");
  });
});
