import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { install } from "../../src/install/install.ts";
import { INSTALLABLE_HOSTS } from "../../src/install/targets.ts";
import { uninstall } from "../../src/install/uninstall.ts";
import {
  createQuickSandbox,
  createSandbox,
  INSTALL,
  link,
  listFiles,
  makeQuickPackage,
  PACKAGE_ROOT,
  type Sandbox,
  UNINSTALL,
} from "./sandbox.ts";

const CLI = join(PACKAGE_ROOT, "dist/bin/amplihack.cjs");
const TERMINAL_DRIVER = join(PACKAGE_ROOT, "tests/launcher/terminal-driver.py");
const PACKAGE = makeQuickPackage();

/** Somebody types at a real terminal, wide enough for the long paths of tests; gives what was on it. */
function type(sandbox: Sandbox, words: readonly string[], steps: readonly object[]): string {
  const { stdout, stderr } = spawnSync(
    "python3",
    [
      TERMINAL_DRIVER,
      "sh",
      "-c",
      'stty cols 240; "$@"; echo "ended with $?"',
      "sh",
      process.execPath,
      CLI,
      ...words,
    ],
    {
      cwd: sandbox.project,
      env: { ...sandbox.env, TERM: "xterm", NO_COLOR: "1" },
      input: JSON.stringify([...steps, { expect: "ended with 0" }]),
      encoding: "utf8",
    },
  );
  const { failure, output } = JSON.parse(stdout || "{}") as { failure: object | null; output: string };
  expect({ failure, stderr }).toEqual({ failure: null, stderr: "" });
  return output.replaceAll("\r", "");
}

function agents(sandbox: Sandbox, ...names: readonly string[]): void {
  for (const name of names) sandbox.write(`bin/${name}`, `#!/bin/sh\necho '${name} 1.2.3'\n`, 0o755);
}

const countQuestions = (output: string) => output.match(/\[[^\]\n]+\] ?(?=\S*\n|$)/gm)?.length ?? 0;

describe("the first installation, at a terminal", () => {
  it("asks four questions, says in ten lines what it did, and asks nothing the second time", () => {
    const sandbox = createSandbox();
    agents(sandbox, "claude", "codex", "gemini", "pi", "opencode");
    const output = type(
      sandbox,
      ["install"],
      [
        { expect: "Your choice" },
        { send: "\n" },
        { expect: "Keep agents from committing" },
        { send: "\n" },
        { expect: "Your answer" },
        { send: "\n" },
        { expect: "Trust amplihack's? Recommended." },
        { send: "\n" },
      ],
    );
    expect(output).toMatch(/ {2}understood {2}.* understood .*\n {2}sandbox {5}/);
    const answers = output.split("\n").filter(line => /^ {2}(?:off|understood|sandbox) /.test(line));
    expect(answers.map(line => line.length > 80)).toEqual([false, false, false]);
    expect(countQuestions(output)).toBe(4);
    const [, summary = ""] = output.split("Trust amplihack's? Recommended. [Y/n] \n");
    const lines = summary.split("\n").filter(line => line !== "" && line !== "ended with 0");
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(summary).toMatch(/✓ registered: .*claude-code.*\n/);
    expect(summary.split("Still to do")[0]).not.toContain(sandbox.home);
    expect(parse(sandbox.read("home/.amplihack/config.jsonc")).parts).toContain("memory");
    expect(parse(sandbox.read("home/.amplihack/config.jsonc")).autonomy).toBe("off");
    expect(sandbox.read("home/.claude/skills/amplihack/SKILL.md")).toContain("# Working with amplihack");
    const again = type(sandbox, ["install"], [{ expect: "Nothing had to be changed." }]);
    expect(countQuestions(again)).toBe(0);
  });

  it.each([
    ["is a yes after all", " Yes \n", false],
    ["stays a no", "\n", true],
  ])("asks again what is neither yes nor no: %s", (_, second, isNo) => {
    const sandbox = createSandbox();
    agents(sandbox, "claude");
    type(
      sandbox,
      ["install"],
      [
        { expect: "Your choice" },
        { send: "\n" },
        { expect: "Keep agents from committing" },
        { send: "cleary\n" },
        { expect: "'cleary' is neither yes nor no." },
        { send: second },
        { expect: "Your answer" },
        { send: "\n" },
      ],
    );
    expect(sandbox.read("home/.amplihack/config.jsonc").includes("git.main")).toBe(isNo);
  });

  it("writes the same choice with --yes as Enter at every question does", () => {
    const [asked, quiet] = [createSandbox(), createSandbox()];
    for (const sandbox of [asked, quiet]) agents(sandbox, "claude");
    type(
      asked,
      ["install"],
      [
        { expect: "Your choice" },
        { send: "\n" },
        { expect: "Keep agents from committing" },
        { send: "\n" },
        { expect: "Your answer" },
        { send: "\n" },
      ],
    );
    const { status } = spawnSync(process.execPath, [CLI, "install", "--yes"], {
      cwd: quiet.project,
      env: quiet.env,
    });
    expect(status).toBe(0);
    const config = quiet.read("home/.amplihack/config.jsonc");
    expect(config).toBe(asked.read("home/.amplihack/config.jsonc"));
    expect(parse(config).parts).not.toContain("workflow");
  });

  it("does not ask about a PATH that is right, or for an agent where there is one, even with --interactive", () => {
    const sandbox = createSandbox();
    agents(sandbox, "claude");
    link(CLI, join(sandbox.bin, "amplihack"));
    const output = type(
      sandbox,
      ["install", "--interactive"],
      [
        { expect: "Register for" },
        { send: "\n" },
        { expect: "Check for updates" },
        { send: "\n" },
        { expect: "Your choice" },
        { send: "guard\n" },
        { expect: "Keep agents from committing" },
        { send: "\n" },
      ],
    );
    expect(countQuestions(output)).toBe(4);
    expect(output).not.toMatch(/start-up file|Default agent|to your PATH/);
    expect(existsSync(join(sandbox.home, ".local/bin/amplihack"))).toBe(false);
    // The guard alone brings no skill.
    expect(existsSync(join(sandbox.home, ".claude/skills"))).toBe(false);
  });
});

describe("a dry run", () => {
  it("names the files, and shows what would be in them with --full", () => {
    const sandbox = createSandbox();
    agents(sandbox, "claude");
    const run = (...words: readonly string[]) =>
      spawnSync(process.execPath, [CLI, "install", ...words], {
        cwd: sandbox.project,
        env: sandbox.env,
        encoding: "utf8",
      });
    const short = run("--dry-run").stdout;
    expect(short).toMatch(/files would change or be made: .*~\/\.claude\/settings\.json/);
    expect(short.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
    expect(run("--full").status).toBe(2);
    expect(sandbox.snapshot()).toEqual({});
  });
});

describe("a package that npx fetched, beside one that is installed", () => {
  it("is not copied: the installed one is used where it is", () => {
    const sandbox = createSandbox();
    const fetched = join(sandbox.root, "_npx/abc/node_modules/amplihack");
    for (const name of ["package.json", "dist/bin", "dist/cli", "dist/commands", "dist/chunks"])
      cpSync(join(PACKAGE_ROOT, name), join(fetched, name), { recursive: true });
    link(CLI, join(sandbox.bin, "amplihack"));
    const { status } = spawnSync(
      process.execPath,
      [join(fetched, "dist/bin/amplihack.cjs"), "install", "--host", "claude"],
      { cwd: sandbox.project, env: { ...sandbox.env, AMPLIHACK_HOOK_ENGINE: "node" }, encoding: "utf8" },
    );
    expect(status).toBe(0);
    expect(existsSync(join(sandbox.home, ".amplihack/versions"))).toBe(false);
    expect(sandbox.read("home/.amplihack/.claude/bin/amplihack-hooks")).toContain(
      join(PACKAGE_ROOT, "dist/bin/amplihack-hooks.cjs"),
    );
  });
});

describe("the skill for agents", () => {
  const SKILL = "home/.claude/skills/amplihack/SKILL.md";
  const request = { ...INSTALL, hosts: ["claude-code" as const] };

  it("comes and goes with the part memory", async () => {
    const sandbox = createQuickSandbox();
    await install(sandbox.system, PACKAGE, { ...request, parts: ["guard", "memory"] });
    expect(sandbox.read(SKILL)).toMatch(
      /^---\n# Written by amplihack\.[^\n]*\nname: amplihack\ndescription: /,
    );
    await install(sandbox.system, PACKAGE, { ...request, parts: ["guard"] });
    expect(existsSync(join(sandbox.root, SKILL))).toBe(false);
  });

  it("leaves a skill of that name alone which the user wrote", async () => {
    const sandbox = createQuickSandbox();
    const mine = "---\nname: amplihack\ndescription: mine\n---\n";
    sandbox.write(SKILL, mine);
    await install(sandbox.system, PACKAGE, request);
    expect(sandbox.read(SKILL)).toBe(mine);
    await uninstall(sandbox.system, UNINSTALL);
    expect(sandbox.read(SKILL)).toBe(mine);
  });

  it("is not given twice to a host that reads the folder of another", async () => {
    const sandbox = createQuickSandbox();
    await install(sandbox.system, PACKAGE, { ...INSTALL, hosts: ["claude-code", "opencode", "pi"] });
    const skills = Object.keys(sandbox.snapshot()).filter(name => name.endsWith("/SKILL.md"));
    expect(skills.toSorted()).toEqual([SKILL, "home/.pi/agent/skills/amplihack/SKILL.md"]);
  });
});

describe("what is registered for a project", () => {
  it.each(INSTALLABLE_HOSTS)("names nothing of this machine: %s", async host => {
    const sandbox = createQuickSandbox();
    const request = { ...INSTALL, hosts: [host], scope: "project" as const, isTrustAgreed: true };
    await install(sandbox.system, PACKAGE, request);
    const files = Object.entries(listFiles(sandbox.project, "project"));
    const named = files.filter(([, text]) =>
      [sandbox.root, process.execPath].some(path => text.includes(path)),
    );
    expect(named).toEqual([]);
    expect(files.map(([, text]) => text).join("\n")).toContain("$HOME");
  });

  it("runs in every clone: with the guard where amplihack is installed, without a word of it elsewhere", () => {
    const sandbox = createSandbox();
    spawnSync(process.execPath, [CLI, "install", "--scope", "project", "--host", "claude"], {
      cwd: sandbox.project,
      env: sandbox.env,
    });
    const settings = parse(readFileSync(join(sandbox.project, ".claude/settings.json"), "utf8"));
    const { command } = settings.hooks.PreToolUse[0].hooks[0];
    const run = (home: string) =>
      spawnSync("sh", ["-c", command], {
        cwd: sandbox.project,
        env: { ...sandbox.env, HOME: home },
        input: JSON.stringify({
          hook_event_name: "PreToolUse",
          tool_name: "Bash",
          tool_input: { command: "rm -rf ~" },
          cwd: sandbox.project,
        }),
        encoding: "utf8",
      });
    expect(run(sandbox.home).stdout).toContain('"permissionDecision":"deny"');
    const elsewhere = run(join(sandbox.root, "another home"));
    expect([elsewhere.status, elsewhere.stdout]).toEqual([0, ""]);
    expect(elsewhere.stderr).toMatch(/amplihack-hooks.*not found/);
    const listed = spawnSync(process.execPath, [CLI, "hooks", "list", "--format", "json"], {
      cwd: sandbox.project,
      env: sandbox.env,
      encoding: "utf8",
    });
    expect(listed.stdout).toContain('"path_ok": true');
  });
});
