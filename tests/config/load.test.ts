import { describe, expect, it } from "vitest";
import { loadConfig, resolveFailurePolicy } from "../../src/config/index.ts";
import { createMemorySystem, type SeedEntry } from "../../src/system/memory.ts";
import { sha256Hex } from "../../src/system/sha256.ts";
import { utf8 } from "../../src/system/utf8.ts";

const HOME = "/home/user";
const USER = `${HOME}/.amplihack/config.jsonc`;
const PROJECT = `${HOME}/project/.amplihack/config.jsonc`;
const SYSTEM = "/etc/amplihack/config.jsonc";

function own(content: string, mode = 0o600, uid = 1000): SeedEntry {
  return { content, mode, uid };
}

function load(files: Record<string, SeedEntry>, env: Record<string, string> = {}) {
  const system = createMemorySystem({ files, env: { HOME, ...env }, uid: 1000 });
  const loaded = loadConfig(system, {
    home: HOME,
    stateHome: `${HOME}/.amplihack`,
    projectRoot: `${HOME}/project`,
  });
  return { ...loaded, calls: system.calls };
}

const codes = (loaded: { notices: readonly { code: string }[] }) => loaded.notices.map(notice => notice.code);

describe("configuration with no file at all", () => {
  it("is the built-in one and costs one look-up per place", () => {
    const { config, notices, used, calls } = load({});
    expect(config.guard.level).toBe("standard");
    expect(config.guard.protectedBranches).toEqual(["main", "master", "release/*"]);
    expect(resolveFailurePolicy(config, "pre-tool-use")).toBe("open");
    expect(notices).toEqual([]);
    expect(used).toEqual([]);
    expect(calls.length).toBeLessThanOrEqual(3);
  });
});

describe("what a project leaves out of the history", () => {
  const content = '{"history": {"exclude": ["src/**"], "precious": ["*.key"]}}';

  it("does not count unless the user trusts the file", () => {
    const loaded = load({ [PROJECT]: own(content) });
    expect(loaded.config.history).toMatchObject({ exclude: [], precious: ["*.key"] });
    expect(loaded.notices.map(({ message }) => message).join("\n")).toContain("history.exclude");
  });

  it("counts when they do", () => {
    const trust = `{"guard": {"trustedProjects": [{"path": "${HOME}/project", "sha256": "${sha256Hex(utf8.encode(content))}"}]}}`;
    expect(load({ [PROJECT]: own(content), [USER]: own(trust) }).config.history.exclude).toEqual(["src/**"]);
  });
});

describe("a project's file with more rules than anybody writes", () => {
  it("counts up to a limit, and says so", () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `*a${index}`);
    const rule = (index: number) => ({
      id: `r${index}`,
      when: { command: "x" },
      verdict: "ask",
      reason: "r",
    });
    const custom = Array.from({ length: 700 }, (_, index) => rule(index));
    const file = (guard: object) => load({ [PROJECT]: own(JSON.stringify({ guard })) });
    const loaded = file({ paths: { deny: names }, protectedBranches: ["live"] });
    expect(loaded.config.guard.paths.deny).toHaveLength(500);
    expect(loaded.config.guard.protectedBranches).toContain("live");
    expect(codes(loaded)).toEqual(["too-many"]);
    expect(loaded.notices[0]?.message).toContain("guard.paths.deny");
    expect(file({ custom }).config.guard.custom).toHaveLength(500);
    expect(load({ [USER]: own(JSON.stringify({ guard: { custom } })) }).config.guard.custom).toHaveLength(
      700,
    );
  });
});

describe("AMPLIHACK_FAILURE_POLICY", () => {
  it.each(["pre-tool-use=closed", "pre_tool_use=closed", " Pre-Tool-Use = CLOSED "])(
    "names a subcommand in any spelling: %j",
    value => {
      const { config, notices } = load({}, { AMPLIHACK_FAILURE_POLICY: value });
      expect(resolveFailurePolicy(config, "pre-tool-use")).toBe("closed");
      expect(resolveFailurePolicy(config, "user-prompt-submit")).toBe("open");
      expect(notices).toEqual([]);
    },
  );
});

describe("layers", () => {
  it("let the user override the machine, and both override what is built in", () => {
    const { config } = load({
      [SYSTEM]: own(
        `{"guard": {"level": "strict", "rules": {"git.stash": "deny", "publish": "deny"}}}`,
        0o644,
        0,
      ),
      [USER]: own(`{"guard": {"level": "relaxed", "rules": {"git.stash": "allow"}}}`),
    });
    expect(config.guard.level).toBe("relaxed");
    expect(config.guard.rules).toEqual({ "git.stash": "allow", publish: "deny" });
  });

  it("read comments, trailing commas and a byte order mark", () => {
    const { config, notices } = load({
      [USER]: own('\uFEFF// top\n{ /* a "quoted" word */ "guard": { "level": "strict", }, }\n'),
    });
    expect(notices).toEqual([]);
    expect(config.guard.level).toBe("strict");
  });

  it("keep comment signs inside texts", () => {
    const { config } = load({ [USER]: own(`{"update": {"source": "https://example.com/a//b"}}`) });
    expect(config.update.source).toBe("https://example.com/a//b");
  });

  it("count the project file once when the project is the home directory", () => {
    const system = createMemorySystem({
      files: { [USER]: own(`{"guard": {"level": "relaxed"}}`) },
      env: { HOME },
      uid: 1000,
    });
    const { config, used } = loadConfig(system, {
      home: HOME,
      stateHome: `${HOME}/.amplihack`,
      projectRoot: HOME,
    });
    expect(config.guard.level).toBe("relaxed");
    expect(used.map(layer => layer.scope)).toEqual(["user"]);
  });
});

describe("a project file nobody trusted", () => {
  const loose = `{"guard": {
    "level": "relaxed", "rules": {"git.push": "allow", "git.stash": "deny"}, "protectedBranches": ["develop"],
    "allow": [{"command": "rm -rf src"}], "audit": {"file": "/tmp/x"},
    "paths": {"deny": ["infra/**"], "regenerable": ["src/"], "temp": ["/"], "secrets": ["!.env", "*.crt"]}
  }, "failure": {"default": "closed"}, "bridge": {"command": ["evil"]}}`;

  it("raises and adds", () => {
    const { config } = load({ [PROJECT]: own(loose) });
    expect(config.guard.floors).toMatchObject({ "git.stash": "deny" });
    expect(config.guard.protectedBranches).toEqual(["main", "master", "release/*", "develop"]);
    expect(config.guard.paths.deny).toEqual(["infra/**"]);
    expect(config.guard.paths.secrets).toEqual(["*.crt"]);
    expect(resolveFailurePolicy(config, "pre-tool-use")).toBe("closed");
  });

  it("never lowers, and says what it ignored", () => {
    const { config, notices } = load({
      [USER]: own(`{"guard": {"level": "standard"}}`),
      [PROJECT]: own(loose),
    });
    expect(config.guard.level).toBe("standard");
    expect(config.guard.rules).toEqual({});
    expect(config.guard.allow).toEqual([]);
    expect(config.guard.paths.regenerable).toEqual([]);
    expect(config.guard.paths.temp).toEqual([]);
    expect(config.guard.audit.file).toBeUndefined();
    expect(config.bridge.command).toBeUndefined();
    const told = notices.map(notice => notice.message).join("\n");
    for (const member of [
      "guard.level",
      "guard.allow",
      "guard.rules.git.push",
      "paths.regenerable",
      "paths.temp",
      "paths.secrets",
      "bridge",
    ]) {
      expect(told).toContain(member);
    }
  });

  it("has full power once the user trusts that path with that content, and loses it when a byte changes", () => {
    const trust = (content: string) =>
      own(
        `{"guard": {"trustedProjects": [{"path": "${HOME}/project", "sha256": "${sha256Hex(utf8.encode(content))}"}]}}`,
      );
    const trusted = load({ [USER]: trust(loose), [PROJECT]: own(loose) });
    expect(trusted.config.guard.rules).toMatchObject({ "git.push": "allow" });
    expect(trusted.config.guard.allow).toHaveLength(1);
    expect(trusted.config.guard.audit.file).toBeUndefined();
    const changed = load({ [USER]: trust(loose), [PROJECT]: own(`${loose} `) });
    expect(changed.config.guard.rules).toEqual({});
  });

  it("cannot trust itself", () => {
    const self = `{"guard": {"rules": {"git.push": "allow"}, "trustedProjects": [{"path": "${HOME}/project", "sha256": "${"0".repeat(64)}"}]}}`;
    expect(load({ [PROJECT]: own(self) }).config.guard.rules).toEqual({});
  });
});

describe("files that others could have written", () => {
  it.each([
    ["writable by everybody", own(`{"guard": {"level": "relaxed"}}`, 0o606)],
    ["writable by the group", own(`{"guard": {"level": "relaxed"}}`, 0o660)],
    ["owned by somebody else", own(`{"guard": {"level": "relaxed"}}`, 0o600, 4242)],
  ])("are ignored with a notice: %s", (_, entry) => {
    const loaded = load({ [USER]: entry });
    expect(loaded.config.guard.level).toBe("standard");
    expect(codes(loaded)).toEqual(["untrusted-file"]);
  });

  it("count when root owns them", () => {
    expect(load({ [USER]: own(`{"guard": {"level": "relaxed"}}`, 0o644, 0) }).config.guard.level).toBe(
      "relaxed",
    );
  });
});

describe("mistakes", () => {
  it("are noticed where the file is a link that leads nowhere", () => {
    const loaded = load({ [USER]: { kind: "symlink", target: "/home/user/dotfiles/gone.jsonc" } });
    expect(codes(loaded)).toEqual(["broken"]);
  });

  it.each([
    ["not JSON", `{"guard": `, "broken"],
    ["an unknown key", `{"colours": {}}`, "unknown-key"],
    ["a misspelt key", `{"gaurd": {}}`, "misspelt-key"],
    ["an unknown value", `{"guard": {"level": "lax"}}`, "bad-value"],
    ["a wrong type", `{"guard": {"rules": []}}`, "wrong-type"],
    ["an entry without its key", `{"guard": {"allow": [{"reason": "x"}]}}`, "missing-key"],
    ["text behind the object", `{} {}`, "broken"],
  ])("are noticed and ignored: %s", (_, content, code) => {
    const loaded = load({ [USER]: own(content) });
    expect(codes(loaded)).toEqual([code]);
    expect(loaded.config.guard.level).toBe("standard");
    expect(loaded.notices[0]?.message).toContain("ignored");
  });

  it("do not take the rest of the file with them", () => {
    const loaded = load({
      [USER]: own(`{"guard": {"level": "strict", "nonsense": 1, "allow": [{"command": "make x"}, 5]}}`),
    });
    expect(loaded.config.guard.level).toBe("strict");
    expect(loaded.config.guard.allow).toEqual([{ command: "make x" }]);
    expect(codes(loaded).sort()).toEqual(["unknown-key", "wrong-type"]);
  });

  it("with prototype keys change nothing", () => {
    const { config } = load({
      [USER]: own(`{"__proto__": {"level": "relaxed"}, "guard": {"rules": {"constructor": "allow"}}}`),
    });
    expect(({} as Record<string, unknown>)["level"]).toBeUndefined();
    expect(config.guard.level).toBe("standard");
  });

  it("of size and of reading are noticed", () => {
    const loaded = load({ [USER]: own(" ".repeat(300 * 1024)) });
    expect(codes(loaded)).toEqual(["broken"]);
    expect(codes(load({ [USER]: { kind: "directory" } }))).toEqual(["broken"]);
  });
});

describe("the environment", () => {
  it("raises the level and never lowers it", () => {
    expect(load({}, { AMPLIHACK_GUARD_LEVEL: "Strict" }).config.guard.level).toBe("strict");
    expect(load({}, { AMPLIHACK_GUARD_LEVEL: "relaxed" }).config.guard.level).toBe("standard");
  });

  it("raises the failure policy, for all or for one", () => {
    const strict = load({}, { AMPLIHACK_FAILURE_POLICY: "closed" }).config;
    expect(resolveFailurePolicy(strict, "stop")).toBe("closed");
    const one = load(
      { [USER]: own(`{"failure": {"default": "ask"}}`) },
      { AMPLIHACK_FAILURE_POLICY: "pre-tool-use=closed,stop=open" },
    ).config;
    expect(resolveFailurePolicy(one, "pre-tool-use")).toBe("closed");
    expect(resolveFailurePolicy(one, "stop")).toBe("ask");
  });

  it("says so when a value makes no sense", () => {
    const loaded = load({}, { AMPLIHACK_GUARD_LEVEL: "max", AMPLIHACK_FAILURE_POLICY: "stop=never" });
    expect(codes(loaded)).toEqual(["bad-value", "bad-value"]);
    expect(loaded.notices[0]?.message).toContain("relaxed, standard, strict");
  });
});
