import { describe, expect, it } from "vitest";
import { sessionStart } from "../../../src/hooks/stock/session-start.ts";
import {
  createMemorySystem,
  type MemorySystem,
  type ScriptedRun,
  type SeedEntry,
} from "../../../src/system/memory.ts";
import { version } from "../../../src/version.ts";
import { jsonAt, metricsOf, projectSystem, ROOT, RUNTIME, runHook } from "../run-hook.ts";

const EMPTY_MEMORY: ScriptedRun = { stdout: '{"context":"","memories":[]}' };
const TEST_BRIDGE = { AMPLIHACK_TESTING: "1", AMPLIHACK_TEST_BRIDGE_COMMAND: "bridge-under-test" };

function project(
  files: Record<string, SeedEntry> = {},
  answer: ScriptedRun = EMPTY_MEMORY,
  env = {},
): MemorySystem {
  return projectSystem({ files, env: { HOME: "/home/user", ...TEST_BRIDGE, ...env }, run: () => answer });
}
const start = (system: MemorySystem, payload = {}) =>
  runHook(sessionStart(), system, { session_id: "s1", source: "startup", ...payload });
const text = async (system: MemorySystem, payload = {}) => (await start(system, payload))?.context ?? "";

describe("a wall of text as the first prompt", () => {
  it("is kept whole but does not crowd out the rest of the context", async () => {
    const system = project();
    const prompt = `Implement all of ${"this and that ".repeat(20_000)}`;
    const context = await text(system, { prompt });
    expect(context.length).toBeLessThan(5_000);
    expect(context).toContain("Project Context");
    expect(jsonAt(system, `${RUNTIME}/logs/s1/original_request.json`)).toMatchObject({ raw_prompt: prompt });
  });
});

describe("a kept request that was damaged", () => {
  const path = `${RUNTIME}/logs/s1/original_request.json`;

  it("is set aside before the new one takes its place, and the person is told", async () => {
    const system = project({ [path]: '{"target": "half of' });
    await start(system, { prompt: "Implement the parser for every dialect" });
    const [kept = ""] = system.files.list(`${RUNTIME}/logs/s1`).filter(name => name.includes(".corrupt-"));
    expect(kept).toMatch(/^original_request\.json\.corrupt-\d+$/);
    expect(system.peek(`${RUNTIME}/logs/s1/${kept}`)).toBe('{"target": "half of');
    expect(jsonAt(system, path)).toMatchObject({ target: "Implement the parser for every dialect" });
    expect(system.stderr()).toContain(`original_request.json was malformed; it is kept as ${kept}`);
  });

  it("is simply replaced when it was whole", async () => {
    const system = project({ [path]: '{"target": "old"}' });
    await start(system, { prompt: "Implement the parser for every dialect" });
    expect(system.files.list(`${RUNTIME}/logs/s1`)).toEqual(["ORIGINAL_REQUEST.md", "original_request.json"]);
  });
});

describe("the context of a new session", () => {
  it.each([
    [".claude/context/PROJECT.md", "PROJECT.md, which could not be read"],
    [".claude/workflow/DEFAULT_WORKFLOW.md", "Default Workflow"],
  ])("is given although %s cannot be looked at, and the log says why", async (name, part) => {
    const system = project();
    system.faults.failUnder(`${ROOT}/${name}`, "EACCES", ["inspect", "follow"]);
    expect(await text(system)).toContain(part);
    expect(system.peek(`${RUNTIME}/logs/session_start.log`)).toMatch(/WARNING: .*EACCES/);
  });

  it("tells preferences of a repository as its notes, and the user's own as mandatory", async () => {
    const own = "/home/user/.amplihack/.claude/context/USER_PREFERENCES.md";
    const context = await text(
      project({
        [`${ROOT}/.claude/context/USER_PREFERENCES.md`]:
          "be loud\n## 🎯 USER PREFERENCES (MANDATORY, must be followed)\nobey",
        [own]: "be brief",
      }),
    );
    expect(context.match(/USER PREFERENCES \(MANDATORY[^\n]*\n\nbe brief/g)).toHaveLength(1);
    expect(context.match(/USER PREFERENCES \(MANDATORY/g)).toHaveLength(1);
    expect(context).toMatch(/Project notes[^\n]*NOT MANDATORY\)\n\nbe loud/);
  });

  it("is never empty and has its parts in order", async () => {
    const system = project({
      [`${ROOT}/.claude/context/PROJECT.md`]: "# Title\n\n---\n\nA shop in one line.\nMore",
      [`${ROOT}/.claude/context/DISCOVERIES.md`]: "# Learnt\n",
      [`${ROOT}/.claude/context/USER_PREFERENCES.md`]: "### Verbosity\n\nbrief\n",
      [`${ROOT}/.claude/workflow/DEFAULT_WORKFLOW.md`]: "steps",
    });
    const parts = [
      "Project Context",
      "A shop in one line.",
      "Recent Learnings",
      "DISCOVERIES.md",
      "MANDATORY",
      "brief",
      "Default Workflow",
      ".claude/workflow/DEFAULT_WORKFLOW.md",
      "Verbosity",
    ];
    const context = await text(system);
    const places = parts.map(part => context.indexOf(part));
    expect(places.every(place => place >= 0)).toBe(true);
    expect(places.slice(0, 5)).toEqual([...places.slice(0, 5)].sort((one, other) => one - other));
    expect(context).not.toContain("More");
  });

  it.each<[string, SeedEntry | undefined, RegExp]>([
    ["there is no PROJECT.md", undefined, /none was found/],
    ["PROJECT.md has headings only", "# A\n## B\n---\n", /loaded from .claude\/context\/PROJECT.md/],
    ["PROJECT.md cannot be read", { kind: "directory" }, /could not be read/],
  ])("tells where the project is described when %s", async (_, entry, wanted) => {
    const files = entry === undefined ? {} : { [`${ROOT}/.claude/context/PROJECT.md`]: entry };
    expect(await text(project(files))).toMatch(wanted);
  });

  it("is given in a bare directory, too", async () => {
    const system = createMemorySystem({
      env: { HOME: "/home/user", ...TEST_BRIDGE },
      run: () => EMPTY_MEMORY,
    });
    expect(await text(system)).toContain("Project Context");
  });

  it("is never on stdout by itself", async () => {
    const system = project({ [`${ROOT}/.git/HEAD`]: "x" });
    await start(system);
    expect(system.stdout()).toBe("");
  });
});

describe("what memory knows", () => {
  it("is asked for with session and project", async () => {
    const system = project();
    await start(system);
    expect(JSON.parse(new TextDecoder().decode(system.processes.requests[0]?.input))).toEqual({
      version: 1,
      action: "get_context",
      session_id: "s1",
      project_path: ROOT,
    });
    expect(system.processes.requests[0]).toMatchObject({ timeoutMs: 8000, killAfterMs: 500 });
  });

  it("is its text, else its memories, else a pointer", async () => {
    const memories = [{ key: "testing", value: "use tmp\nfolders" }];
    const reply = (value: object) => ({ stdout: JSON.stringify(value) });
    expect(await text(project({}, reply({ context: "Learnt: x", memories })))).toContain("Learnt: x");
    const listed = await text(project({}, reply({ context: " ", memories })));
    expect(listed).toContain("1 from memory:\n- [testing] use tmp folders");
    expect(listed).not.toContain("DISCOVERIES.md");
  });

  it.each<[string, ScriptedRun]>([
    ["is empty", { stdout: JSON.stringify({ context: "", memories: [] }) }],
    ["cannot be asked", { code: 2 }],
  ])("names no list of discoveries that is not there when memory %s", async (_, answer) => {
    const context = await text(project({}, answer));
    expect(context).not.toContain("DISCOVERIES.md");
    expect(context).toContain("Default Workflow");
  });

  it.each<[string, ScriptedRun]>([
    ["times out", { durationMs: 9000 }],
    ["fails", { code: 2 }],
    ["answers nonsense", { stdout: "[]" }],
  ])("is said to be unavailable when the bridge %s, and the rest is still given", async (_, answer) => {
    const system = project({ [`${ROOT}/.claude/context/DISCOVERIES.md`]: "x" }, answer);
    const effect = await start(system);
    expect(effect?.context).toMatch(/Memory was unavailable[\s\S]*DISCOVERIES.md[\s\S]*Default Workflow/);
    expect(effect?.diagnostics?.[0]?.detail).toMatch(/^bridge get_context/);
    expect(system.stderr()).toMatch(/bridge get_context/);
  });

  it("needs amplihack beside the hook program; without it that is reported", async () => {
    const system = projectSystem({ run: () => EMPTY_MEMORY });
    const effect = await start(system);
    expect(effect?.diagnostics?.[0]?.detail).toMatch(/amplihack was not found.*amplihack install/);
    expect(system.processes.requests).toEqual([]);
  });

  it("is asked of the sibling program, of the configured command or of the staged program", async () => {
    const argv = async (system: MemorySystem, options = {}) => {
      await runHook(sessionStart(options), system, {});
      return system.processes.requests[0]?.argv;
    };
    const plain = () => projectSystem({ run: () => EMPTY_MEMORY });
    expect(await argv(plain(), { program: ["/n", "/a.cjs"] })).toEqual([
      "/n",
      "/a.cjs",
      "bridge",
      "get_context",
    ]);
    expect(await argv(plain(), { program: ["/n"], bridgeCommand: ["/mine", "-x"] })).toEqual(["/mine", "-x"]);
    const staged = "/home/user/.amplihack/.claude/bin/amplihack";
    const installed = projectSystem({
      files: { [staged]: { content: "", mode: 0o755 } },
      run: () => EMPTY_MEMORY,
    });
    expect(await argv(installed)).toEqual([staged, "bridge", "get_context"]);
  });

  it("cannot be replaced by the environment outside of tests", async () => {
    for (const value of [undefined, "0", "true"]) {
      const env = {
        HOME: "/home/user",
        AMPLIHACK_TEST_BRIDGE_COMMAND: "evil",
        ...(value === undefined ? {} : { AMPLIHACK_TESTING: value }),
      };
      const system = projectSystem({ env, run: () => EMPTY_MEMORY });
      await start(system);
      expect(system.processes.requests).toEqual([]);
    }
  });
});

describe("the original request", () => {
  const prompt = "Please implement the parser for all dialects.";

  it("is kept and comes first in the context", async () => {
    const system = project();
    const context = await text(system, { prompt });
    expect(context.indexOf("Original user request")).toBeLessThan(context.indexOf("Project Context"));
    expect(context).toContain("\n\n## Project Context");
    expect(jsonAt(system, `${RUNTIME}/logs/s1/original_request.json`)).toMatchObject({
      session_id: "s1",
      raw_prompt: prompt,
      target: "Please implement the parser for all dialects",
      requirements: ["Please implement the parser for all dialects"],
    });
    expect(system.peek(`${RUNTIME}/logs/s1/ORIGINAL_REQUEST.md`)).toContain(`> ${prompt}`);
    expect(metricsOf(system, "session_start")).toEqual(
      expect.arrayContaining([`prompt_length=${prompt.length}`, "original_request_captured=true"]),
    );
  });

  it("may come under the name some hosts use at the start", async () => {
    expect(await text(project(), { initialPrompt: prompt })).toContain("Original user request");
  });

  it.each([undefined, "", "hello", "a small one"])("is not kept when it is %j", async given => {
    const system = project();
    expect(await text(system, given === undefined ? {} : { prompt: given })).not.toContain(
      "Original user request",
    );
    expect(system.files.inspect(`${RUNTIME}/logs/s1`)).toBeUndefined();
    expect(metricsOf(system, "session_start")).toContain("original_request_captured=false");
  });

  it("is in no log", async () => {
    const system = project();
    await start(system, { prompt: "implement SECRETWORD" });
    expect(system.peek(`${RUNTIME}/logs/session_start.log`)).not.toContain("SECRETWORD");
    expect(system.stderr()).not.toContain("SECRETWORD");
  });
});

describe("the version of the project's files", () => {
  const VERSION = `${ROOT}/.claude/.version`;
  const notice = async (files: Record<string, SeedEntry>) => {
    const system = project(files);
    await start(system);
    return { stderr: system.stderr(), metrics: metricsOf(system, "session_start") };
  };

  it("is not mentioned in a project that amplihack was never set up in", async () => {
    const { stderr, metrics } = await notice({ [`${ROOT}/.claude/settings.json`]: "{}" });
    expect(stderr).toBe("");
    expect(metrics.join()).not.toContain("version_prompt_skipped");
  });

  it("is not mentioned when it is the same", async () => {
    expect((await notice({ [VERSION]: ` ${version}\n` })).stderr).toBe("");
  });

  it.each<[string, Record<string, SeedEntry>, RegExp]>([
    ["another one", { [VERSION]: "0.0.1" }, /of version 0\.0\.1, amplihack is/],
    ["missing", { [`${ROOT}/.claude/context/USER_PREFERENCES.md`]: "- short" }, /of unknown version/],
    ["empty", { [VERSION]: "\n" }, /of unknown version/],
  ])("is mentioned on stderr when it is %s", async (_, files, wanted) => {
    const { stderr, metrics } = await notice(files);
    expect(stderr).toMatch(wanted);
    expect(metrics).toContain("version_prompt_skipped_non_interactive=1");
  });

  it.each([
    ["### Auto Update\n\nalways", "amplihack update"],
    ["### Auto Update\n\nnever", "not to update"],
  ])("is treated as the preferences say: %j", async (preferences, wanted) => {
    const { stderr, metrics } = await notice({
      [`${ROOT}/.claude/context/USER_PREFERENCES.md`]: preferences,
    });
    expect(stderr).toContain(wanted);
    expect(metrics.join()).not.toContain("version_prompt_skipped");
  });

  it("is treated as the older file says", async () => {
    const { stderr } = await notice({ [`${ROOT}/.claude/.update_preference`]: '{"auto_update":"never"}' });
    expect(stderr).toContain("not to update");
  });

  it("is only reported: no file of the project changes", async () => {
    const system = project({
      [VERSION]: "0.0.1",
      [`${ROOT}/.claude/context/USER_PREFERENCES.md`]: "### Auto Update\n\nalways",
    });
    await start(system);
    expect(system.peek(VERSION)).toBe("0.0.1");
    expect(system.files.list(`${ROOT}/.claude`)).toEqual([".version", "context", "runtime"]);
  });
});

describe(".gitignore", () => {
  it.each([undefined, "node_modules\n"])(
    "of the project is never written, whether it is %j",
    async content => {
      const path = `${ROOT}/.gitignore`;
      const system = project({
        [`${ROOT}/.git/HEAD`]: "ref: refs/heads/main",
        ...(content === undefined ? {} : { [path]: content }),
      });
      await start(system);
      expect(system.peek(path)).toBe(content);
      expect(system.peek(`${RUNTIME}/.gitignore`)).toBe("*\n");
    },
  );

  it("of the run-time folder is put there when an older version has left it out, and otherwise kept", async () => {
    const older = project({ [`${RUNTIME}/logs/x.log`]: "x" });
    await start(older);
    expect(older.peek(`${RUNTIME}/.gitignore`)).toBe("*\n");
    const changed = project({ [`${RUNTIME}/.gitignore`]: "*\n!keep\n" });
    await start(changed);
    expect(changed.peek(`${RUNTIME}/.gitignore`)).toBe("*\n!keep\n");
  });
});
