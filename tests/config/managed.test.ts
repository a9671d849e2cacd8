import { describe, expect, it } from "vitest";
import { loadConfig, resolveFailurePolicy } from "../../src/config/index.ts";
import { judgeCommand, judgeTool } from "../../src/exports/guard.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { sha256Hex } from "../../src/system/sha256.ts";
import { utf8 } from "../../src/system/utf8.ts";

const HOME = "/home/user";
const PROJECT = `${HOME}/project`;

interface Files {
  readonly machine: object;
  readonly policy?: string | undefined;
  readonly user?: object;
  readonly project?: object;
  readonly env?: Readonly<Record<string, string>>;
}

function load({ machine, policy, user, project, env = {} }: Files) {
  const file = (value: object | undefined, mode: number, uid: number) =>
    value === undefined ? undefined : { content: JSON.stringify(value), mode, uid };
  const seeds = {
    "/etc/amplihack/config.jsonc": file({ managed: true, ...machine }, 0o644, 0),
    "/etc/amplihack/policy.jsonc": policy,
    [`${HOME}/.amplihack/config.jsonc`]: file(user, 0o600, 1000),
    [`${PROJECT}/.amplihack/config.jsonc`]: file(project, 0o644, 1000),
  };
  const files = Object.fromEntries(
    Object.entries(seeds).flatMap(([path, seed]) => (seed ? [[path, seed]] : [])),
  );
  const system = createMemorySystem({ files, env: { HOME, ...env }, uid: 1000 });
  const loaded = loadConfig(system, { home: HOME, stateHome: `${HOME}/.amplihack`, projectRoot: PROJECT });
  const judge = (command: string) =>
    judgeCommand(command, { cwd: PROJECT, home: HOME, system, settings: loaded.config.guard });
  const told = loaded.notices.map(({ message }) => message.replace(/^\S+ /, "").replace(/ is ignored.*/, ""));
  const judgeFile = (name: "Read" | "Write") => {
    const tool = { name, canonicalName: name, input: { file_path: "/x" } };
    const context = { cwd: PROJECT, home: HOME, system, settings: loaded.config.guard };
    return judgeTool({ tool, facts: { command: null, paths: ["/x"] } }, context);
  };
  return { ...loaded, told, judge, judgeFile, verdict: (command: string) => judge(command).verdict };
}

describe("a managed machine", () => {
  it("tells that it is, and leaves alone what it does not set", () => {
    const user = {
      guard: { level: "relaxed", allow: [{ command: "git stash drop" }], rules: { publish: "off" } },
      history: { maxAgeDays: 1 },
      parts: ["guard"],
    };
    const { config, told, verdict } = load({ machine: { update: { check: false } }, user });
    expect(config).toMatchObject({ managed: true, parts: ["guard"], history: { maxAgeDays: 1 } });
    expect(config.guard.allow).toHaveLength(1);
    expect(told).toEqual([]);
    expect(verdict("npm publish")).toBe("allow");
  });

  it.each<[string, object, object, string, string]>([
    [
      "a rule",
      { rules: { publish: "deny" } },
      { rules: { publish: "allow" } },
      "npm publish",
      "guard.rules.publish",
    ],
    [
      "a rule, by a pattern",
      { rules: { "git.*": "deny" } },
      { rules: { "git.stash": "off" } },
      "git stash drop",
      "",
    ],
    ["a level", { level: "strict" }, { level: "relaxed" }, "npm publish", "guard.level"],
    ["a level, by a rule", { level: "strict" }, { rules: { publish: "off" } }, "npm publish", ""],
    [
      "a rule of its own",
      { custom: [{ id: "acme.x", when: { command: "deployer" }, verdict: "deny", reason: "no" }] },
      { rules: { "acme.x": "off" } },
      "deployer now",
      "guard.rules.acme.x",
    ],
    [
      "anything, by an allow entry",
      { rules: { publish: "deny" } },
      { allow: [{ command: "npm publish" }] },
      "npm publish",
      "guard.allow",
    ],
    [
      "anything, by a record of a program",
      { rules: { publish: "deny" } },
      { programs: [] },
      "npm publish",
      "",
    ],
  ])(
    "does not let the user loosen %s",
    (_, machine, { programs, ...guard }: { programs?: unknown }, command, told) => {
      const user = {
        guard,
        ...(programs === undefined ? {} : { programs: [{ names: "npm", effects: [] }] }),
      };
      const loaded = load({ machine: { guard: machine }, user });
      expect(loaded.verdict(command)).not.toBe("allow");
      expect(loaded.verdict(command)).toBe(load({ machine: { guard: machine } }).verdict(command));
      if (told !== "") expect(loaded.told).toContain(told);
      if (programs !== undefined) expect(loaded.told).toEqual(["programs"]);
    },
  );

  it("lets the user, the project and the environment tighten", () => {
    const machine = { guard: { level: "standard", rules: { publish: "ask" }, protectedBranches: ["main"] } };
    const user = { guard: { level: "strict", rules: { publish: "deny" }, protectedBranches: ["live"] } };
    const loaded = load({ machine, user });
    expect(loaded.config.guard).toMatchObject({ level: "strict", protectedBranches: ["main", "live"] });
    expect(loaded.verdict("npm publish")).toBe("deny");
    expect(loaded.told).toEqual([]);
    const env = { AMPLIHACK_GUARD_LEVEL: "strict", AMPLIHACK_FAILURE_POLICY: "closed" };
    const tightened = load({ machine, project: { guard: { rules: { publish: "deny" } } }, env });
    expect(tightened.config.guard.level).toBe("strict");
    expect(tightened.verdict("npm publish")).toBe("deny");
    const relaxed = load({
      machine: { guard: { level: "strict" } },
      env: { AMPLIHACK_GUARD_LEVEL: "relaxed" },
    });
    expect(relaxed.config.guard.level).toBe("strict");
  });

  it("is not loosened by a project, be it trusted by the user", () => {
    const project = {
      guard: { rules: { publish: "allow" }, level: "relaxed" },
      failure: { default: "open" },
    };
    const trustedProjects = [{ path: PROJECT, sha256: sha256Hex(utf8.encode(JSON.stringify(project))) }];
    const machine = { guard: { rules: { publish: "deny" } }, failure: { default: "closed" } };
    const { config, verdict, told } = load({ machine, user: { guard: { trustedProjects } }, project });
    expect(verdict("npm publish")).toBe("deny");
    expect(resolveFailurePolicy(config, "pre-tool-use")).toBe("closed");
    expect(told).toContain("guard.trustedProjects");
  });

  it("keeps its parts, failure policy, hooks, and single settings", () => {
    const machine = {
      guard: { audit: { allowed: true }, unattended: "deny", prodNames: ["live"] },
      failure: { default: "closed" },
      history: { maxAgeDays: 90, precious: ["*.key"] },
      hooks: { packages: ["@acme/hooks"] },
      memory: { maxItems: 2 },
    };
    const user = {
      guard: {
        audit: { allowed: false, maxMb: 1 },
        unattended: "ask",
        trustHooks: ["mine"],
        prodNames: ["mine"],
        paths: { temp: ["/x"], regenerable: ["y"], secrets: ["!.env", "mine"], deny: ["z"] },
      },
      failure: { default: "open", stop: "ask" },
      history: { maxAgeDays: 1, precious: ["*.pem"], exclude: ["big"] },
      hooks: { packages: ["mine"] },
      memory: { maxItems: 9, maxAgeDays: 3 },
      parts: ["memory"],
    };
    const { config, told } = load({ machine, user });
    expect(config).toMatchObject({
      guard: {
        audit: { allowed: true, maxMb: 1 },
        unattended: "deny",
        trustHooks: [],
        prodNames: ["live", "mine"],
        paths: { temp: [], regenerable: [], secrets: ["mine"], deny: ["z"] },
      },
      history: { maxAgeDays: 90, precious: ["*.key", "*.pem"], exclude: ["big"] },
      hooks: { packages: ["@acme/hooks", "mine"] },
      memory: { maxItems: 2, maxAgeDays: 3 },
      parts: ["memory", "guard", "history"],
    });
    expect(resolveFailurePolicy(config, "pre-tool-use")).toBe("closed");
    expect(told.toSorted()).toEqual(
      [
        "failure.default",
        "failure.stop",
        "guard.audit.allowed",
        "guard.paths.regenerable",
        "guard.paths.secrets",
        "guard.paths.temp",
        "guard.trustHooks",
        "guard.unattended",
        "history.maxAgeDays",
        "memory.maxItems",
        "parts",
      ].toSorted(),
    );
    const all = load({ machine: { parts: ["guard", "memory"] }, user: { parts: ["history"] } });
    expect(all.config.parts).toEqual(["history", "guard", "memory"]);
  });

  it("refuses for good: no code is offered for what it denies, one for what it asks about", () => {
    const machineKey = () => "0".repeat(64);
    const codeOf = (setting: string) => {
      const { config } = load({ machine: { guard: { rules: { "git.stash": setting } } } });
      const system = createMemorySystem({ env: { HOME } });
      const given = { cwd: PROJECT, home: HOME, system, settings: config.guard, machineKey };
      return judgeCommand("git stash drop", given);
    };
    expect(codeOf("deny")).toMatchObject({ verdict: "deny", code: undefined });
    expect(codeOf("ask").code).toBeDefined();
  });

  it("is no matter of the user's file", () => {
    const { config, told } = load({ machine: { managed: false }, user: { managed: true } });
    expect(config.managed).toBe(false);
    expect(told).toEqual(["managed"]);
  });
});

describe("a managed machine without a policy that it extends", () => {
  const POLICY = '{ "guard": { "rules": { "publish": "deny" } } }';
  const pinned = `./policy.jsonc#sha256-${sha256Hex(utf8.encode(POLICY))}`;
  const other = `./policy.jsonc#sha256-${sha256Hex(utf8.encode("{}"))}`;
  const MISSING: readonly (readonly [string, unknown, string | undefined])[] = [
    ["is not there", [pinned], undefined],
    ["is not what was pinned", [other], POLICY],
    ["is not pinned", ["./policy.jsonc"], POLICY],
    ["is no reference", ["ftp://policy"], undefined],
    ["was never fetched", ["https://acme.example/p.jsonc#ed25519-" + "A".repeat(43) + "="], undefined],
    ["is no object", [`./policy.jsonc#sha256-${sha256Hex(utf8.encode("[]"))}`], "[]"],
    ["is no JSON", [`./policy.jsonc#sha256-${sha256Hex(utf8.encode("{"))}`], "{"],
    ["is no text", [pinned, 5], POLICY],
    ["stands in no list", pinned, POLICY],
    ["is one of too many", Array.from({ length: 17 }, () => pinned), POLICY],
  ];

  it.each(MISSING)("asks about calls that do more than read: one %s", (_, entries, policy) => {
    const loaded = load({ machine: { extends: entries }, policy });
    const { verdict, findings, code, texts } = loaded.judge("npm install left-pad");
    expect([verdict, code]).toEqual(["ask", undefined]);
    expect(findings.map(({ rule }) => rule)).toEqual(["agent.policy"]);
    expect(texts?.person).toContain("cannot be checked against all rules of this machine");
    expect(loaded.verdict("npm test")).toBe("ask");
    expect(loaded.verdict("git status")).toBe("allow");
    expect(loaded.judgeFile("Write").verdict).toBe("ask");
    expect(loaded.judgeFile("Read").verdict).toBe("allow");
    expect(loaded.notices.length).toBeGreaterThan(0);
  });

  it("tells the person what is missing and what to run", () => {
    const { texts } = load({ machine: { extends: [pinned] } }).judge("npm test");
    expect(texts?.person).toContain(`${pinned.slice(0, 20)}`);
    expect(texts?.person).toContain("run sudo amplihack config pull --system");
  });

  it("denies them where the failure policy is closed, in whichever layer", () => {
    const machine = { extends: [pinned], failure: { default: "closed" } };
    expect(load({ machine }).verdict("npm test")).toBe("deny");
    const env = { AMPLIHACK_FAILURE_POLICY: "pre-tool-use=closed" };
    expect(load({ machine: { extends: [pinned] }, env }).verdict("npm test")).toBe("deny");
  });

  it("lets nobody loosen the guard: what is missing may have set it", () => {
    const user = {
      guard: { allow: [{ command: "npm test" }], rules: { "agent.*": "off", "agent.policy": "off" } },
      parts: ["memory"],
    };
    const loaded = load({ machine: { extends: [pinned] }, user });
    expect(loaded.verdict("npm test")).toBe("ask");
    expect(loaded.config.parts).toContain("guard");
    expect(loaded.told).toContain("guard.allow");
  });

  it("is complete with it, and a missing one of the user's is no matter of the machine's", () => {
    expect(load({ machine: { extends: [pinned] }, policy: POLICY }).verdict("npm test")).toBe("allow");
    expect(load({ machine: {}, user: { extends: [pinned] } }).verdict("npm test")).toBe("allow");
    expect(load({ machine: { managed: false, extends: [pinned] } }).verdict("npm test")).toBe("allow");
  });
});
