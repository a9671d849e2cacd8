import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { examineLosses } from "../../src/history/harmless.ts";
import { beginSession, beginTurn } from "../../src/history/sessions.ts";
import { postToolUse } from "../../src/hooks/stock/post-tool-use.ts";
import { preToolUse } from "../../src/hooks/stock/pre-tool-use.ts";
import { userPromptSubmit } from "../../src/hooks/stock/user-prompt-submit.ts";
import type { HookInput } from "../../src/protocol/index.ts";
import { type TestProject, testProject } from "./project.ts";

interface Call {
  readonly session?: string;
  readonly useId?: string;
}

function toolInput(
  project: TestProject,
  event: string,
  command: string,
  { session = "s1", useId }: Call,
): HookInput {
  return {
    kind: "tool",
    host: "claude-code",
    event,
    nativeEvent: event,
    sessionId: session,
    cwd: project.root,
    transcriptPath: undefined,
    facts: { command, paths: [] },
    raw: {},
    result: undefined,
    error: undefined,
    tool: { name: "Bash", canonicalName: "Bash", input: { command }, useId },
  };
}

async function offer(project: TestProject, command: string, call: Call = {}) {
  return preToolUse().run(toolInput(project, "PreToolUse", command, call), project.context.system);
}

async function finish(project: TestProject, command: string, call: Call = {}) {
  return postToolUse().run(toolInput(project, "PostToolUse", command, call), project.context.system);
}

/** Between the hooks, as an agent's call; what the first hook said. */
async function run(project: TestProject, command: string, call: Call = {}) {
  const effect = await offer(project, command, call);
  if (effect?.decision === undefined) {
    project.shell(command);
    await finish(project, command, call);
  }
  return effect;
}

function prompt(project: TestProject, text: string, sessionId = "s1") {
  const input: HookInput = {
    kind: "prompt",
    host: "claude-code",
    event: "UserPromptSubmit",
    nativeEvent: "UserPromptSubmit",
    sessionId,
    cwd: project.root,
    transcriptPath: undefined,
    facts: { command: null, paths: [] },
    raw: {},
    prompt: text,
  };
  return userPromptSubmit().run(input, project.context.system);
}

function configure(project: TestProject, config: object): void {
  mkdirSync(join(project.home, ".amplihack"), { recursive: true });
  writeFileSync(join(project.home, ".amplihack/config.jsonc"), JSON.stringify(config), { mode: 0o600 });
}

function repository(config: object = {}): TestProject {
  const project = testProject();
  configure(project, { history: { budgetMs: 60_000 }, ...config });
  project.write({
    "src/a.txt": "a\n",
    "src/b.txt": "b\n",
    ".gitignore": "dist/\n.claude/\n",
    "x.txt": "x\n",
  });
  project.git("init", "-q");
  project.git("add", "-A");
  project.git("commit", "-qm", "one");
  project.write({ "src/a.txt": "changed\n", "work/new.txt": "new\n" });
  return project;
}

describe("a call that loses what was kept", () => {
  it.each(["rm -rf src", "rm -rf work", "git reset --hard", "git clean -fdx", "git checkout -- ."])(
    "%s passes with one line for the person, and is undone",
    async command => {
      const project = repository();
      const state = project.state();
      const effect = await run(project, command);
      expect(effect?.decision).toBeUndefined();
      expect(effect?.message?.text).toMatch(/^kept \d+ files?, .*: amplihack undo \w+$/);
      expect(project.state()).not.toEqual(state);
      await project.undo();
      expect(project.state()).toEqual(state);
    },
  );

  it("is asked about at level strict, and when the history is off", async () => {
    for (const config of [
      { guard: { level: "strict" } },
      { history: { enabled: false } },
      { parts: ["guard"] },
    ]) {
      const project = repository(config);
      expect((await offer(project, "rm -rf src"))?.decision?.kind).toMatch(/ask|deny/);
      expect((await offer(project, "git reset --hard"))?.decision?.kind).toMatch(/ask|deny/);
    }
  });

  it("passes where nobody can be asked as well; what could not be kept, and what is denied, is refused", async () => {
    const unattended = { guard: { unattended: "deny" } };
    const project = repository(unattended);
    expect((await run(project, "rm -rf src"))?.message?.text).toMatch(/^kept /);
    expect((await offer(project, "rm -rf ~"))?.decision?.kind).toBe("deny");
    const excluded = repository({ ...unattended, history: { budgetMs: 60_000, exclude: ["*.txt"] } });
    const effect = await offer(excluded, "rm -rf src");
    expect(effect?.decision?.kind).toBe("deny");
    expect(effect?.decision?.reason).toContain("history.exclude");
  });

  it("is asked about when something of it is excluded, with the reason", async () => {
    const project = repository({ history: { budgetMs: 60_000, exclude: ["*.txt"] } });
    const effect = await offer(project, "rm -rf src");
    expect(effect?.decision?.kind).toBe("ask");
    expect(effect?.decision?.reason).toContain("history.exclude");
  });

  it("is asked about when a single file is too large, also where no rule speaks", async () => {
    const project = repository({ history: { budgetMs: 60_000, maxFileMb: 1 } });
    project.shell("head -c 3000000 /dev/urandom > big.bin");
    expect((await offer(project, "rm big.bin"))?.decision?.kind).toBe("ask");
    project.shell("git add big.bin && git commit -qm big");
    const state = project.state();
    expect((await run(project, "rm big.bin"))?.decision).toBeUndefined();
    await project.undo();
    expect(project.state()).toEqual(state);
  });

  it("moves a file that is too large to be kept, and back", async () => {
    const project = repository({ history: { budgetMs: 60_000, maxFileMb: 1 } });
    project.shell("head -c 3000000 /dev/urandom > big.bin");
    const state = project.state();
    expect((await run(project, "mv big.bin work/moved.bin"))?.decision).toBeUndefined();
    await project.undo();
    expect(project.state()).toEqual(state);
  });
});

describe("what loses nothing is not asked about, also without a history and at level strict", () => {
  it.each([
    "rm -rf src",
    "rm -rf nowhere",
    "rm -rf empty",
    "git reset --hard",
    "git checkout -- src",
    "rm -rf dist",
  ])("%s in a clean repository", async command => {
    for (const config of [{ history: { enabled: false } }, { guard: { level: "strict" } }]) {
      const project = repository(config);
      project.shell("git add -A; git commit -qm two; mkdir -p empty dist; echo x > dist/out.js");
      expect((await offer(project, command))?.decision).toBeUndefined();
    }
  });

  it("what this session made is its own to delete; what a person changed since is not", async () => {
    const project = repository({ guard: { level: "strict" } });
    await run(project, "mkdir made");
    await run(project, "echo one > made/one.txt");
    expect((await offer(project, "rm -rf made"))?.decision).toBeUndefined();
    project.write({ "made/one.txt": "by hand\n" });
    expect((await offer(project, "rm -rf made"))?.decision?.kind).toMatch(/ask|deny/);
  });

  it("an ignore rule that this session wrote does not count", async () => {
    const project = repository();
    project.write({ "target/work.txt": "w\n" });
    const look = () => examineLosses(project.context, "s1").isHarmless(join(project.root, "target"));
    project.shell("echo target/ > .git/info/exclude");
    expect(await look()).toBe(true);
    await run(project, "echo target/ >> .gitignore");
    expect(await look()).toBe(false);
  });
});

describe("the end of a call", () => {
  it("is found by the id of the tool use, also when calls run at the same time", async () => {
    const project = repository();
    await offer(project, "rm -f x.txt", { useId: "t1" });
    await offer(project, "rm -f src/b.txt", { useId: "t2" });
    project.shell("rm -f src/b.txt");
    await finish(project, "rm -f src/b.txt", { useId: "t2" });
    project.shell("rm -f x.txt");
    await finish(project, "rm -f x.txt", { useId: "t1" });
    const { changes } = project.history.listChanges({ project: project.root });
    expect(changes.map(({ files }) => files.map(({ path }) => path.slice(project.root.length + 1)))).toEqual([
      ["src/b.txt"],
      ["x.txt"],
    ]);
  });

  it("that never comes is closed by the next prompt, and turns are counted", async () => {
    const project = repository();
    await prompt(project, "go on");
    await offer(project, "rm -f x.txt");
    project.shell("rm -f x.txt");
    expect(project.history.listChanges({}).changes.map(({ status }) => status)).toEqual(["open"]);
    await prompt(project, "go on");
    await run(project, "rm -f src/b.txt");
    const { changes } = project.history.listChanges({});
    expect(changes.map(({ status, turn }) => [status, turn])).toEqual([
      ["done", 2],
      ["done", 1],
    ]);
  });

  it.each([
    ["claude-code", {}, "ok"],
    ["pi", { isError: true }, "failed"],
    ["pi", { isError: false }, "ok"],
    ["opencode", { output: { metadata: { exit: 3 } } }, "failed"],
    ["opencode", { output: { metadata: { exit: 0 } } }, "ok"],
    ["opencode", { output: {} }, "ok"],
    ["copilot-cli", { toolResult: { resultType: "failure" } }, "failed"],
    ["copilot-cli", { toolResult: { resultType: "success" } }, "ok"],
    ["gemini-cli", { tool_response: { error: { message: "no such file" } } }, "failed"],
  ])("is recorded as %s tells its end: %j", async (host, raw, exit) => {
    const project = repository();
    const of = (event: string) => ({ ...toolInput(project, event, "rm -f x.txt; false", {}), host, raw });
    await preToolUse().run(of("PreToolUse"), project.context.system);
    project.shell("rm -f x.txt; false");
    await postToolUse().run(of("PostToolUse"), project.context.system);
    expect(project.history.listChanges({}).changes.map(change => change.exit)).toEqual([exit]);
  });

  it("is one change when the hooks are registered twice", async () => {
    const project = repository();
    const call = { useId: "u1" };
    const said = await Promise.all([offer(project, "rm -rf src", call), offer(project, "rm -rf src", call)]);
    project.shell("rm -rf src");
    await Promise.all([finish(project, "rm -rf src", call), finish(project, "rm -rf src", call)]);
    const { changes } = project.history.listChanges({});
    expect(changes.map(({ status }) => status)).toEqual(["done"]);
    for (const effect of said) expect(effect?.message?.text).toMatch(new RegExp(`undo ${changes[0]?.id}$`));
    // An id of the host that comes again is another call.
    project.shell("git checkout -q -- src");
    await run(project, "rm -rf src", call);
    expect(project.history.listChanges({}).changes).toHaveLength(2);
  });

  it.each([
    ["another command", "rm -f x.txt", "rm -rf src"],
    ["one that begins alike", `rm -f x.txt ${"y ".repeat(400)}`, `rm -rf x.txt ${"y ".repeat(400)} src`],
  ])("keeps what will run when a hook of the user's made %s of the call", async (_, offered, rewritten) => {
    const project = repository();
    const call = { useId: "u1" };
    const before = project.state();
    await offer(project, offered, call);
    expect((await offer(project, rewritten, call))?.decision).toBeUndefined();
    project.shell(rewritten);
    await finish(project, rewritten, call);
    const { changes } = project.history.listChanges({});
    expect(changes.map(({ status }) => status)).toEqual(["done"]);
    await project.undo();
    expect(project.state()).toEqual(before);
  });

  it("belongs to the first turn when the prompt came while the session was being opened", async () => {
    const project = repository();
    const { store } = project.context;
    // The other hook has found no record and has not written one yet.
    const find = store.readSealed.bind(store);
    store.readSealed = () => undefined;
    beginTurn(store, "s1", project.root);
    beginSession(store, "s1", project.root);
    store.readSealed = find;
    await run(project, "rm -f x.txt");
    expect(project.history.listChanges({}).changes.map(({ turn }) => turn)).toEqual([1]);
  });

  it("leaves out what the hooks themselves write in the project", async () => {
    const project = repository();
    project.write({
      ".gitignore": "",
      ".claude/runtime/.gitignore": "*\n",
      ".claude/runtime/metrics/calls.jsonl": "1\n",
    });
    await run(project, "git clean -fdxq");
    const [change] = project.history.listChanges({}).changes;
    const paths = change?.files.map(({ path }) => path.slice(project.root.length + 1)) ?? [];
    expect(paths).toContain("work/new.txt");
    expect(paths.filter(path => path.startsWith(".claude/runtime/"))).toEqual([]);
  });

  it("keeps nothing of what doctor tries out", async () => {
    const project = repository();
    await prompt(project, "hello", "amplihack-doctor");
    const sessions = join(project.home, ".amplihack/history/sessions");
    expect(existsSync(sessions)).toBe(false);
    await prompt(project, "hello");
    expect(readdirSync(sessions)).toEqual(["s1"]);
  });

  it("goes on with the turn when the host passes on a held stop as a prompt", async () => {
    const project = repository();
    await prompt(project, "go on");
    await run(project, "rm -f x.txt");
    await prompt(project, "Stop hook feedback: [amplihack] The work is not complete yet");
    await run(project, "rm -f src/b.txt");
    await prompt(project, "go on");
    await run(project, "rm -f src/a.txt");
    expect(project.history.listChanges({}).changes.map(({ turn }) => turn)).toEqual([2, 1, 1]);
  });
});

describe("git", () => {
  it("gets the log of a deleted branch back with the branch", async () => {
    const project = repository();
    project.shell(
      "git branch side; git branch -f side HEAD; git switch -q side; git commit -qam two; git switch -q -",
    );
    const log = project.git("reflog", "show", "--format=%H %gs", "side");
    await run(project, "git branch -D side");
    await project.undo();
    expect(project.git("reflog", "show", "--format=%H %gs", "side")).toBe(log);
    await project.redo();
    expect(project.state()["git for-each-ref"]).not.toContain("side");
  });

  it("is asked about where its refs cannot be read", async () => {
    const project = repository();
    // Only newer versions of git make one.
    project.shell("mkdir .git/reftable");
    const effect = await offer(project, "git reset --hard");
    expect(effect?.decision).toMatchObject({ kind: "ask", reason: expect.stringContaining("reftable") });
    expect((await offer(project, "git branch -D main"))?.decision?.kind).toMatch(/ask|deny/);
    expect((await run(project, "rm -rf src"))?.decision).toBeUndefined();
    await project.undo();
    expect(project.read("src/b.txt")).toBe("b\n");
  });
});

describe("a tool of a server", () => {
  it.each([
    ["mcp__files__delete_directory", { path: "work" }, "rm -rf work"],
    ["mcp__files__write_file", { path: "src/a.txt", content: "other" }, "printf other > src/a.txt"],
    ["mcp__files__move_file", { source: "x.txt", destination: "y.txt" }, "mv x.txt y.txt"],
    ["mcp__shell__run", { command: "rm -rf ../work", cwd: "src" }, "rm -rf work"],
  ])("%s is kept and undone as a command is", async (name, arguments_, command) => {
    const project = repository();
    const state = project.state();
    const call = (event: string) => ({
      ...toolInput(project, event, "", {}),
      facts: { command: null, paths: [] },
      tool: { name, canonicalName: name, input: arguments_, useId: undefined },
    });
    expect((await preToolUse().run(call("PreToolUse"), project.context.system))?.decision).toBeUndefined();
    project.shell(command);
    await postToolUse().run(call("PostToolUse"), project.context.system);
    expect(project.state()).not.toEqual(state);
    await project.undo();
    expect(project.state()).toEqual(state);
  });
});

describe("what a session wrote", () => {
  it("does not say what may be lost: rules of .gitignore, marks, and build output that work was moved to", async () => {
    const strict = repository({ guard: { level: "strict" } });
    await run(strict, "echo work/ >> .gitignore");
    expect((await run(strict, "rm -rf work"))?.decision?.kind).toBe("ask");
    await run(strict, "touch src/pyvenv.cfg");
    expect((await run(strict, "rm -rf src"))?.decision?.kind).toBe("ask");
    await run(strict, "mkdir dist");
    await run(strict, "mv src dist/src");
    expect((await run(strict, "rm -rf dist"))?.decision?.kind).toBe("ask");
  });

  it("passes where it is kept, and is asked about where it is not", async () => {
    const project = repository();
    await run(project, "echo work/ >> .gitignore");
    expect((await run(project, "rm -rf work"))?.decision).toBeUndefined();
    await project.undo();
    expect(project.read("work/new.txt")).toBe("new\n");
    await run(project, "mkdir dist");
    await run(project, "mv src dist/src");
    expect((await run(project, "rm -rf dist"))?.decision?.kind).toBe("ask");
    expect((await run(project, "mv work build && rm -rf build"))?.decision).toBeUndefined();
    await project.undo();
    expect(project.read("work/new.txt")).toBe("new\n");
  });

  it("is read when it is run, wherever it lies", async () => {
    const project = repository();
    const remove = "import shutil, os\nshutil.rmtree(os.path.expanduser('~'))\n";
    project.write({ "theirs.py": remove });
    await run(project, `cat > "$HOME/ours.py" <<'END'\n${remove}END\n`);
    await run(project, `printf '{"scripts":{"test":"python3 ../ours.py"}}' > package.json`);
    for (const command of ["python3 ../ours.py", "npm test", "npm run test", "python3 theirs.py"])
      expect([command, (await offer(project, command))?.decision?.kind]).toEqual([command, "deny"]);
    const other = { session: "s2" };
    expect((await offer(project, "npm test", other))?.decision).toBeUndefined();
  });
});

describe("a secret that a call only named", () => {
  const env = "KEY=of-the-person\n";

  it.each([
    ["was asked about", "echo K=1 > .env"],
    ["may still run", "echo K=1 >> .env"],
  ])("stays the person's where the call %s", async (_, first) => {
    const project = repository();
    project.write({ ".env": env });
    await offer(project, first, { useId: "t1" });
    for (const command of ["cat .env", "rm .env", "echo K=2 > .env"])
      expect((await offer(project, command))?.decision?.kind, command).toBe("ask");
  });

  it("stays the person's where they made it after a refusal, also after their next prompt", async () => {
    const project = repository();
    expect((await offer(project, "echo K=1 > .env", { useId: "t1" }))?.decision?.kind).toBe("ask");
    project.write({ ".env": env });
    expect((await offer(project, "cat .env"))?.decision?.kind).toBe("ask");
    await prompt(project, "I made it myself");
    expect((await offer(project, "cat .env"))?.decision?.kind).toBe("ask");
    expect((await offer(project, "rm .env"))?.decision?.kind).toBe("ask");
  });

  it("stays the person's where its tree was copied", async () => {
    const project = repository();
    project.write({ "app/.env": env, "app/a.txt": "a\n" });
    expect((await run(project, "cp -r app copy"))?.decision).toBeUndefined();
    expect((await offer(project, "cat copy/.env"))?.decision?.kind).toBe("ask");
  });

  it("stays the person's under the name that a call gave it, and one of the session's stays its own", async () => {
    const project = repository();
    const agreed = async (command: string) => {
      const call = { useId: command };
      await offer(project, command, call);
      project.shell(command);
      await finish(project, command, call);
    };
    project.write({ ".env": env });
    await agreed("mv .env .env.old");
    await agreed("mv .env.old .env.older");
    for (const command of ["cat .env.older", "cp .env.older copy.txt", "rm .env.older"])
      expect((await offer(project, command))?.decision?.kind, command).toBe("ask");
    await agreed("echo K=1 > .env.new");
    await agreed("mv .env.new .env.newer");
    expect((await offer(project, "cat .env.newer"))?.decision).toBeUndefined();
  });

  it("is the session's where the call ran", async () => {
    const project = repository();
    await offer(project, "echo K=1 > .env", { useId: "t1" });
    project.shell("echo K=1 > .env");
    await finish(project, "echo K=1 > .env", { useId: "t1" });
    expect((await offer(project, "cat .env"))?.decision).toBeUndefined();
  });
});
