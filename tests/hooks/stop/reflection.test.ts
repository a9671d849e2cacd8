import { describe, expect, it } from "vitest";
import { slugify } from "../../../src/hooks/stock/stop/reflection.ts";
import { stop } from "../../../src/hooks/stock/stop/stop.ts";
import type { MemorySystem, ScriptedRun, SeedEntry } from "../../../src/system/memory.ts";
import { metricsOf, projectSystem, ROOT, RUNTIME, runHook } from "../run-hook.ts";

const CONFIG = `${ROOT}/.claude/tools/amplihack/.reflection_config`;
const REFLECTION = `${RUNTIME}/reflection`;
const APPROVED = { extras: { claude: { decision: "approve" } } };
const REPLY = { should_block: true, findings: ["tests were skipped"], severity: "high" };

interface Setting {
  readonly answer?: ScriptedRun;
  readonly config?: SeedEntry | null;
  readonly files?: Record<string, SeedEntry>;
  readonly env?: Record<string, string>;
}

const reply = (value: unknown): ScriptedRun => ({ stdout: JSON.stringify(value) });

function session({
  answer = reply(REPLY),
  config = '{"enabled": true}',
  files = {},
  env = {},
}: Setting = {}): MemorySystem {
  return projectSystem({
    files: { ...(config === null ? {} : { [CONFIG]: config }), ...files },
    env: {
      HOME: "/home/user",
      AMPLIHACK_SKIP_POWER_STEERING: "1",
      AMPLIHACK_TESTING: "1",
      AMPLIHACK_TEST_BRIDGE_COMMAND: "bridge-under-test",
      ...env,
    },
    run: () => answer,
  });
}

const stopIn = (system: MemorySystem, payload = {}) =>
  runHook(stop(), system, { session_id: "s1", ...payload });
const asked = (system: MemorySystem) =>
  system.processes.requests.map(({ input }) => JSON.parse(new TextDecoder().decode(input)));

describe("reflection runs", () => {
  it.each<[string, Setting]>([
    ["there is no configuration", { config: null }],
    ["the configuration is not JSON", { config: "{" }],
    ["the configuration is no object", { config: "[1]" }],
    ["it is not enabled", { config: '{"enabled": false}' }],
    ["it says nothing about being enabled", { config: "{}" }],
    ["the environment says no, whatever the value", { env: { AMPLIHACK_SKIP_REFLECTION: "0" } }],
    ["another reflection runs", { files: { [`${REFLECTION}/.reflection_lock`]: "" } }],
  ])("not when %s", async (_, setting) => {
    const system = session(setting);
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(asked(system)).toEqual([]);
  });

  it.each<[string, Setting, string]>([
    ["there is no configuration", { config: null }, "reflection_no_config=1"],
    ["the configuration is not JSON", { config: "{" }, "reflection_config_errors=1"],
    ["it is not enabled", { config: '{"enabled": []}' }, "reflection_disabled_checks=1"],
    ["it is switched off", { env: { AMPLIHACK_SKIP_REFLECTION: "1" } }, "reflection_env_skips=1"],
  ])("not when %s, which is counted", async (_, setting, metric) => {
    const system = session(setting);
    await stopIn(system);
    expect(metricsOf(system, "stop")).toContain(metric);
  });

  it("not when its configuration cannot be read, which is counted and logged", async () => {
    const system = session();
    system.faults.failUnder(CONFIG, "EACCES", ["read"]);
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(metricsOf(system, "stop")).toContain("reflection_config_errors=1");
    expect(system.peek(`${RUNTIME}/logs/stop.log`)).toContain("EACCES");
  });

  it.each(['{"enabled": true}', '{"enabled": 1}', '{"enabled": "yes"}'])("with %s", async config => {
    expect((await stopIn(session({ config })))?.decision?.kind).toBe("deny");
  });

  it("with the transcript, the session and the earlier holds", async () => {
    const transcript = "/home/user/.claude/projects/p/t1.jsonl";
    const redirects = `${RUNTIME}/power-steering/t1/redirects.jsonl`;
    const system = session({ files: { [redirects]: "{}\n" } });
    await stopIn(system, { transcript_path: transcript });
    expect(asked(system)).toEqual([
      {
        version: 1,
        action: "reflect",
        transcript_path: transcript,
        session_id: "s1",
        redirects_path: redirects,
      },
    ]);
  });

  it("with nothing but the session when nothing else is known, and says that it takes a while", async () => {
    const system = session();
    await stopIn(system);
    expect(asked(system)).toEqual([
      { version: 1, action: "reflect", transcript_path: null, session_id: "s1" },
    ]);
    expect(system.stderr()).toMatch(/up to a minute/);
  });
});

describe("findings", () => {
  it("are saved and presented, and the next stop succeeds", async () => {
    const report = "# Reflection\n\n## Task Summary\n\nBuilt the parser. It works.\n\nMore";
    const system = session({ answer: reply({ ...REPLY, report }) });
    const reason = (await stopIn(system))?.decision?.reason ?? "";
    const file = `${REFLECTION}/reflection-built-the-parser-20260102_030405.md`;
    expect(reason).toContain(file);
    expect(reason).toMatch(/findings.*recommendations.*choices.*next stop will succeed/is);
    expect(system.peek(file)).toBe(`${report}\n`);
    expect(system.peek(`${REFLECTION}/current_findings.md`)).toBe(`${report}\n`);
    expect(system.peek(`${RUNTIME}/logs/s1/FEEDBACK_SUMMARY.md`)).toBe(`${report}\n`);
    expect(system.files.list(REFLECTION)).toContain(".reflection_presented_s1");
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(system.files.list(REFLECTION)).not.toContain(".reflection_presented_s1");
    expect(asked(system)).toHaveLength(1);
    expect(metricsOf(system, "stop")).toEqual(
      expect.arrayContaining(["reflection_success=1", "reflection_blocked=1"]),
    );
  });

  it("are rendered from severity and list when there is no report", async () => {
    const system = session();
    await stopIn(system);
    expect(system.peek(`${REFLECTION}/reflection-session-20260102_030405.md`)).toMatch(
      /Severity: high[\s\S]*- tests were skipped/,
    );
  });

  it.each([
    ["nothing is to be held", { ...REPLY, should_block: false }],
    ["there is neither finding nor report", { ...REPLY, findings: [] }],
    ["the report is blank", { ...REPLY, findings: [], report: " \n" }],
  ])("are none when %s", async (_, value) => {
    const system = session({ answer: reply(value) });
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(metricsOf(system, "stop")).toContain("reflection_empty_results=1");
    expect(system.files.inspect(REFLECTION)).toBeUndefined();
  });
});

describe("a reflection that goes wrong", () => {
  it.each<[string, ScriptedRun]>([
    ["an invalid reply", { stdout: "{}" }],
    ["a failure", { code: 3 }],
    ["text", { stdout: "hello" }],
    ["a program that cannot be started", { end: { kind: "not-started", code: "ENOENT" } }],
  ])("with %s is reported and lets the stop through", async (_, answer) => {
    const system = session({ answer });
    const effect = await stopIn(system);
    expect(effect).toMatchObject(APPROVED);
    expect(effect?.diagnostics?.[0]?.detail).toMatch(/^bridge reflect failed/);
    expect(system.stderr()).toMatch(/bridge reflect failed/);
  });

  it("with a timeout is a warning and counts as nothing found", async () => {
    const system = session({ answer: { durationMs: 31_000 } });
    expect(await stopIn(system)).toEqual(APPROVED);
    expect(system.stderr()).toMatch(/no answer within 30 s/);
    expect(system.peek(`${RUNTIME}/logs/stop.log`)).toMatch(/WARNING: bridge reflect gave no answer/);
  });

  it("because nothing can be saved is reported and lets the stop through", async () => {
    const system = session({ files: { [REFLECTION]: "a file in the way" } });
    const effect = await stopIn(system);
    expect(effect).toMatchObject(APPROVED);
    expect(metricsOf(system, "stop")).toContain("reflection_errors=1");
    expect(effect?.diagnostics?.[0]?.detail).toContain("reflection failed");
  });
});

describe("the name of the file", () => {
  it.each([
    ["## Task Summary\n\nFix: the Parser's bug! Then more. And more", "fix-the-parser-s-bug-then-more"],
    ["## Task Summary\nsub heading\n\n\nSecond paragraph counts. x", "second-paragraph-counts"],
    ["## Task Summary\n\nTwo lines\nof text\n\nnext", "two-lines-of-text"],
    [`## Task Summary\n\n${"word ".repeat(40)}`, "word-word-word-word-word-word-word-word-word-word"],
    ["no heading at all", "session"],
    ["## Task Summary\n\n...", "session"],
    ["## Task Summary", "session"],
  ])("%j", (text, slug) => {
    expect(slugify(text)).toBe(slug);
    expect(slug.length).toBeLessThanOrEqual(50);
  });
});
