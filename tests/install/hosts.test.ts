import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { HOSTS, type HostId, planRegistrations } from "../../src/exports/hosts.ts";
import { readRegistration } from "../../src/install/hook-entries.ts";
import { install } from "../../src/install/install.ts";
import { describeProtections, findTarget, INSTALLABLE_HOSTS } from "../../src/install/targets.ts";
import { uninstall } from "../../src/install/uninstall.ts";
import { createQuickSandbox, INSTALL, makeQuickPackage, type Sandbox, UNINSTALL } from "./sandbox.ts";

const PACKAGE = makeQuickPackage();

const placesOf = ({ home, project }: Sandbox) => ({
  home,
  stateHome: join(home, ".amplihack"),
  projectRoot: project,
});

const settingsOf = (sandbox: Sandbox, host: HostId, scope: "user" | "project") =>
  findTarget(sandbox.system, placesOf(sandbox), host, scope);

describe.each(["user", "project"] as const)("registering for a %s", scope => {
  it.each(INSTALLABLE_HOSTS)("works with %s, twice, and leaves no trace when taken back", async host => {
    const sandbox = createQuickSandbox();
    mkdirSync(join(sandbox.home, ".copilot"));
    const before = sandbox.snapshot();
    const request = { ...INSTALL, hosts: [host], scope, isTrustAgreed: true };
    const report = await install(sandbox.system, PACKAGE, request);
    expect(report).toMatchObject({ success: true, hosts: [{ host, scope, status: "registered" }] });
    const target = settingsOf(sandbox, host, scope);
    expect(report.hosts[0]?.settings_path).toBe(target.path);

    const found = readRegistration(sandbox.system, target);
    const expected = planRegistrations(target.owner).registrations;
    expect(found.entries.map(({ event, subcommand, timeout }) => ({ event, subcommand, timeout }))).toEqual(
      expect.arrayContaining(
        expected.map(({ nativeEvent, subcommand, timeout }) => ({ event: nativeEvent, subcommand, timeout })),
      ),
    );
    expect(found.entries).toHaveLength(expected.length);
    for (const { program } of found.entries) expect(statSync(program).mode & 0o777).toBe(0o755);

    const after = sandbox.snapshot();
    const second = await install(sandbox.system, PACKAGE, request);
    expect(second.hosts).toMatchObject([{ status: "unchanged" }]);
    expect(sandbox.snapshot()).toEqual(after);

    expect(await uninstall(sandbox.system, UNINSTALL)).toMatchObject({ success: true });
    expect(sandbox.snapshot()).toEqual(before);
    expect(await uninstall(sandbox.system, UNINSTALL)).toMatchObject({ was_installed: false });
  });
});

describe("which hosts are registered", () => {
  it("can be seventeen", () => {
    expect(INSTALLABLE_HOSTS).toHaveLength(17);
  });

  it("are those whose folder or program is there; nobody there means Claude Code", async () => {
    const sandbox = createQuickSandbox();
    const names = async () => (await install(sandbox.system, PACKAGE, { ...INSTALL, isDryRun: true })).hosts;
    expect(await names()).toMatchObject([{ host: "claude-code" }]);
    mkdirSync(join(sandbox.home, ".gemini"));
    sandbox.write("bin/codex", "#!/bin/sh\n", 0o755);
    sandbox.write("bin/opencode", "not executable", 0o644);
    expect((await names()).map(({ host }) => host)).toEqual(["codex", "gemini-cli"]);
  });

  it("with all, are those that are there, and the others are named", async () => {
    const sandbox = createQuickSandbox();
    mkdirSync(join(sandbox.home, ".pi"));
    const { hosts } = await install(sandbox.system, PACKAGE, { ...INSTALL, hosts: "all" });
    expect(hosts).toHaveLength(INSTALLABLE_HOSTS.length);
    expect(hosts.filter(({ status }) => status !== "skipped")).toMatchObject([
      { host: "pi", status: "registered" },
    ]);
  });

  it("with all and nobody there, are Claude Code, as without it", async () => {
    const sandbox = createQuickSandbox();
    const { hosts } = await install(sandbox.system, PACKAGE, { ...INSTALL, hosts: "all" });
    expect(hosts).toHaveLength(INSTALLABLE_HOSTS.length);
    expect(hosts.filter(({ status }) => status !== "skipped")).toMatchObject([
      { host: "claude-code", status: "registered" },
    ]);
  });

  it("leave out Copilot where it is not", async () => {
    const sandbox = createQuickSandbox();
    const { hosts, success } = await install(sandbox.system, PACKAGE, { ...INSTALL, hosts: ["copilot-cli"] });
    expect(success).toBe(true);
    expect(hosts).toMatchObject([{ host: "copilot-cli", status: "skipped" }]);
  });

  it("go on when one fails", async () => {
    const sandbox = createQuickSandbox();
    sandbox.write("home/.claude/settings.json", "nonsense");
    const report = await install(sandbox.system, PACKAGE, {
      ...INSTALL,
      hosts: ["claude-code", "gemini-cli"],
    });
    expect(report.success).toBe(false);
    expect(report.hosts).toMatchObject([
      { host: "claude-code", status: "failed" },
      { host: "gemini-cli", status: "registered" },
    ]);
  });
});

describe("folders that hosts keep elsewhere", () => {
  it.each([
    ["claude-code", "CLAUDE_CONFIG_DIR", "settings.json"],
    ["codex", "CODEX_HOME", "hooks.json"],
    ["copilot-cli", "COPILOT_HOME", "hooks/amplihack.json"],
    ["gemini-cli", "GEMINI_CLI_HOME", ".gemini/settings.json"],
    ["opencode", "XDG_CONFIG_HOME", "opencode/plugins/amplihack.js"],
    ["pi", "PI_CODING_AGENT_DIR", "extensions/amplihack.js"],
  ] as const)("are found for %s by %s", async (host, variable, name) => {
    const sandbox = createQuickSandbox();
    const folder = join(sandbox.home, "elsewhere");
    mkdirSync(folder);
    const system = {
      ...sandbox.system,
      env: { ...sandbox.system.env, get: (key: string) => (key === variable ? folder : sandbox.env[key]) },
    };
    await install(system, PACKAGE, { ...INSTALL, hosts: [host] });
    expect(existsSync(join(folder, name))).toBe(true);
  });
});

describe("hosts that read each other's files", () => {
  it("Cursor is served by Claude Code's settings, and registered by force only", async () => {
    const sandbox = createQuickSandbox();
    const request = { ...INSTALL, hosts: ["claude-code", "cursor"] } as const;
    expect((await install(sandbox.system, PACKAGE, request)).hosts).toMatchObject([
      { status: "registered" },
      { host: "cursor", status: "skipped", reason: expect.stringContaining(".claude/settings.json") },
    ]);
    expect(existsSync(join(sandbox.home, ".cursor"))).toBe(false);
    const forced = await install(sandbox.system, PACKAGE, { ...request, isForced: true });
    expect(forced.hosts).toMatchObject([{ status: "unchanged" }, { status: "registered" }]);
    expect(forced.warnings).toEqual([
      expect.stringMatching(/cursor reads both .* runs every hook twice; add --dedupe/),
    ]);
    await install(sandbox.system, PACKAGE, { ...request, isDeduping: true });
    expect(existsSync(join(sandbox.home, ".cursor"))).toBe(false);
  });

  it("Copilot is served by the project's Claude settings", async () => {
    const sandbox = createQuickSandbox();
    const request = { ...INSTALL, scope: "project", hosts: ["claude-code", "copilot-cli"] } as const;
    expect((await install(sandbox.system, PACKAGE, request)).hosts).toMatchObject([
      { status: "registered" },
      { host: "copilot-cli", status: "skipped" },
    ]);
    expect(existsSync(join(sandbox.project, ".github"))).toBe(false);
  });

  it("VS Code and Claude Code share one file, which stays until the last of them goes", async () => {
    const sandbox = createQuickSandbox();
    const before = sandbox.snapshot();
    await install(sandbox.system, PACKAGE, { ...INSTALL, hosts: ["claude-code", "vscode-copilot"] });
    await uninstall(sandbox.system, { ...UNINSTALL, hosts: ["claude-code"] });
    expect(sandbox.read("home/.claude/settings.json")).toContain("amplihack-hooks");
    await uninstall(sandbox.system, { ...UNINSTALL, hosts: ["vscode-copilot"] });
    expect(sandbox.snapshot()).toEqual(before);
  });

  it("user and project copies are told, and only the user's goes, on request, in the project's scope", async () => {
    const sandbox = createQuickSandbox();
    const request = { ...INSTALL, hosts: ["claude-code"] } as const;
    await install(sandbox.system, PACKAGE, request);
    const both = await install(sandbox.system, PACKAGE, { ...request, scope: "project" });
    expect(both.warnings).toEqual([expect.stringMatching(/claude-code reads both .*twice; add --dedupe/)]);
    const kept = await install(sandbox.system, PACKAGE, { ...request, isDeduping: true });
    expect(kept.warnings).toEqual([expect.stringMatching(/add --scope project --dedupe/)]);
    await install(sandbox.system, PACKAGE, { ...request, scope: "project", isDeduping: true });
    expect(existsSync(join(sandbox.home, ".claude/settings.json"))).toBe(false);
    expect(sandbox.read("project/.claude/settings.json")).toContain("amplihack-hooks");
  });
});

describe("what is never done", () => {
  it("permissions of a host are not touched", async () => {
    const sandbox = createQuickSandbox();
    const permissions = { allow: ["Bash"], deny: [], defaultMode: "default", additionalDirectories: ["x"] };
    sandbox.write("home/.claude/settings.json", JSON.stringify({ permissions }));
    await install(sandbox.system, PACKAGE, { ...INSTALL, hosts: ["claude-code"] });
    expect(parse(sandbox.read("home/.claude/settings.json"))).toMatchObject({ permissions });
  });

  it("a generated file never replaces somebody else's", async () => {
    const sandbox = createQuickSandbox();
    const plugin = sandbox.write("home/.config/opencode/plugins/amplihack.js", "export const Mine = 1\n");
    sandbox.write("home/Documents/Cline/Hooks/PreToolUse", "#!/bin/sh\necho mine\n", 0o755);
    const { hosts } = await install(sandbox.system, PACKAGE, {
      ...INSTALL,
      hosts: ["opencode", "cline"],
      isForced: true,
    });
    expect(hosts).toMatchObject([
      { host: "cline", status: "failed", reason: expect.stringMatching(/not a file of amplihack/) },
      { host: "opencode", status: "failed", reason: expect.stringMatching(/not a file of amplihack/) },
    ]);
    expect(sandbox.read("home/.config/opencode/plugins/amplihack.js")).toBe("export const Mine = 1\n");
    expect(existsSync(plugin)).toBe(true);
    expect(existsSync(join(sandbox.home, "Documents/Cline/Hooks/PostToolUse"))).toBe(false);
  });
});

describe("what a host is said to give", () => {
  it("names the refusal of commands for every host, and what is missing there", () => {
    for (const host of INSTALLABLE_HOSTS) {
      const { can, cannot } = describeProtections(host);
      expect(can.join("\n"), host).toMatch(/refuse a dangerous command/);
      expect(cannot.length, host).toBeGreaterThan(0);
      expect(HOSTS[host]).toBeDefined();
    }
    expect(describeProtections("windsurf").cannot.join("\n")).toMatch(/hold a stop.*\n[\s\S]*context/);
    expect(describeProtections("gemini-cli").cannot.join("\n")).toMatch(/before every model call/);
    expect(describeProtections("codex").cannot.join("\n")).toMatch(/ask you/);
    expect(describeProtections("claude-code").can).toContain("ask you about a doubtful command");
  });
});
