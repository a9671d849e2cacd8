import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayRun } from "../../src/handlers/command-rule.ts";
import { compileCondition } from "../../src/handlers/condition.ts";
import { makeEngine, source } from "./fixture.ts";

function runs(rule: string, tool: string, input: unknown, cwd = "/work/app"): boolean {
  const compiled = compileCondition(rule, mayRun);
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.condition({ toolNames: [tool], input, cwd, projectDir: "/work/app", home: "/home/me" });
}
const bash = (rule: string, command: string) => runs(rule, "Bash", { command });

describe("an `if` rule on a shell command", () => {
  it.each<[string, string, boolean]>([
    ["Bash(git push *)", "git push origin main", true],
    ["Bash(git push *)", "git push", true],
    ["Bash(git push *)", "git pull", false],
    ["Bash(git push *)", "git pushx", false],
    ["Bash(git push)", "git push origin", false],
    ["Bash(npm run test:*)", "npm run test --watch", true],
    ["Bash(npm run test:*)", "npm run build", false],
    ["Bash(git push *)", "cd x && git push origin", true],
    ["Bash(git push *)", "ls; git push", true],
    ["Bash(git push *)", "ls | git push", true],
    ["Bash(git push *)", "ls || git push", true],
    ["Bash(git push *)", "ls\ngit push", true],
    ["Bash(git push *)", "echo $(git push)", true],
    ["Bash(git push *)", "echo `git push`", true],
    ["Bash(git push *)", 'echo "$(git push)"', true],
    ["Bash(git push *)", "A=1 B=2 git push", true],
    ["Bash(git push *)", "if true; then git push; fi", true],
    ["Bash(git push *)", "(git push)", true],
    ["Bash(git push *)", "git 'push' origin", true],
    ["Bash(git push *)", "echo 'git push'", false],
    ["Bash(git push *)", "echo hello # git push", false],
    ["Bash(rm *)", "ls", false],
    ["Bash", "anything", true],
    ["Bash(*)", "anything", true],
  ])("%s for %j is %s", (rule, command, expected) => {
    expect(bash(rule, command)).toBe(expected);
  });

  it.each([
    "echo 'unclosed",
    'echo "unclosed',
    "echo $(",
    "ls )",
    "$TOOL push",
    "git $WHAT",
    'bash -c "$X"',
    "xargs git",
  ])("runs in doubt: %j", command => {
    expect(bash("Bash(git push *)", command)).toBe(true);
  });

  it("is not in doubt about a variable that cannot make the command the one named", () => {
    expect(bash("Bash(git push *)", "ls $HOME")).toBe(false);
    expect(bash("Bash(git push *)", "git status $X")).toBe(false);
  });

  it("never throws, whatever the command", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), command => {
        expect(typeof bash("Bash(git push *)", command)).toBe("boolean");
      }),
    );
  });
});

describe("an `if` rule on other tools", () => {
  it.each<[string, string, unknown, boolean]>([
    ["Edit(src/**)", "Edit", { file_path: "/work/app/src/a/b.ts" }, true],
    ["Edit(src/**)", "Edit", { file_path: "src/b.ts" }, true],
    ["Edit(src/**)", "Edit", { file_path: "/work/app/test/src/b.ts" }, false],
    ["Edit(src/**)", "Edit", { file_path: "/work/app/src/../etc/x" }, false],
    ["Edit(*.ts)", "Edit", { file_path: "/work/app/deep/a.ts" }, true],
    ["Edit(*.ts)", "Edit", { file_path: "/work/app/deep/a.js" }, false],
    ["Edit(src)", "Edit", { file_path: "/work/app/src/a" }, true],
    ["Read(~/.ssh/**)", "Read", { file_path: "/home/me/.ssh/id" }, true],
    ["Read(//etc/**)", "Read", { file_path: "/etc/passwd" }, true],
    ["Read(//etc/**)", "Read", { file_path: "/work/app/etc/x" }, false],
    ["Read(/docs/*)", "Read", { file_path: "/work/app/docs/a" }, true],
    ["Edit(src/**)", "Write", { file_path: "/work/app/src/a" }, false],
    ["WebFetch(domain:example.org)", "WebFetch", { url: "https://example.org/x" }, true],
    ["WebFetch(domain:example.org)", "WebFetch", { url: "https://evil.org/?example.org" }, false],
    ["WebFetch(domain:*.example.org)", "WebFetch", { url: "https://a.example.org" }, true],
    ["WebFetch(domain:example.org)", "WebFetch", { url: "not a url" }, true],
    ["Edit(src/**)", "Edit", { other: 1 }, true],
    ["Edit(src/**)", "Edit", "text", true],
    ["mcp__files__read", "mcp__files__read", {}, true],
    ["*", "Anything", {}, true],
  ])("%s for %s %j is %s", (rule, tool, input, expected) => {
    expect(runs(rule, tool, input)).toBe(expected);
  });

  it.each(["", "Bash(", "Bash(a) Edit(b)", "Bash git push", "7"])("%j is no rule", rule => {
    expect(compileCondition(rule, mayRun).ok).toBe(false);
  });
});

describe("`if` in a configuration", () => {
  const settings = (event: string, rule: unknown) => ({
    hooks: { [event]: [{ hooks: [{ type: "command", command: "exit 2", if: rule }] }] },
  });

  it("decides whether the handler starts, on the input that functions left", async () => {
    const engine = makeEngine({ sources: [source("claude", settings("PreToolUse", "Bash(git push *)"))] });
    const call = (command: string) =>
      engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: { command } });
    expect((await call("ls")).decision.kind).toBe("none");
    expect((await call("git push")).decision.kind).toBe("deny");
    engine.beforeToolCall("*", () => ({ args: { command: "git push" } }));
    expect((await call("ls")).decision.kind).toBe("deny");
  });

  it("is reported and never runs on an event without a tool", async () => {
    const engine = makeEngine({ sources: [source("claude", settings("Stop", "Bash(x)"))] });
    expect(engine.report).toMatchObject({ handlers: 0, warnings: [{ code: "if-not-applicable" }] });
    expect(engine.list()).toMatchObject([{ enabled: false }]);
    expect((await engine.dispatch("Stop", {})).runs).toEqual([]);
  });

  it.each(["Bash(", 7])("%j is a load error that takes only its handler", rule => {
    const engine = makeEngine({ sources: [source("claude", settings("PreToolUse", rule))] });
    expect(engine.report).toMatchObject({ handlers: 0, errors: [{ code: "if-invalid" }] });
  });
});
