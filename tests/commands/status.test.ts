import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOSTS } from "../../src/exports/hosts.ts";
import { AGENTS } from "../../src/hosts/index.ts";
import { registerEntries, wantedEntries } from "../../src/install/hook-entries.ts";
import { buildProgram, LaunchMachine } from "../launcher/launch-machine.ts";

const program = buildProgram();

function register(machine: LaunchMachine): void {
  const hooks = machine.script(join(machine.home, ".amplihack/.claude/bin/amplihack-hooks"), "exit 0");
  const layout = HOSTS["claude-code"].registration?.layout;
  if (layout === undefined) throw new Error("Claude Code has no layout");
  const edited = registerEntries(
    "",
    layout,
    wantedEntries("claude-code", { program: hooks, isShared: true }),
  );
  if (!edited.ok) throw new Error(edited.problem);
  machine.write(join(machine.home, ".claude/settings.json"), edited.text);
}

describe("amplihack alone", () => {
  it("says on a new machine how to get an agent", () => {
    const { code, stdout } = new LaunchMachine(program).run();
    expect(code).toBe(0);
    expect(stdout).toContain("not installed: claude, copilot, codex, amplifier, gemini, opencode, pi");
    expect(stdout).toContain("Next: npm install -g @anthropic-ai/claude-code");
  });

  it("counts an agent as here whose program is not on PATH, as an editor or an alias starts it", () => {
    const machine = new LaunchMachine(program);
    machine.write(join(machine.home, ".codex/config.toml"), "");
    const { stdout } = machine.run();
    expect(stdout).toMatch(/Codex +hooks not registered/);
    expect(stdout).toContain("Next: amplihack install  (lets amplihack guard Codex)");
    register(machine);
    const registered = machine.run().stdout;
    expect(registered).toMatch(/Claude Code +✓ hooks registered/);
    expect(registered).toMatch(/not installed: copilot, codex/);
    expect(registered).toContain("Next: amplihack doctor  (says whether the hooks have run)");
  });

  it("names an agent that it does not start", () => {
    const machine = new LaunchMachine(program);
    machine.agent("codex", "");
    machine.write(join(machine.home, ".cursor/hooks.json"), "{");
    expect(machine.run().stdout).not.toContain("Cursor");
    const hooks = join(machine.home, ".amplihack/.claude/bin/amplihack-hooks");
    machine.script(hooks, "exit 0");
    const handler = { command: `${hooks} pre-tool-use` };
    const settings = { version: 1, hooks: { preToolUse: [handler] } };
    machine.write(join(machine.home, ".cursor/hooks.json"), JSON.stringify(settings));
    expect(machine.run().stdout).toMatch(/Cursor +! no entry for/);
  });

  it("says which agents do not call the hooks yet", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "");
    machine.agent("codex", "");
    const { stdout } = machine.run();
    expect(stdout).toMatch(/Codex +hooks not registered/);
    expect(stdout).toContain("Next: amplihack install  (lets amplihack guard Claude Code, Codex)");
  });

  it("says what to start when all is well", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "");
    register(machine);
    const { stdout } = machine.run();
    expect(stdout).toContain("✓ hooks registered");
    expect(stdout).toContain("Next: amplihack claude");
  });

  it("points at settings that cannot be read, and still ends with 0", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "");
    machine.write(join(machine.home, ".claude/settings.json"), "{");
    const { code, stdout } = machine.run();
    expect(code).toBe(0);
    expect(stdout).toContain("line 1");
    expect(stdout).toContain("Next: amplihack doctor");
  });

  it("names a hook of one's own that could not be built", () => {
    const machine = new LaunchMachine(program);
    const source = join(machine.home, ".amplihack/hooks/mine.js");
    machine.write(source, "export default {");
    machine.run("hooks", "build");
    const { stdout } = machine.run();
    expect(stdout).toContain(`! hook: ${source}: `);
    expect(stdout).toContain("Next: amplihack hooks build");
    rmSync(source);
    machine.run("hooks", "build");
    expect(JSON.parse(machine.run("status", "--json").stdout)).toMatchObject({ hooks: [] });
  });

  it("says what to type where PATH does not lead to the program, and only there", () => {
    const machine = new LaunchMachine(program);
    expect(machine.run().stdout).toMatch(/amplihack --help {2}\(not on your PATH yet: type node .*\.cjs\)/);
    machine.script(join(machine.bin, "amplihack"), "exit 0");
    expect(machine.run().stdout).toMatch(/amplihack --help\n$/);
  });

  it("takes ten lines at most", () => {
    const machine = new LaunchMachine(program);
    for (const agent of AGENTS) machine.agent(agent, "");
    expect(machine.run().stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
  });

  it("can be read by programs", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", "");
    const status = JSON.parse(machine.run("status", "--format", "json").stdout) as { agents: unknown[] };
    expect(status.agents).toHaveLength(AGENTS.length);
    expect(status.agents[0]).toEqual({
      agent: "claude",
      path: join(machine.bin, "claude"),
      registered: false,
      problem: null,
    });
  });
});
