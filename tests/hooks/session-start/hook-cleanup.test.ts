import { describe, expect, it } from "vitest";
import { sessionStart } from "../../../src/hooks/stock/session-start.ts";
import type { MemorySystem, SeedEntry } from "../../../src/system/memory.ts";
import { metricsOf, projectSystem, ROOT, runHook } from "../run-hook.ts";

const PROGRAM = "/home/user/.amplihack/.claude/bin/amplihack-hooks";
const USER = "/home/user/.claude/settings.json";
const PROJECT = `${ROOT}/.claude/settings.json`;
const MANIFEST = "/home/user/.amplihack/.claude/install/amplihack-manifest.json";
const BACKUP = `${USER}.backup.1767323045`;

const entry = (command: string, matcher?: string) => ({
  ...(matcher === undefined ? {} : { matcher }),
  hooks: [{ type: "command", command, timeout: 10 }],
});
const settings = (hooks: object, more: object = {}) => `${JSON.stringify({ ...more, hooks }, null, 2)}\n`;
const OURS = { Stop: [entry(`${PROGRAM} stop`)], PreToolUse: [entry(`${PROGRAM} pre-tool-use`, "*")] };

function machine(
  user: SeedEntry,
  project: SeedEntry | undefined,
  files: Record<string, SeedEntry> = {},
): MemorySystem {
  return projectSystem({
    files: {
      [USER]: user,
      ...(project === undefined ? {} : { [PROJECT]: project }),
      [PROGRAM]: { content: "#!", mode: 0o755 },
      ...files,
    },
  });
}
async function started(
  user: SeedEntry,
  project: SeedEntry | undefined,
  files: Record<string, SeedEntry> = {},
) {
  const system = machine(user, project, files);
  await runHook(sessionStart(), system, {});
  return system;
}

describe("a hook that user and project both register", () => {
  it("stays with the project; the user's file is backed up, its other content kept", async () => {
    const foreign = entry("/usr/bin/mine.sh");
    const before = settings({ ...OURS, Stop: [...OURS.Stop, foreign] }, { model: "x" });
    const system = await started(before, settings(OURS));
    expect(JSON.parse(system.peek(USER) ?? "")).toEqual({ model: "x", hooks: { Stop: [foreign] } });
    expect(system.peek(PROJECT)).toBe(settings(OURS));
    expect(system.peek(BACKUP)).toBe(before);
    expect(system.files.inspect(BACKUP)?.mode).toBe(0o600);
    expect(metricsOf(system, "session_start")).toContain("global_hooks_migrated=2");
    expect(system.stderr()).toMatch(/2 hooks were removed from .*settings\.json/);
    expect(system.files.list("/home/user/.claude")).toEqual([
      "settings.json",
      "settings.json.backup.1767323045",
    ]);
  });

  it("is removed one by one: what the project lacks stays", async () => {
    const system = await started(settings(OURS), settings({ Stop: OURS.Stop }));
    expect(JSON.parse(system.peek(USER) ?? "").hooks).toEqual({ PreToolUse: OURS.PreToolUse });
  });

  it("is removed from a group without the others in it", async () => {
    const mixed = {
      Stop: [{ hooks: [{ type: "command", command: "a.sh" }, ...(OURS.Stop[0]?.hooks ?? [])] }],
    };
    const system = await started(settings(mixed), settings(OURS));
    expect(JSON.parse(system.peek(USER) ?? "").hooks).toEqual({
      Stop: [{ hooks: [{ type: "command", command: "a.sh" }] }],
    });
  });

  it("may be written in the words of an older version", async () => {
    const legacy = { Stop: [entry("python3 $HOME/.amplihack/.claude/tools/amplihack/hooks/stop.py")] };
    const system = await started(settings(legacy), settings(OURS));
    expect(JSON.parse(system.peek(USER) ?? "")).toEqual({});
  });

  it("keeps the file's mode and follows a link", async () => {
    const system = machine({ target: "/home/user/dotfiles/s.json" }, settings(OURS), {
      "/home/user/dotfiles/s.json": { content: settings(OURS), mode: 0o640 },
    });
    await runHook(sessionStart(), system, {});
    expect(system.files.inspect(USER)?.kind).toBe("symlink");
    expect(system.files.inspect("/home/user/dotfiles/s.json")?.mode).toBe(0o640);
    expect(JSON.parse(system.peek("/home/user/dotfiles/s.json") ?? "")).toEqual({});
  });
});

describe("the user's registration is left alone", () => {
  const manifest = (scope: string) => JSON.stringify({ version: 1, hosts: [{ host: "claude-code", scope }] });

  it.each<[string, SeedEntry, SeedEntry | undefined, Record<string, SeedEntry>?]>([
    ["the project registers nothing", settings(OURS), settings({})],
    ["the project has no settings", settings(OURS), undefined],
    ["the project's settings are broken", settings(OURS), "{"],
    [
      "the project's program is missing",
      settings(OURS),
      settings(OURS),
      { [PROGRAM]: { kind: "directory" } },
    ],
    [
      "the project's program cannot be run",
      settings(OURS),
      settings(OURS),
      { [PROGRAM]: { content: "", mode: 0o644 } },
    ],
    [
      "the project's program is found by name only",
      settings(OURS),
      settings({ Stop: [entry("amplihack-hooks stop")] }),
    ],
    ["it was installed for the whole user", settings(OURS), settings(OURS), { [MANIFEST]: manifest("user") }],
    ["the manifest cannot be read", settings(OURS), settings(OURS), { [MANIFEST]: "{" }],
    ["its file is broken", "{ broken", settings(OURS)],
    ["its file is no object", "[]", settings(OURS)],
    ["its hooks are no object", '{"hooks": []}', settings(OURS)],
    ["its file is not UTF-8", Uint8Array.of(0xff), settings(OURS)],
    [
      "it belongs to somebody else",
      settings({ Stop: [entry("/work/amplihack-notes/check.sh")] }),
      settings(OURS),
    ],
    [
      "it is xpia's",
      settings({ Stop: [entry("python3 ~/.claude/tools/xpia/hooks/stop.py")] }),
      settings(OURS),
    ],
  ])("when %s", async (_, user, project, files = {}) => {
    const system = machine(user, project, files);
    const before = system.files.read(USER, 100_000);
    await runHook(sessionStart(), system, {});
    expect(system.files.read(USER, 100_000)).toEqual(before);
    expect(system.files.list("/home/user/.claude")).toEqual(["settings.json"]);
  });

  it("goes away with a manifest of project installations only", async () => {
    const system = await started(settings(OURS), settings(OURS), { [MANIFEST]: manifest("project") });
    expect(JSON.parse(system.peek(USER) ?? "")).toEqual({});
  });

  it("when no backup can be made", async () => {
    const taken = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [index === 0 ? BACKUP : `${BACKUP}-${index + 1}`, "x"]),
    );
    const system = await started(settings(OURS), settings(OURS), taken);
    expect(system.peek(USER)).toBe(settings(OURS));
    expect(metricsOf(system, "session_start")).toContain("hook_cleanup_error=1");
  });

  it("when another host starts the session", async () => {
    const system = machine(settings(OURS), settings(OURS));
    await runHook(sessionStart(), system, {}, "codex");
    expect(system.peek(USER)).toBe(settings(OURS));
  });

  it("when the project is the home directory itself", async () => {
    const system = projectSystem({
      cwd: "/home/user",
      files: { [USER]: settings(OURS), [PROGRAM]: { content: "", mode: 0o755 } },
    });
    await runHook(sessionStart(), system, { cwd: "/home/user" });
    expect(system.peek(USER)).toBe(settings(OURS));
  });
});

describe("an entry that appears twice in one file", () => {
  it("is kept once", async () => {
    const twice = { Stop: [...OURS.Stop, ...OURS.Stop] };
    const system = await started("{}", settings(twice));
    expect(JSON.parse(system.peek(PROJECT) ?? "").hooks).toEqual({ Stop: OURS.Stop });
    expect(system.stderr()).toMatch(/1 repeated hooks were removed/);
  });

  it("is another entry when its matcher differs", async () => {
    const project = settings({
      PreToolUse: [entry(`${PROGRAM} pre-tool-use`, "Bash"), entry(`${PROGRAM} pre-tool-use`, "Write")],
    });
    expect((await started("{}", project)).peek(PROJECT)).toBe(project);
  });

  it("is left alone when it is somebody else's", async () => {
    const project = settings({ Stop: [entry("x.sh"), entry("x.sh")] });
    expect((await started("{}", project)).peek(PROJECT)).toBe(project);
  });
});

describe("the project's own settings", () => {
  it.each(["{}", '{"permissions":{"defaultMode":"plan"}}', "not json"])(
    "are never replaced, whatever they hold: %s",
    async project => {
      const system = await started(settings(OURS), project);
      expect(system.peek(PROJECT)).toBe(project);
      expect(system.files.list(`${ROOT}/.claude`)).toEqual(["runtime", "settings.json"]);
    },
  );
});
