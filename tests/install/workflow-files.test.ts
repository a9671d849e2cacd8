import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { install } from "../../src/install/install.ts";
import { uninstall } from "../../src/install/uninstall.ts";
import { createQuickSandbox, INSTALL, makeQuickPackage, UNINSTALL } from "./sandbox.ts";

const PACKAGE = makeQuickPackage();
const HOSTS = ["claude-code", "codex", "gemini-cli", "opencode", "copilot-cli", "pi"] as const;
const NAMES = ["architect", "builder", "reviewer", "tester"];
const request = { ...INSTALL, hosts: HOSTS, parts: ["guard", "workflow"] as const };
const agents = (folder: string, extension: string) =>
  NAMES.map(name => `home/${folder}/amplihack-${name}.${extension}`);

type Sandbox = ReturnType<typeof createQuickSandbox>;
/** What is not state of amplihack itself. */
const filesOfHosts = (sandbox: Sandbox) =>
  Object.fromEntries(
    Object.entries(sandbox.snapshot()).filter(([name]) => !name.startsWith("home/.amplihack/")),
  );
const workflowIn = (sandbox: Sandbox) =>
  Object.keys(filesOfHosts(sandbox))
    .filter(name => /\/(agents|commands|prompts|skills)\//.test(name))
    .sort();

describe("the part workflow", () => {
  it.each(NAMES)("has a subagent %s with its name and a description", name => {
    const text = readFileSync(new URL(`../../agents/${name}.md`, import.meta.url), "utf8");
    expect(text).toMatch(new RegExp(`^---\\n\\n?name: ${name}\\ndescription: [^\\n]+\\n---\\n\\n# `));
  });

  it("comes to each host as subagents, a skill and a command, and goes without a trace", async () => {
    const sandbox = createQuickSandbox();
    sandbox.write("home/.claude/agents/mine.md", "mine");
    sandbox.write("home/.gemini/commands/amplihack/dev.toml", 'prompt = "mine"\n');
    sandbox.write("home/.copilot/config.json", "{}");
    const before = filesOfHosts(sandbox);
    await install(sandbox.system, PACKAGE, request);
    expect(workflowIn(sandbox)).toEqual(
      [
        "home/.claude/agents/mine.md",
        ...agents(".claude/agents", "md"),
        "home/.claude/commands/amplihack/dev.md",
        "home/.claude/skills/dev-orchestrator/SKILL.md",
        ...agents(".codex/agents", "toml"),
        "home/.codex/prompts/amplihack-dev.md",
        "home/.codex/skills/dev-orchestrator/SKILL.md",
        ...agents(".gemini/agents", "md"),
        "home/.gemini/commands/amplihack/dev.toml",
        "home/.gemini/skills/dev-orchestrator/SKILL.md",
        ...agents(".config/opencode/agents", "md"),
        "home/.config/opencode/commands/amplihack-dev.md",
        ...agents(".copilot/agents", "agent.md"),
        "home/.pi/agent/prompts/amplihack-dev.md",
        "home/.pi/agent/skills/dev-orchestrator/SKILL.md",
      ].sort(),
    );
    // A file of the user's with that name stays as it is.
    expect(sandbox.read("home/.gemini/commands/amplihack/dev.toml")).toBe('prompt = "mine"\n');
    expect(sandbox.read("home/.claude/agents/amplihack-builder.md")).toMatch(
      /^---\n# Written by amplihack\.[^\n]*\nname: amplihack-builder\ndescription: "[^\n]+"\n---\n\n# Builder\n/,
    );
    expect(sandbox.read("home/.config/opencode/agents/amplihack-tester.md")).toContain("\nmode: subagent\n");
    expect(sandbox.read("home/.claude/commands/amplihack/dev.md")).toContain("Task: $ARGUMENTS");
    const [, , description = "", instructions = ""] = sandbox
      .read("home/.codex/agents/amplihack-reviewer.toml")
      .split("\n");
    expect(description).toMatch(/^description = "Reads a change/);
    expect(JSON.parse(instructions.replace("developer_instructions = ", ""))).toMatch(/^# Reviewer\n/);

    const again = await install(sandbox.system, PACKAGE, { ...request, parts: undefined });
    expect(again.hosts.map(({ status }) => status)).not.toContain("failed");
    expect(workflowIn(sandbox)).toContain("home/.codex/prompts/amplihack-dev.md");
    await uninstall(sandbox.system, UNINSTALL);
    expect(filesOfHosts(sandbox)).toEqual(before);
  });

  it("brings files only to those who chose it, goes with the choice, and leaves projects alone", async () => {
    const sandbox = createQuickSandbox();
    const hosts = ["claude-code"] as const;
    await install(sandbox.system, PACKAGE, { ...INSTALL, hosts });
    expect(workflowIn(sandbox)).toEqual(["home/.claude/skills/amplihack/SKILL.md"]);
    await install(sandbox.system, PACKAGE, { ...request, hosts });
    expect(workflowIn(sandbox)).toContain("home/.claude/skills/dev-orchestrator/SKILL.md");
    await install(sandbox.system, PACKAGE, { ...request, hosts, parts: ["guard"] });
    expect(workflowIn(sandbox)).toEqual([]);
    await install(sandbox.system, PACKAGE, { ...request, hosts, scope: "project" });
    expect(workflowIn(sandbox)).toEqual([]);
  });
});
