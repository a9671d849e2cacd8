import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { buildHooks } from "../../src/install/user-hooks/build.ts";
import { compileAlone } from "../../src/install/user-hooks/bundle.ts";
import { findUntrusted, trustHooks } from "../../src/install/user-hooks/manage.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { NODE_PROGRAM, runProgram } from "../hooks/executable.ts";
import { systemIn } from "../install/sandbox.ts";
import { newUser, newUserInside, type User } from "./run-command.ts";

const AMPLIHACK = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
const own = ({ home }: User, ...parts: readonly string[]) => join(home, ".amplihack", "hooks", ...parts);
const places = ({ home, project }: User) => ({
  home,
  stateHome: join(home, ".amplihack"),
  projectRoot: project,
});
const hook = (name: string, reason: string) =>
  `import { defineHook, deny } from "amplihack/hooks";\nexport default defineHook({ name: "${name}", event: "PreToolUse", tool: "Bash", run: () => deny("${reason}") });\n`;

const systemOf = ({ home, project }: User) =>
  systemIn(project, { PATH: process.env["PATH"] ?? "", HOME: home });

async function ask(user: User, subcommand: string, payload: object) {
  const input = JSON.stringify({ session_id: "s", cwd: user.project, ...payload });
  const ran = await runProgram(NODE_PROGRAM, [subcommand], { home: user.home, cwd: user.project, input });
  return { ...ran, answer: JSON.parse(ran.stdout) };
}
const bash = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "git status" } };

describe("the life of a hook", () => {
  it("is written, tested, listed and taken out by commands", async () => {
    const user = newUserInside();
    const made = await user.json("hooks", "new", "careful", "--format", "json");
    expect(made).toMatchObject({ success: true, hooks: [{ name: "careful", isPortable: true }] });
    expect(existsSync(own(user, "tsconfig.json"))).toBe(true);
    expect((await user.type(["hooks", "new", "careful"])).stderr).toContain("already there");
    expect((await user.type(["hooks", "new", "a b"])).code).toBe(2);
    const tested = await user.json<{
      files: {
        trials: { host: string; source: string; said: string; words: string }[];
        examples: unknown[];
      }[];
    }>("hooks", "test", "careful", "--format", "json");
    const [file] = tested.files;
    expect(file?.examples).toMatchObject([
      { said: "ask", isMet: true },
      { said: "none", isMet: true },
    ]);
    const recorded = file?.trials.filter(({ source }) => source === "recorded") ?? [];
    expect(new Set(recorded.map(({ host }) => host)).size).toBe(6);
    expect(new Set(recorded.map(({ said }) => said))).toEqual(new Set(["skipped"]));
    const codex = file?.trials.filter(({ host, source }) => host === "codex" && source === "example");
    expect(codex).toMatchObject([
      { said: "ask", words: expect.stringContaining('"deny"') },
      { said: "none" },
    ]);
    expect(file?.trials.filter(trial => trial.said === "failed")).toEqual([]);
    expect(await user.json("hooks", "list", "--own", "--format", "json")).toMatchObject([
      {
        name: "careful",
        runs: "in the hook program",
        scope: "user",
        events: ["PreToolUse"],
        missingIn: [],
        problem: null,
      },
    ]);
    expect((await user.type(["hooks", "list"])).stdout).toContain("careful");
    const removed = await user.json<{ keptAs: string }>("hooks", "remove", "careful", "--format", "json");
    expect(readFileSync(removed.keptAs, "utf8")).toContain("careful");
    expect(await user.json("hooks", "list", "--own", "--format", "json")).toEqual([]);
    expect((await user.type(["hooks", "remove", "careful"])).stderr).toContain("there is no hook 'careful'");
  });

  it("runs in the hook program itself, built by the package as it is released", () => {
    const user = newUserInside();
    mkdirSync(own(user), { recursive: true });
    writeFileSync(own(user, "a.ts"), hook("a", "no"));
    const env = { PATH: process.env["PATH"] ?? "", HOME: user.home };
    const built = execFileSync(process.execPath, [AMPLIHACK, "hooks", "build"], { cwd: user.project, env });
    expect(built.toString()).toMatch(/^a +PreToolUse +portable/);
  });

  it("an example that is not met fails the test, and says what came", async () => {
    const user = newUserInside();
    mkdirSync(own(user), { recursive: true });
    writeFileSync(
      own(user, "x.ts"),
      `${hook("x", "no")}export const examples = [{ input: { command: "ls" }, expect: "none" }];`,
    );
    const { code, stdout } = await user.type(["hooks", "test"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL.*examples\[0\] x: expected "none", it said deny/);
    writeFileSync(own(user, "x.ts"), `${hook("x", "no")}export const examples = [{ expect: 1 }];`);
    expect((await user.type(["hooks", "test"])).stdout).toContain("examples[0].input must be");
    expect(
      (await user.type(["hooks", "test", "--input", "-"], { input: JSON.stringify(bash) })).stdout,
    ).toContain("deny");
  });

  it("is added by copying, so that nobody but its owner changes it", async () => {
    const user = newUserInside();
    writeFileSync(join(user.project, "mine.ts"), hook("mine", "no"));
    expect((await user.type(["hooks", "add", "mine.ts"])).code).toBe(0);
    expect(readFileSync(own(user, "mine.ts"), "utf8")).toContain("mine");
    expect(await user.type(["hooks", "add", "notes.md"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not a hook"),
    });
    const missing = await user.type(["hooks", "add", "nowhere.ts"]);
    expect(missing).toMatchObject({
      code: 1,
      stderr: `Error: there is no file ${join(user.project, "nowhere.ts")}\n`,
    });
    writeFileSync(join(user.project, "mine.ts"), hook("mine", "other"));
    expect((await user.type(["hooks", "add", "mine.ts"])).stderr).toContain("is already there and differs");
    expect(readFileSync(own(user, "mine.ts"), "utf8")).not.toContain("other");
  });

  it("is not added under the name of another, and leaves nothing behind", async () => {
    const user = newUserInside();
    for (const name of ["mine.ts", "second.ts"]) writeFileSync(join(user.project, name), hook("mine", "no"));
    expect((await user.type(["hooks", "add", "mine.ts"])).code).toBe(0);
    const { code, stderr } = await user.type(["hooks", "add", "second.ts"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/second\.ts was not added: the name mine is taken/),
    ]);
    expect(existsSync(own(user, "second.ts"))).toBe(false);
    expect((await user.type(["hooks", "build"])).code).toBe(0);
  });

  it("is added with what it imports, as one file that later changes elsewhere do not touch", async () => {
    const user = newUserInside();
    const write = (name: string, text: string) => writeFileSync(join(user.project, name), text);
    write(
      "far.ts",
      hook("far", "x").replace(`deny("x")`, "deny(reason)") + `import { reason } from "./near";`,
    );
    write("near.ts", `export const reason: string = "from near";`);
    expect((await user.type(["hooks", "add", "far.ts"])).code).toBe(0);
    write("near.ts", `export const reason = "changed";`);
    expect(readFileSync(own(user, "far.js"), "utf8")).toMatch(
      /^\/\/ Made by amplihack hooks add from .*far\.ts[\s\S]*from near/,
    );
    expect(await user.json("hooks", "list", "--own", "--format", "json")).toMatchObject([
      { name: "far", runs: "in the hook program", problem: null },
    ]);
    write("broken.ts", `import "./nowhere.ts";`);
    expect((await user.type(["hooks", "add", "broken.ts"])).stderr).toMatch(
      /cannot be bundled: Could not resolve "\.\/nowhere\.ts"/,
    );
  });

  it("on an event that no host calls us on is told what to do, and lists the hosts that lack one", async () => {
    const user = newUserInside();
    mkdirSync(own(user), { recursive: true });
    writeFileSync(
      own(user, "x.ts"),
      `import { defineHook } from "amplihack/hooks";
export const a = defineHook({ name: "a", event: "SubagentStop", run() {} });
export const b = defineHook({ name: "b", event: "Stop", options: { hosts: ["codex", "pi"] }, run() {} });`,
    );
    const { problems } = await user.json<{ problems: readonly string[] }>(
      "hooks",
      "build",
      "--format",
      "json",
    );
    expect(problems).toEqual([
      expect.stringMatching(
        /^a is for SubagentStop, on which no host .*amplihack-hooks subagent-stop --host HOST.*claude-code \(SubagentStop\)/,
      ),
    ]);
    expect(await user.json("hooks", "list", "--own", "--format", "json")).toMatchObject([
      { name: "a", missingIn: expect.arrayContaining(["claude-code", "codex"]) },
      { name: "b", missingIn: ["pi"] },
    ]);
  });

  it("tells in the list what it took, and in a replay of a folder what it would have said", async () => {
    const user = newUserInside();
    mkdirSync(own(user), { recursive: true });
    writeFileSync(own(user, "a.ts"), hook("a", "no"));
    await buildHooks(createNodeSystem(), places(user));
    expect((await ask(user, "pre-tool-use", bash)).stdout).toContain("no");
    const [listed] = await user.json<{ cost: object }[]>("hooks", "list", "--own", "--format", "json");
    expect(listed?.cost).toEqual({ runs: 1, medianMs: expect.any(Number), lastMs: expect.any(Number) });
    expect((await user.type(["hooks", "list", "--own"])).stdout).toMatch(/took .*\n.* ms \(1 runs\)/);
    const sessions = join(user.project, "sessions");
    mkdirSync(sessions);
    const payload = { ...bash, session_id: "s", cwd: user.project };
    writeFileSync(join(sessions, "a.jsonl"), `${JSON.stringify(payload)}\n${JSON.stringify(payload)}\n`);
    const replayed = await user.json("hooks", "replay", "--transcript", sessions, "--format", "json");
    expect(replayed).toMatchObject({ own: { a: { deny: 2 } }, guard: { judged: 2 } });
    expect((await user.type(["hooks", "replay", "--transcript", sessions])).stdout).toContain("a: 2 deny");
  });

  it("no agent chooses the hooks that watch it", async () => {
    const user = newUserInside();
    for (const words of [
      ["new", "x"],
      ["add", "x.ts"],
      ["remove", "x"],
      ["import", "claude"],
    ])
      expect((await user.type(["hooks", ...words], { env: { CLAUDECODE: "1" } })).stderr).toContain(
        "belongs to an agent",
      );
    expect((await user.type(["hooks", "trust"])).stderr).toContain("only a person can do this");
  });

  it("hooks of Claude Code are imported by one line, and comments stay", async () => {
    const user = newUserInside();
    mkdirSync(join(user.home, ".claude"));
    const command = (line: string) => ({ hooks: [{ type: "command", command: line }] });
    const settings = {
      hooks: {
        PreToolUse: [command("check"), command("/x/amplihack-hooks pre-tool-use")],
        Stop: [{ hooks: [{ type: "prompt", prompt: "p" }] }],
      },
    };
    writeFileSync(join(user.home, ".claude", "settings.json"), JSON.stringify(settings));
    mkdirSync(own(user), { recursive: true });
    const file = join(user.home, ".amplihack", "hooks.jsonc");
    writeFileSync(file, `{\n  // mine\n  "hooks": {}\n}\n`);
    expect(await user.json("hooks", "import", "claude", "--format", "json")).toMatchObject({
      imported: 1,
      problems: [expect.stringContaining("it runs there and in no other host")],
    });
    const listed = await user.json<{ problem: string | null }[]>(
      "hooks",
      "list",
      "--own",
      "--format",
      "json",
    );
    expect(listed.map(({ problem }) => problem)).toEqual([
      null,
      expect.stringContaining("it runs there and in no other host"),
    ]);
    expect(readFileSync(file, "utf8")).toMatch(/\/\/ mine[\s\S]*"import": \[\s*"claude"\s*\]/);
    expect(await user.type(["hooks", "import", "vim"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("cannot be imported"),
    });
  });
});

describe("sources and builds", () => {
  it("a source that was written or changed is built at the start of a session, and before it is used", async () => {
    const user = newUser();
    mkdirSync(own(user), { recursive: true });
    writeFileSync(own(user, "a.ts"), hook("a", "first"));
    await ask(user, "session-start", { hook_event_name: "SessionStart", source: "startup" });
    expect((await ask(user, "pre-tool-use", bash)).stdout).toContain("first");
    writeFileSync(own(user, "a.ts"), hook("a", "second"));
    expect((await ask(user, "pre-tool-use", bash)).stdout).toContain("second");
  });

  it("one that is edited to want other calls, or keeps its size and time, does not run stale", async () => {
    const user = newUser();
    mkdirSync(own(user), { recursive: true });
    writeFileSync(own(user, "a.ts"), hook("a", "first").replace('tool: "Bash"', 'tool: "Write"'));
    await user.type(["hooks", "build"]);
    expect((await ask(user, "pre-tool-use", bash)).answer).toEqual({});
    writeFileSync(own(user, "a.ts"), hook("a", "first"));
    expect((await ask(user, "pre-tool-use", bash)).stdout).toContain("first");
    const { atime, mtime } = statSync(own(user, "a.ts"));
    writeFileSync(own(user, "a.ts"), hook("a", "third"));
    utimesSync(own(user, "a.ts"), atime, mtime);
    expect((await ask(user, "pre-tool-use", bash)).stdout).toContain("third");
    writeFileSync(own(user, "0.ts"), hook("0", "another"));
    expect((await ask(user, "pre-tool-use", bash)).stdout).toContain("another");
  });

  it("one that was never built is told at a call, and does not run", async () => {
    const user = newUser();
    mkdirSync(own(user), { recursive: true });
    writeFileSync(own(user, "a.ts"), hook("a", "first"));
    expect((await ask(user, "pre-tool-use", bash)).stdout).toContain("amplihack hooks build");
  });

  it("two builds at the same time leave one whole manifest", async () => {
    const user = newUser();
    mkdirSync(own(user), { recursive: true });
    for (const name of ["a", "b"]) writeFileSync(own(user, `${name}.ts`), hook(name, name));
    const both = await Promise.all([user.type(["hooks", "build"]), user.type(["hooks", "build"])]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const manifest = JSON.parse(readFileSync(own(user, ".build", "manifest.json"), "utf8"));
    expect(manifest.files).toHaveLength(2);
    expect(
      readdirSync(own(user, ".build")).filter(name => name.endsWith(".tmp") || name.endsWith(".lock")),
    ).toEqual([]);
    expect(statSync(own(user, ".build")).mode & 0o777).toBe(0o700);
  });

  it("what is trusted of a project runs until it changes", async () => {
    const user = newUserInside();
    const folder = join(user.project, ".amplihack", "hooks");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "p.ts");
    writeFileSync(file, hook("p", "by the project"));
    const system = createNodeSystem();
    const refused = await findUntrusted(system, places(user));
    expect(refused).toMatchObject([{ path: file, state: "untrusted" }]);
    await trustHooks(system, places(user), refused);
    expect((await ask(user, "pre-tool-use", bash)).stdout).toContain("by the project");
    writeFileSync(file, hook("p", "by somebody else"));
    utimesSync(file, 5, 5);
    const changed = await ask(user, "pre-tool-use", bash);
    expect(changed.answer).toMatchObject({
      systemMessage: expect.stringContaining("changed since it was trusted"),
    });
    expect((await buildHooks(system, places(user))).refused).toMatchObject([{ state: "changed" }]);
  });

  it("what is trusted of a project is built from its files alone, not by settings that lie beside them", async () => {
    const user = newUserInside();
    const folder = join(user.project, ".amplihack", "hooks");
    mkdirSync(join(folder, "lib"), { recursive: true });
    const text = hook("p", "from REASON").replace('"from REASON"', "Reflect.get(globalThis, 'reason')");
    writeFileSync(join(folder, "p.ts"), `import "./lib/reason.js";\nimport "reasons";\n${text}`);
    writeFileSync(join(folder, "lib", "reason.js"), 'globalThis.reason = "from its own import";\n');
    const installed = join(user.project, "node_modules", "reasons");
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(installed, "index.js"), 'globalThis.reason += " and its package";\n');
    writeFileSync(join(folder, "lib", "other.js"), 'globalThis.reason = "from elsewhere";\n');
    writeFileSync(join(user.project, "package.json"), '{"sideEffects": false}');
    const paths = { reasons: ["./.amplihack/hooks/lib/other.js"] };
    writeFileSync(join(user.project, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths } }));
    const system = createNodeSystem();
    await trustHooks(system, places(user), await findUntrusted(system, places(user)));
    const { stdout } = await ask(user, "pre-tool-use", bash);
    expect(stdout).toContain("from its own import and its package");
  });

  const FOREIGN = [
    ".claude/skills/dev-orchestrator/SKILL.md",
    ".claude/skills/amplihack/SKILL.md",
    ".claude/agents/amplihack-builder.md",
    ".claude/commands/amplihack/dev.md",
    ".codex/agents/amplihack-reviewer.toml",
    ".agents/skills/dev-orchestrator/SKILL.md",
  ];

  it("a text of a project under a name of ours is told, found by doctor, and trusted until it changes", async () => {
    const user = newUserInside();
    const system = createNodeSystem();
    for (const name of FOREIGN) {
      mkdirSync(dirname(join(user.project, name)), { recursive: true });
      writeFileSync(join(user.project, name), "Do as I say.\n");
    }
    const untrusted = () => findUntrusted(systemOf(user), places(user));
    expect((await untrusted()).map(({ path }) => path).sort()).toEqual(
      FOREIGN.map(name => join(user.project, name)).sort(),
    );
    const start = { hook_event_name: "SessionStart", source: "startup" };
    const told = await ask(user, "session-start", start);
    expect(told.answer).toMatchObject({
      systemMessage: expect.stringMatching(/names of amplihack.*\.claude\/agents\/amplihack-builder\.md/),
    });
    expect(JSON.stringify(told.answer)).not.toContain(".codex/");
    const doctor = await user.type(["doctor", "--format", "json"]);
    expect(doctor.stdout).toContain("amplihack-reviewer.toml has the name of a text of amplihack");
    await trustHooks(system, places(user), await untrusted());
    expect(await untrusted()).toEqual([]);
    expect((await ask(user, "session-start", start)).stdout).not.toContain("names of amplihack");
    writeFileSync(join(user.project, FOREIGN[0] ?? ""), "Do as they say.\n");
    expect(await untrusted()).toMatchObject([{ state: "changed" }]);
  });

  it("a text of ours in a project is ours", async () => {
    const user = newUserInside();
    for (const folder of [user.project, user.home]) {
      const path = join(folder, FOREIGN[0] ?? "");
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "Ours.\n");
    }
    expect(await findUntrusted(systemOf(user), places(user))).toEqual([]);
  });

  const SCRIPTS: readonly (readonly [string, string, readonly string[]])[] = [
    ["the script that its command names", "./scripts/check.sh", ["scripts/check.sh"]],
    ["a script behind an interpreter", "sh scripts/check.sh --fast", ["scripts/check.sh"]],
    [
      "a script by the variable of the project",
      'sh "$CLAUDE_PROJECT_DIR/scripts/check.sh"',
      ["scripts/check.sh"],
    ],
    ["what the script sources", "sh scripts/outer.sh", ["scripts/outer.sh", "scripts/check.sh"]],
    ["what a script of a script sources", "sh top.sh", ["top.sh", "scripts/outer.sh", "scripts/check.sh"]],
    ["a module that it imports", "python3 scripts/main.py", ["scripts/main.py", "scripts/helper.py"]],
    ["a script in a folder that it goes to", "cd scripts && ./check.sh", ["scripts/check.sh"]],
    ["a script by another variable", 'sh "$PWD/scripts/check.sh"', ["scripts/check.sh"]],
    [
      "a script by a substitution",
      'sh "$(git rev-parse --show-toplevel 2>/dev/null || pwd)"/scripts/check.sh',
      ["scripts/check.sh"],
    ],
    ["scripts of a pattern", "sh scripts/ch*.sh", ["scripts/check.sh"]],
    ["a task of a package", "npm run --silent check", ["package.json", "scripts/check.sh"]],
    ["a target", "make --silent check", ["Makefile", "scripts/check.sh"]],
  ];

  it.each(SCRIPTS)("trust of hooks.jsonc covers %s", async (_, command, runs) => {
    const user = newUserInside();
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(user.project, path)), { recursive: true });
      writeFileSync(join(user.project, path), text, { mode: 0o755 });
    };
    const allow = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}';
    write("scripts/check.sh", `#!/bin/sh\ncat > /dev/null; echo '${allow}'\n`);
    write("scripts/outer.sh", 'DIR="$(dirname "$0")"\n. "$DIR/check.sh"\n');
    write("top.sh", "sh scripts/outer.sh\n");
    write("scripts/main.py", `import helper\nprint('${allow}')\n`);
    write("scripts/helper.py", "x = 1\n");
    write("package.json", '{"scripts":{"check":"sh scripts/check.sh"}}\n');
    write("Makefile", "check:\n\t@sh scripts/check.sh\n");
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command }] }] };
    write(".amplihack/hooks.jsonc", JSON.stringify({ hooks }));
    const system = createNodeSystem();
    const refused = await findUntrusted(system, places(user));
    const shown = refused.flatMap(({ actions = [] }) => actions);
    expect(shown).toEqual([
      `runs ${command}`,
      ...runs.map(path => `with ${join(user.project, path)}`).sort(),
    ]);
    await trustHooks(system, places(user), refused);
    expect((await ask(user, "pre-tool-use", bash)).stdout).toContain('"allow"');
    const last = join(user.project, runs.at(-1) ?? "");
    const { atime, mtime, size } = statSync(last);
    // As large and as old as before.
    writeFileSync(last, readFileSync(last, "utf8").replace(/.\n$/, "#\n"));
    utimesSync(last, atime, mtime);
    expect(statSync(last).size).toBe(size);
    const changed = await ask(user, "pre-tool-use", bash);
    expect(changed.stdout).toMatch(/"permissionDecision":"ask".*changed since you trusted it/);
    expect((await buildHooks(system, places(user))).refused).toMatchObject([{ state: "changed" }]);
  });

  it("without a bundler plain JavaScript works, and the message says what to install", () => {
    const user = newUserInside();
    const path = join(user.project, "x.mjs");
    writeFileSync(
      path,
      `import { defineHook } from "amplihack/hooks"; import { tmpdir } from "node:os"; export const a = 1;`,
    );
    expect(compileAlone(path)).toMatchObject({
      isPortable: false,
      code: expect.stringMatching(/from "file:.*authoring/),
    });
    writeFileSync(path, `import x from "left-pad";`);
    expect(() => compileAlone(path)).toThrow(/needs a bundler: npm install/);
    const typed = join(user.project, "x.ts");
    writeFileSync(typed, `export const a: number = 1;`);
    if (!("stripTypeScriptTypes" in process.getBuiltinModule("node:module")))
      expect(() => compileAlone(typed)).toThrow(/cannot take types out by itself: npm install/);
  });

  it("doctor names hooks that do not run", async () => {
    const user = newUser();
    mkdirSync(own(user), { recursive: true });
    writeFileSync(own(user, "bad.ts"), "oh (");
    await user.type(["hooks", "build"]);
    const { stdout } = await user.type(["doctor", "--format", "json"]);
    expect(JSON.parse(stdout).checks).toContainEqual(
      expect.objectContaining({
        id: "own-hooks",
        status: "fail",
        message: expect.stringContaining("bad.ts"),
      }),
    );
  });
});
