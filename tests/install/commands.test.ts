import { isUtf8 } from "node:buffer";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../src/install/file-edit.ts";
import { version } from "../../src/version.ts";
import { createSandbox, PACKAGE_ROOT, type Sandbox } from "./sandbox.ts";

const CLI = join(PACKAGE_ROOT, "dist/bin/amplihack.cjs");

function run(sandbox: Sandbox, words: readonly string[], cli = CLI) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...words], {
    cwd: sandbox.project,
    env: sandbox.env,
    encoding: "utf8",
    input: "",
  });
  return { status, stdout, stderr };
}

function agent(sandbox: Sandbox, name: string, version = "1.2.3"): void {
  sandbox.write(`bin/${name}`, `#!/bin/sh\necho '${name} ${version}'\n`, 0o755);
}

describe("amplihack install", () => {
  it("says what it did and what is still to do, and nothing the second time", () => {
    const sandbox = createSandbox();
    agent(sandbox, "claude");
    agent(sandbox, "codex");
    const first = run(sandbox, ["install"]);
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(/^✓ hook program: .*amplihack-hooks \((on Node|native)\)\n/);
    expect(first.stdout).toMatch(/✓ claude-code registered in .*\.claude\/settings\.json/);
    expect(first.stdout).toMatch(/Still to do:\n[\s\S]*Codex: open it, type \/hooks and trust/);
    expect(first.stdout).toMatch(/amplihack install --failure closed/);
    const after = sandbox.snapshot();
    const second = run(sandbox, ["install"]);
    expect(second.stdout).toMatch(/Nothing had to be changed\.\n$/);
    expect(sandbox.snapshot()).toEqual(after);
  });

  it("writes the parts that were chosen, and none that were not", () => {
    const sandbox = createSandbox();
    agent(sandbox, "claude");
    const config = join(sandbox.home, ".amplihack/config.jsonc");
    expect(run(sandbox, ["install"]).status).toBe(0);
    expect(existsSync(config)).toBe(false);
    const preview = run(sandbox, ["install", "--profile", "standard", "--dry-run", "--full"]);
    expect(preview.stdout).toMatch(/config\.jsonc[\s\S]*\+ {4}"history"/);
    expect(existsSync(config)).toBe(false);
    expect(run(sandbox, ["install", "--parts", "history,guard", "--failure", "ask"]).status).toBe(0);
    const written = JSON.parse(readFileSync(config, "utf8"));
    expect(written).toEqual({ parts: ["guard", "history"], failure: { default: "ask" } });
    for (const words of [
      ["--parts", "guard,gard"],
      ["--parts", "guard", "--profile", "full"],
    ])
      expect(run(sandbox, ["install", ...words]).status).toBe(2);
    expect(JSON.parse(readFileSync(config, "utf8"))).toEqual(written);
    expect(run(sandbox, ["install", "--parts", "workflow"]).stderr).not.toContain("guard");
    expect(JSON.parse(readFileSync(config, "utf8")).parts).toEqual(["guard", "history", "workflow"]);
    expect(existsSync(join(sandbox.home, ".claude/agents/amplihack-builder.md"))).toBe(true);
    expect(run(sandbox, ["install", "--parts", "memory"]).stderr).toContain("without the part guard");
    expect(JSON.parse(readFileSync(config, "utf8")).parts).toEqual(["memory"]);
    expect(existsSync(join(sandbox.home, ".claude/agents/amplihack-builder.md"))).toBe(false);
  });

  it("lets agents change the system of a container where a person says so", () => {
    const sandbox = createSandbox();
    const judge = (command: string) => run(sandbox, ["guard", "test", "--", command]).stdout;
    const ofImage = [
      "echo x > /etc/app.conf",
      "useradd app",
      "chmod u+s /usr/bin/app",
      "rm -r /usr/share/doc/x",
    ];
    for (const command of ofImage) expect(judge(command)).not.toMatch(/^ALLOW/);
    expect(run(sandbox, ["install", "--profile", "container"]).status).toBe(0);
    for (const command of ofImage) expect(judge(command)).toMatch(/^ALLOW/);
    for (const command of ["rm -rf /usr", "rm -rf ~", "kill -9 -1", "mkfs.ext4 /dev/sda1"])
      expect(judge(command)).not.toMatch(/^ALLOW/);
    const { parts } = JSON.parse(readFileSync(join(sandbox.home, ".amplihack/config.jsonc"), "utf8"));
    expect(parts).toEqual(["guard", "history", "memory", "transcripts"]);
  });

  it("gives one JSON document", () => {
    const sandbox = createSandbox();
    agent(sandbox, "claude");
    const { status, stdout } = run(sandbox, ["install", "--format", "json"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      success: true,
      binary: join(sandbox.home, ".amplihack/.claude/bin/amplihack-hooks"),
      manifest: join(sandbox.home, ".amplihack/.claude/install/amplihack-manifest.json"),
      warnings: [],
      hosts: [
        {
          host: "claude-code",
          scope: "user",
          status: "registered",
          settings_path: join(sandbox.home, ".claude/settings.json"),
          backup_path: null,
          events: [
            "SessionStart",
            "Stop",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "UserPromptSubmit",
            "PreCompact",
            "SessionEnd",
          ],
        },
      ],
    });
  });

  it("shows exactly what it would change, and writes nothing", () => {
    const sandbox = createSandbox();
    const settings = sandbox.write("home/.claude/settings.json", '{\n  "model": "opus"\n}\n');
    sandbox.write("home/.codex/config.toml", 'model = "gpt"\n');
    const before = sandbox.snapshot();
    const words = ["install", "--yes", "--failure", "closed", "--format", "json"];
    const dry = JSON.parse(run(sandbox, [...words, "--dry-run"]).stdout) as {
      changes: { path: string; diff: string }[];
    };
    expect(sandbox.snapshot()).toEqual(before);
    const texts = new Map(
      dry.changes.map(({ path }) => [path, existsSync(path) ? readFileSync(path, "utf8") : undefined]),
    );
    expect([...texts.keys()]).toContain(settings);
    run(sandbox, words);
    for (const { path, diff } of dry.changes) {
      // A program that is no text is named, not shown.
      const bytes = readFileSync(path);
      const wanted = isUtf8(bytes) ? unifiedDiff(path, texts.get(path), bytes.toString("utf8")) : "";
      expect(diff, path).toBe(wanted);
    }
    const text = run(sandbox, ["uninstall", "--dry-run", "--full"]);
    expect(text.stdout).toMatch(/^--- a.*\n[\s\S]*Nothing was written\.\n$/);
  });

  it("trusts our hooks in Codex with --yes", () => {
    const sandbox = createSandbox();
    run(sandbox, ["install", "--host", "codex", "--yes"]);
    expect(sandbox.read("home/.codex/config.toml").match(/trusted_hash/g)).toHaveLength(9);
  });

  it("registers for a project", () => {
    const sandbox = createSandbox();
    const { status } = run(sandbox, ["install", "--scope=project", "--host", "claude", "--host", "gemini"]);
    expect(status).toBe(0);
    expect(sandbox.read("project/.claude/settings.json")).toContain("amplihack-hooks pre-tool-use");
    expect(sandbox.read("project/.gemini/settings.json")).toContain("--host gemini-cli --event BeforeTool");
    expect(existsSync(join(sandbox.home, ".claude"))).toBe(false);
  });

  it("sets what hooks do when they cannot run, and keeps comments there", () => {
    const sandbox = createSandbox();
    sandbox.write(
      "home/.amplihack/config.jsonc",
      '{\n  // mine\n  "guard": { "level": "strict" }\n}\n',
      0o600,
    );
    run(sandbox, ["install", "--host", "cursor", "--failure", "closed"]);
    expect(sandbox.read("home/.amplihack/config.jsonc")).toMatch(
      /\/\/ mine[\s\S]*"failure": \{\s*"default": "closed"/,
    );
    expect(sandbox.read("home/.cursor/hooks.json")).toContain('"failClosed": true');
    run(sandbox, ["install", "--host", "cursor", "--failure", "open"]);
    expect(sandbox.read("home/.cursor/hooks.json")).not.toContain("failClosed");
  });

  it.each([
    ["2.1.324", false],
    ["2.1.325", true],
  ])("writes onFailure only for a Claude Code that knows it: %s", (claude, isWritten) => {
    const sandbox = createSandbox();
    agent(sandbox, "claude", claude);
    run(sandbox, ["install", "--failure", "closed"]);
    expect(sandbox.read("home/.claude/settings.json").includes('"onFailure": "block"')).toBe(isWritten);
  });

  it("says when nobody can be asked", () => {
    const sandbox = createSandbox();
    const { status, stderr } = run(sandbox, ["install", "--interactive"]);
    expect(status).toBe(0);
    expect(stderr).toMatch(/no terminal to ask at; going on with the defaults/);
  });

  it("ends with 1 when a host failed, and says where and why", () => {
    const sandbox = createSandbox();
    sandbox.write("home/.claude/settings.json", '{\n  "model": oops\n}\n');
    const { status, stdout } = run(sandbox, ["install", "--host", "claude"]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/✗ claude-code failed in .*settings\.json: .*line 2, column 12/);
    expect(stdout).not.toContain("oops");
  });

  it.each([
    [["install", "--host", "emacs"], 2, /unknown host 'emacs'/],
    [["install", "--host", "claud"], 2, /did you mean claude-code\?|unknown host/],
    [["install", "--host", "devin"], 2, /hooks cannot be registered with devin/],
    [["install", "--scope", "world"], 2, /--scope must be one of user, project/],
    [["install", "--failure", "maybe"], 2, /--failure must be one of open, ask, closed/],
    [["install", "--local", "/nowhere"], 1, /contains neither/],
    [["uninstall", "--nonsense"], 2, /unknown option '--nonsense'/],
  ])("refuses %j", (words, code, message) => {
    const sandbox = createSandbox();
    const { status, stdout, stderr } = run(sandbox, words);
    expect({ status, stdout }).toEqual({ status: code, stdout: "" });
    expect(stderr).toMatch(message);
    const asJson = run(sandbox, [...words, "--format", "json"]);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      success: false,
      error: { message: expect.stringMatching(message) },
    });
    expect(sandbox.snapshot()).toEqual({});
  });

  it("fails clearly when the engine that was chosen does not exist", () => {
    const sandbox = createSandbox({ AMPLIHACK_HOOK_ENGINE: "auto" });
    const { status, stderr } = run(sandbox, ["install"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/AMPLIHACK_HOOK_ENGINE is not usable/);
  });

  it("refuses the home directory as a project", () => {
    const sandbox = createSandbox();
    const { status, stderr } = run({ ...sandbox, project: sandbox.home }, ["install", "--scope", "project"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/the home directory is not a project/);
  });

  it("accepts what older versions knew", () => {
    const sandbox = createSandbox();
    const words = ["install", "--no-permissions", "--force-refresh", "--verbose"];
    const { status, stdout } = run(sandbox, words);
    expect(status).toBe(0);
    expect(stdout).toMatch(/can refuse a dangerous command before it runs/);
    expect(run(sandbox, ["install", "--help"]).stdout).not.toContain("force-refresh");
  });
});

/** What npm would install beside the package: all that it needs, and what that needs, as far as it is here. */
function runtimePackages(): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (folder: string): void => {
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    ) as Record<string, Record<string, string>>;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = join(PACKAGE_ROOT, "node_modules", name);
      if (found.has(name) || !existsSync(place)) continue;
      found.add(name);
      add(place);
    }
  };
  add(PACKAGE_ROOT);
  return found;
}

describe("a package that npx fetched", () => {
  it("stays usable after npx has thrown it away", () => {
    const sandbox = createSandbox();
    const modules = join(sandbox.root, "_npx/abc/node_modules");
    const root = join(modules, "amplihack");
    for (const name of ["package.json", "dist", "recipes", "schemas"]) {
      const from = join(PACKAGE_ROOT, name);
      if (existsSync(from)) cpSync(from, join(root, name), { recursive: true });
    }
    for (const name of runtimePackages())
      cpSync(join(PACKAGE_ROOT, "node_modules", name), join(modules, name), {
        recursive: true,
        dereference: true,
      });
    const cli = join(root, "dist/bin/amplihack.cjs");
    const copy = join(sandbox.home, ".amplihack/versions", version);
    const dry = run(sandbox, ["install", "--host", "claude", "--dry-run", "--full"], cli);
    expect(dry.stdout).toMatch(new RegExp(`^would copy this package to ${copy}\\n--- `));
    expect(sandbox.snapshot()).toEqual({});
    const first = run(sandbox, ["install", "--host", "claude"], cli);
    expect(first).toMatchObject({ status: 0 });
    rmSync(join(sandbox.root, "_npx"), { recursive: true });

    const staged = join(sandbox.home, ".amplihack/.claude/bin");
    const answer = spawnSync(join(staged, "amplihack-hooks"), ["pre-tool-use"], {
      cwd: sandbox.project,
      env: sandbox.env,
      input: JSON.stringify({
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "rm -rf ~" },
      }),
      encoding: "utf8",
    });
    expect(JSON.parse(answer.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    const command = join(sandbox.home, ".local/bin/amplihack");
    const said = spawnSync(command, ["--version"], { env: sandbox.env, encoding: "utf8" });
    expect(said.stdout).toBe(`amplihack ${version}\n`);
    const undone = spawnSync(command, ["uninstall"], {
      cwd: sandbox.project,
      env: sandbox.env,
      encoding: "utf8",
    });
    // What the refusal left in the logs is the user's, who is told how to remove it.
    expect(undone).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("for good: amplihack uninstall --purge\n"),
    });
    expect(Object.keys(sandbox.snapshot())).toEqual([
      expect.stringMatching(/^home\/\.amplihack\/logs\/audit-settings\/[0-9a-f]{16}\.json$/),
      "home/.amplihack/logs/audit.jsonl",
    ]);
    const purge = (...words: string[]) => run(sandbox, ["uninstall", "--purge", ...words]);
    expect(purge()).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("cannot be undone afterwards"),
      stderr: expect.stringContaining("Add --yes to do it"),
    });
    expect(Object.keys(sandbox.snapshot())).toContain("home/.amplihack/logs/audit.jsonl");
    expect(purge("--yes").status).toBe(0);
    expect(Object.keys(sandbox.snapshot())).not.toContain("home/.amplihack/logs/audit.jsonl");
  });
});

describe("amplihack uninstall", () => {
  it("says that there is nothing, and what it took", () => {
    const sandbox = createSandbox();
    expect(run(sandbox, ["uninstall"])).toMatchObject({ status: 0, stdout: "Nothing to uninstall.\n" });
    run(sandbox, ["install"]);
    const taken = run(sandbox, ["uninstall"]);
    expect(taken).toMatchObject({ status: 0, stderr: "" });
    expect(taken.stdout).toMatch(/✓ claude-code taken out of .*settings\.json\n/);
    expect(sandbox.snapshot()).toEqual({});
    expect(JSON.parse(run(sandbox, ["uninstall", "--format", "json"]).stdout)).toMatchObject({
      success: true,
      was_installed: false,
    });
  });
});

describe("amplihack doctor", () => {
  it("tells a person once what is so of several hosts, with their home as ~, and programs all of it", () => {
    const sandbox = createSandbox();
    for (const program of ["claude", "codex"]) agent(sandbox, program);
    const { stdout } = run(sandbox, ["doctor", "--fix"]);
    expect(stdout).toMatch(/✓ claude-code, codex: 9 hooks were started and answered\n/);
    expect(stdout).toMatch(/⚠ claude-code, codex: no hook has run yet\n {4}fix: amplihack doctor --live\n/);
    expect(stdout).toContain("✓ claude-code: 9 hooks in ~/.claude/settings.json\n");
    expect(stdout).not.toContain(` ${sandbox.home}/`);
    const { checks } = JSON.parse(run(sandbox, ["doctor", "--format", "json"]).stdout) as {
      checks: { id: string; message: string; fix?: string }[];
    };
    expect(checks).toContainEqual({
      id: "last-fired.codex",
      status: "warn",
      message: "codex: no hook has run yet",
      fix: "amplihack doctor --live --host codex",
    });
    expect(checks.map(({ message }) => message)).toContain(
      `claude-code: 9 hooks in ${sandbox.home}/.claude/settings.json`,
    );
  });

  it("ends with 1 and a fix where something is wrong, and repairs it", () => {
    const sandbox = createSandbox();
    agent(sandbox, "claude");
    const before = run(sandbox, ["doctor"]);
    expect(before.status).toBe(1);
    expect(before.stdout).toMatch(/✗ the hooks are registered with no host\n {4}fix: amplihack install\n/);
    expect(before.stdout).toMatch(/\n\n1 check failed; \d+ warnings?\.\n$/);
    const fixed = run(sandbox, ["doctor", "--fix"]);
    expect(fixed).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/All checks passed; \d+ warnings?\.\n$/),
    });
    expect(fixed.stderr).toMatch(/claude-code: registered/);
    const report = JSON.parse(run(sandbox, ["doctor", "--format", "json"]).stdout) as {
      ok: boolean;
      checks: { id: string; status: string; message: string }[];
    };
    expect(report.ok).toBe(true);
    for (const id of [
      "registered",
      "hooks.claude-code.user",
      "probe.claude-code.user",
      "node",
      "git",
      "path",
      "version",
      "agent.claude",
      "active-agent",
      "recipes",
      "state-directory",
    ])
      expect(report.checks.map(check => check.id)).toContain(id);
  });

  it("with --live says why no host could be tried", () => {
    const sandbox = createSandbox();
    const { status, stdout } = run(sandbox, ["doctor", "--live", "--host", "cursor"]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/⚠ cursor: not tried, it needs its editor/);
  });

  it("with --live tells what is wrong in the user's own settings", () => {
    const sandbox = createSandbox();
    sandbox.write("home/.cursor/hooks.json", "{");
    const { status, stdout } = run(sandbox, ["doctor", "--live", "--host", "cursor"]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/✗ your settings: .*hooks\.json cannot be read: .*\n +fix: repair .*hooks\.json/);
    expect(stdout).toContain("1 host would not run all hooks with your settings.");
  });
});

describe("amplihack hooks list", () => {
  it("shows a table and a JSON list", () => {
    const sandbox = createSandbox();
    run(sandbox, ["install", "--host", "claude"]);
    const { stdout } = run(sandbox, ["hooks", "list"]);
    expect(stdout).toMatch(/^event +subcommand +limit +tools +registered with\n/);
    expect(stdout).toMatch(/PreToolUse +pre-tool-use +10 s +\* +claude-code\n/);
    expect(JSON.parse(run(sandbox, ["hooks", "list", "--format", "json"]).stdout)).toHaveLength(9);
  });
});
