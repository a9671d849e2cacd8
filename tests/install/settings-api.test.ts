import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOOK_REGISTRY } from "../../src/exports/hosts.ts";
import { ensureSettings, updateHookPaths, validateHookPaths } from "../../src/exports/install.ts";
import { createSandbox } from "./sandbox.ts";

const group = (command: string) => ({ hooks: [{ type: "command", command }] });

describe("validateHookPaths", () => {
  it("names every hook of ours whose program cannot be started, and no other", () => {
    const { root, system, write } = createSandbox();
    const good = write("bin/amplihack-hooks", "#!/bin/sh\n", 0o755);
    const flat = write("flat/amplihack-hooks", "x", 0o644);
    const settings = {
      hooks: {
        Stop: [group(`${good} stop`), group("/nowhere/amplihack-hooks stop"), group("/nowhere/else stop")],
        PreToolUse: [group(`'${flat}' pre-tool-use`), group(`${root}/bin/../amplihack-hooks pre-tool-use`)],
        SessionStart: [group("amplihack-hooks session-start"), group("$HOME/amplihack-hooks session-start")],
        SessionEnd: "odd",
      },
    };
    expect(validateHookPaths(settings, system)).toEqual({
      valid: false,
      missing: [
        { event: "Stop", subcommand: "stop", program: "/nowhere/amplihack-hooks", reason: "not found" },
        { event: "PreToolUse", subcommand: "pre-tool-use", program: flat, reason: "not executable" },
        {
          event: "PreToolUse",
          subcommand: "pre-tool-use",
          program: `${root}/bin/../amplihack-hooks`,
          reason: "not found",
        },
        {
          event: "SessionStart",
          subcommand: "session-start",
          program: "$HOME/amplihack-hooks",
          reason: "not found",
        },
      ],
    });
  });

  it("finds nothing wrong with settings that have no hooks of ours", () => {
    for (const settings of [{}, { hooks: {} }, { hooks: [] }, { hooks: { Stop: [null, 3, group("ls")] } }])
      expect(validateHookPaths(settings)).toEqual({ valid: true, missing: [] });
  });
});

describe("updateHookPaths", () => {
  const binary = "/opt/my hooks/amplihack-hooks";

  it("gives the settings with the hooks of the registry and counts what changed", () => {
    const before = {
      model: "opus",
      hooks: { Stop: [group("/other/stop.sh"), group("/old/amplihack-hooks stop")] },
    };
    const copy = structuredClone(before);
    const { settings, changed } = updateHookPaths(before, HOOK_REGISTRY, binary);
    expect(before).toEqual(copy);
    expect(changed).toBe(HOOK_REGISTRY.length);
    expect(settings).toMatchObject({
      model: "opus",
      hooks: {
        Stop: [
          { hooks: [{ command: "'/opt/my hooks/amplihack-hooks' stop", timeout: 120 }] },
          group("/other/stop.sh"),
        ],
      },
    });
    expect(updateHookPaths(settings, HOOK_REGISTRY, binary)).toEqual({ settings, changed: 0 });
  });

  it("takes a registry of its own, and takes away what is not in it", () => {
    const { settings } = updateHookPaths({}, HOOK_REGISTRY, binary);
    const rows = HOOK_REGISTRY.filter(row => row.event === "Stop");
    const smaller = updateHookPaths(settings, rows, binary);
    expect(Object.keys((smaller.settings as { hooks: object }).hooks)).toEqual(["Stop"]);
    expect(smaller.changed).toBe(HOOK_REGISTRY.length - 1);
  });

  it("refuses what it would have to guess at", () => {
    expect(() => updateHookPaths({ hooks: [] }, HOOK_REGISTRY, binary)).toThrow(/must be an object/);
  });
});

describe("ensureSettings", () => {
  it("registers in a file with a backup, and leaves it alone the second time", () => {
    const { root, system, write, read } = createSandbox();
    const path = write("settings.json", '{ "model": "opus" }\n');
    const first = ensureSettings(path, { binary: "/x/amplihack-hooks", system });
    expect(first.status).toBe("registered");
    expect(readFileSync(first.backupPath ?? "", "utf8")).toBe('{ "model": "opus" }\n');
    const after = read("settings.json");
    expect(ensureSettings(path, { binary: "/x/amplihack-hooks" })).toEqual({
      status: "unchanged",
      backupPath: undefined,
    });
    expect(read("settings.json")).toBe(after);
    expect(existsSync(join(root, "settings.json.amplihack.lock"))).toBe(false);
  });

  it("throws for a file that cannot be edited safely and leaves it", () => {
    const { system, write, read } = createSandbox();
    const path = write("settings.json", "[1]");
    expect(() => ensureSettings(path, { binary: "/x/amplihack-hooks", system })).toThrow(
      /expected an object at the top/,
    );
    expect(read("settings.json")).toBe("[1]");
  });
});
