import { describe, expect, it } from "vitest";
import { judgeTool } from "../../src/exports/guard.ts";
import type { Json } from "../../src/protocol/index.ts";
import { contextFor, HOME, machine, PROJECT, settings } from "./scene.ts";

function judge(name: string, input: Json, paths: readonly string[] = [], options = {}) {
  const tool = { name, canonicalName: name, input };
  return judgeTool({ tool, facts: { command: null, paths } }, contextFor(options));
}

const read = (path: string, options = {}) => judge("Read", { file_path: path }, [path], options);
const write = (path: string, options = {}) =>
  judge("Write", { file_path: path, content: "x" }, [path], options);

describe("writing under a name of ours", () => {
  it.each([
    ".claude/skills/dev-orchestrator/SKILL.md",
    ".claude/skills/amplihack/SKILL.md",
    "~/.claude/skills/dev-orchestrator/SKILL.md",
    ".claude/agents/amplihack-builder.md",
    ".codex/agents/amplihack-reviewer.toml",
    ".agents/skills/amplihack/SKILL.md",
  ])("is asked about: %s", path => {
    const judgement = write(path);
    expect(judgement.verdict).toBe("ask");
    expect(judgement.findings.map(finding => finding.rule)).toContain("agent.bypass");
  });

  it.each([".claude/skills/ours/SKILL.md", ".claude/agents/builder.md", ".claude/commands/dev.md"])(
    "is free under another: %s",
    path => expect(write(path).verdict).toBe("allow"),
  );
});

describe("reading with a file tool", () => {
  it.each([
    [`${PROJECT}/.env`, "ask", "sec.read"],
    [".env.local", "ask", "sec.read"],
    ["src/../.env", "ask", "sec.read"],
    ["~/.aws/credentials", "ask", "sec.read"],
    [`${PROJECT}/secret-link`, "ask", "sec.read"],
    ["home-link/.aws/credentials", "ask", "sec.read"],
    ["~/.ssh/id_rsa", "deny", "sec.read"],
    ["/etc/shadow", "ask", "sec.read"],
    [`${HOME}/.amplihack/guard/machine.key`, "deny", "sec.read"],
    [".ENV", "ask", "sec.read"],
  ])("of %s is %s", (path, verdict, rule) => {
    const judgement = read(path);
    expect(judgement.verdict).toBe(verdict);
    expect(judgement.findings.map(finding => finding.rule)).toContain(rule);
    expect(judgement.reason?.length).toBeLessThanOrEqual(600);
  });

  it.each([
    "src/index.ts",
    ".env.example",
    "~/.ssh/config",
    "~/.ssh/id_rsa.pub",
    "/etc/hosts",
    "README.md",
    ".claude/settings.json",
    "/tmp/x",
  ])("of %s is free", path => expect(read(path).verdict).toBe("allow"));

  it("obeys noRead of the configuration", () => {
    const closed = settings({ paths: { ...settings({}).paths, noRead: ["**/customer-data/**"] } });
    expect(read("src/customer-data/a.csv", { settings: closed }).verdict).toBe("ask");
    expect(read("src/a.csv", { settings: closed }).verdict).toBe("allow");
  });
});

describe("writing with a file tool", () => {
  it.each([
    [".env", "ask", "sec.write"],
    ["~/.ssh/authorized_keys", "deny", "sec.write"],
    ["~/.ssh/id_rsa", "deny", "sec.write"],
    ["/etc/hosts", "deny", "fs.system-write"],
    ["/usr/bin/ls", "deny", "fs.system-write"],
    ["/usr/local/bin/x", "ask", "fs.system-write"],
    ["~/.bashrc", "ask", "fs.rcfile"],
    [".claude/settings.json", "ask", "agent.bypass"],
    [".claude/hooks/x.sh", "ask", "agent.bypass"],
    ["~/.codex/hooks.json", "ask", "agent.bypass"],
    [".github/hooks/x.json", "ask", "agent.bypass"],
    ["~/.amplihack/config.jsonc", "ask", "agent.bypass"],
    ["~/.amplihack/hooks/mine.ts", "ask", "agent.bypass"],
    ["~/.amplihack/hooks.jsonc", "ask", "agent.bypass"],
    ["~/.amplihack/hooks/.build/manifest.json", "ask", "agent.bypass"],
    [".amplihack/config.jsonc", "ask", "agent.bypass"],
    [".git/hooks/pre-commit", "ask", "git.verify"],
    [".git/HEAD", "deny", "fs.project"],
    ["home-link/.bashrc", "ask", "fs.rcfile"],
  ])("of %s is %s", (path, verdict, rule) => {
    const judgement = write(path);
    expect(judgement.findings.map(finding => finding.rule)).toContain(rule);
    expect(judgement.verdict).toBe(verdict);
  });

  it.each([
    "src/new.ts",
    ".env.example",
    "/tmp/x",
    ".claude/commands/x.md",
    ".claude/agents/x.md",
    ".github/workflows/ci.yml",
    "dist/x.js",
    "docs/secrets.md",
  ])("of %s is free", path => expect(write(path).verdict).toBe("allow"));

  it("is judged for every path of a patch", () => {
    const patch = judge(
      "Edit",
      "*** Begin Patch\n*** Update File: a.ts\n*** Delete File: .env\n*** End Patch",
      ["a.ts", ".env"],
    );
    expect(patch.findings.map(finding => finding.target)).toEqual([`${PROJECT}/.env`]);
  });

  it("knows the fields of every tool", () => {
    expect(judge("NotebookEdit", { notebook_path: "/etc/x.ipynb" }).verdict).toBe("deny");
    expect(judge("MultiEdit", { file_path: ".env", edits: [] }).verdict).toBe("ask");
    expect(judge("Read", { paths: ["a", ".env"] }).verdict).toBe("ask");
  });

  it("obeys deny of the configuration", () => {
    const closed = settings({ paths: { ...settings({}).paths, deny: ["infra/prod/**"] } });
    expect(write("infra/prod/main.tf", { settings: closed }).findings[0]).toMatchObject({
      rule: "fs.path",
      verdict: "deny",
    });
    expect(write("infra/dev/main.tf", { settings: closed }).verdict).toBe("allow");
  });
});

describe("searching with a file tool", () => {
  it.each([
    ["Grep", { pattern: "KEY", path: ".env" }],
    ["Grep", { pattern: "KEY", glob: ".env" }],
    ["Grep", { pattern: "KEY", glob: "**/.env" }],
    ["Glob", { pattern: "**/.env" }],
    ["Glob", { pattern: "**/id_rsa" }],
    ["Glob", { pattern: "**/.env*" }],
  ])("%s of a name that is a secret is asked about", (name, input) =>
    expect(judge(name, input).verdict).not.toBe("allow"),
  );

  it.each([
    ["Grep", { pattern: "KEY", path: "." }],
    ["Grep", { pattern: "\\.env" }],
    ["Grep", { pattern: "rm -rf /", path: "src" }],
    ["Glob", { pattern: "**/*.ts" }],
    ["Glob", { pattern: "src/**", path: PROJECT }],
    ["LS", { path: HOME }],
    ["WebFetch", { url: "https://x" }],
    ["mcp__files__list", { path: HOME }],
  ])("%s over a directory, and every other tool, is free", (name, input) =>
    expect(judge(name, input).verdict).toBe("allow"),
  );
});

describe("a patch tool", () => {
  const patch = (path: string) => `*** Begin Patch\n*** Update File: ${path}\n@@\n-a\n+b\n*** End Patch\n`;

  it.each([
    [".env", "ask"],
    ["/etc/hosts", "deny"],
    [".git/HEAD", "deny"],
    [".claude/settings.json", "ask"],
    ["src/index.ts", "allow"],
  ])("on %s is %s, whatever holds the text", (path, verdict) => {
    const inputs: readonly Json[] = [
      patch(path),
      { input: patch(path) },
      { patch: patch(path) },
      { command: ["apply_patch", patch(path)] },
    ];
    expect(inputs.map(input => judge("apply_patch", input).verdict)).toEqual(inputs.map(() => verdict));
  });

  it.each([
    ["/etc/hosts", "deny"],
    [".env", "ask"],
    ["src/index.ts", "allow"],
  ])("started from a shell on %s is %s", (path, verdict) => {
    const command = `apply_patch <<'EOF'\n${patch(path)}EOF\n`;
    const tool = { name: "Bash", canonicalName: "Bash", input: {} };
    expect(judgeTool({ tool, facts: { command, paths: [] } }, contextFor()).verdict).toBe(verdict);
  });
});

describe("a file tool of a server", () => {
  it.each<[string, Json, string]>([
    ["mcp__filesystem__write_file", { path: "/etc/hosts", content: "" }, "deny"],
    ["mcp__filesystem__edit_file", { path: `${PROJECT}/.env`, edits: [] }, "ask"],
    ["mcp__filesystem__read_text_file", { path: `${PROJECT}/.env` }, "ask"],
    ["mcp__filesystem__read_multiple_files", { paths: [`${PROJECT}/a`, "~/.ssh/id_rsa"] }, "deny"],
    ["mcp__filesystem__move_file", { source: `${PROJECT}/a`, destination: "/usr/bin/a" }, "deny"],
    ["mcp__filesystem__write_file", { path: `${PROJECT}/src/a.ts`, content: "" }, "allow"],
    // A path inside a remote repository says nothing about this disk.
    ["mcp__forge__delete_file", { path: ".env" }, "allow"],
    ["mcp__tracker__create_issue", { title: "/etc/hosts", path: "/etc/hosts" }, "allow"],
  ])("%s %j is %s", (name, input, verdict) => {
    expect(judge(name, input).verdict).toBe(verdict);
  });
});

describe("a shell tool", () => {
  it("is judged also when its command comes as words", () => {
    const words = (...command: string[]) =>
      judgeTool(
        {
          tool: { name: "shell", canonicalName: "Bash", input: { command } },
          facts: { command: null, paths: [] },
        },
        contextFor(),
      ).verdict;
    expect(words("bash", "-lc", "rm -rf /")).toBe("deny");
    expect(words("rm", "-rf", "src")).toBe("ask");
    expect(words("ls", "-la")).toBe("allow");
  });

  const bash = (command: string | null, name = "Bash") =>
    judgeTool(
      { tool: { name, canonicalName: "Bash", input: {} }, facts: { command, paths: [] } },
      contextFor({ system: machine() }),
    );

  it("is judged by its command, and free without one", () => {
    expect(bash("rm -rf /").verdict).toBe("deny");
    expect(bash(null).verdict).toBe("allow");
    expect(bash("").verdict).toBe("allow");
  });

  it("of PowerShell is read as PowerShell", () => {
    expect(bash("Remove-Item -Recurse -Force $HOME", "powershell").verdict).not.toBe("allow");
    expect(bash("Get-ChildItem -Recurse", "powershell").verdict).toBe("allow");
  });
});

describe("a tool that asks for an address", () => {
  it.each([
    ["WebFetch", { url: "http://169.254.169.254/latest/meta-data/", prompt: "x" }, "ask"],
    ["WebFetch", { url: "http://2852039166/latest/api/token", prompt: "x" }, "ask"],
    ["WebFetch", { url: "http://metadata.google.internal/computeMetadata/v1/", prompt: "x" }, "ask"],
    ["mcp__fetch__fetch", { uri: "http://[fd00:ec2::254]/latest/meta-data/" }, "ask"],
    ["mcp__browser__navigate", { url: "http://100.100.100.200/latest/meta-data/" }, "ask"],
    ["WebFetch", { url: "https://nodejs.org/api/fs.html", prompt: "what is metadata" }, "allow"],
    ["mcp__browser__navigate", { url: "http://localhost:3000/" }, "allow"],
    ["mcp__tracker__create_comment", { body: "see http://169.254.169.254/" }, "allow"],
  ])("%s %j is %s", (name, input, verdict) => {
    expect(judge(name, input).verdict).toBe(verdict);
  });
});
