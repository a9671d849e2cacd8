import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildHooks } from "../../src/install/user-hooks/build.ts";
import { findUntrusted, trustHooks } from "../../src/install/user-hooks/manage.ts";
import { compileAlone } from "../../src/install/user-hooks/without-bundler.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { NODE_PROGRAM, runProgram } from "../hooks/executable.ts";
import { newUser, newUserInside, type User } from "./run-command.ts";

const own = ({ home }: User, ...parts: readonly string[]) => join(home, ".amplihack", "hooks", ...parts);
const places = ({ home, project }: User) => ({
  home,
  stateHome: join(home, ".amplihack"),
  projectRoot: project,
});
const hook = (name: string, reason: string) =>
  `import { defineHook, deny } from "amplihack/hooks";\nexport default defineHook({ name: "${name}", event: "PreToolUse", tool: "Bash", run: () => deny("${reason}") });\n`;

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
    expect((await user.type(["hooks", "new", "a b"])).code).toBe(1);
    const tested = await user.json<{
      files: { trials: { host: string; said: string; words: string }[]; examples: unknown[] }[];
    }>("hooks", "test", "careful", "--format", "json");
    const [file] = tested.files;
    expect(file?.examples).toMatchObject([
      { said: "ask", isMet: true },
      { said: "none", isMet: true },
    ]);
    const codex = file?.trials.filter(trial => trial.host === "codex");
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
    writeFileSync(join(user.project, "far.ts"), `import "./x.ts"; import { y } from "./y.ts";`);
    expect((await user.type(["hooks", "add", "far.ts"])).stderr).toContain("imports ./y.ts");
    expect((await user.type(["hooks", "add", "notes.md"])).stderr).toContain("is no hook");
    const missing = await user.type(["hooks", "add", "nowhere.ts"]);
    expect(missing).toMatchObject({
      code: 1,
      stderr: `Error: there is no file ${join(user.project, "nowhere.ts")}\n`,
    });
    writeFileSync(join(user.project, "mine.ts"), hook("mine", "other"));
    expect((await user.type(["hooks", "add", "mine.ts"])).stderr).toContain("is already there and differs");
    expect(readFileSync(own(user, "mine.ts"), "utf8")).not.toContain("other");
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
    expect((await user.type(["hooks", "trust"])).stderr).toContain("needs a person at a terminal");
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
      problems: [expect.stringContaining("prompt hooks cannot run")],
    });
    expect(readFileSync(file, "utf8")).toMatch(/\/\/ mine[\s\S]*"import": \[\s*"claude"\s*\]/);
    expect((await user.type(["hooks", "import", "vim"])).stderr).toContain("cannot be imported");
  });
});

describe("sources and builds", () => {
  it("a source that was written or changed is built at the start of a session, and before it is used", async () => {
    const user = newUser();
    mkdirSync(own(user), { recursive: true });
    writeFileSync(own(user, "a.ts"), hook("a", "first"));
    expect((await ask(user, "pre-tool-use", bash)).answer).toEqual({});
    await ask(user, "session-start", { hook_event_name: "SessionStart", source: "startup" });
    expect((await ask(user, "pre-tool-use", bash)).stdout).toContain("first");
    writeFileSync(own(user, "a.ts"), hook("a", "second"));
    expect((await ask(user, "pre-tool-use", bash)).stdout).toContain("second");
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
    expect(() => compileAlone(path)).toThrow(/takes a bundler: npm install/);
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
