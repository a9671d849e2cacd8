import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ArgumentFacts,
  agentArguments,
  buildEnvironment,
  describeDifference,
  type EnvironmentFacts,
  type Variables,
  withoutPrompts,
} from "../../src/launcher/child-environment.ts";
import { buildSearchPath } from "../../src/launcher/find-binary.ts";

const NO_PROGRAMS = { ours: new Set<string>(), foreign: new Set<string>() };
const FACTS: EnvironmentFacts = {
  agent: "claude",
  version: "9.9.9",
  home: "/home/u",
  stateHome: "/home/u/.amplihack",
  projectRoot: "/work/p",
  bundleDirectory: undefined,
  sessionId: "rs-1-2",
  depth: 1,
  isNonInteractive: false,
  isSubprocessSafe: false,
  isDelegated: false,
  reflects: undefined,
  pluginRoot: undefined,
  shimDirectory: undefined,
  programs: NO_PROGRAMS,
  newTreeId: "0badcafe",
};
const build = (parent: Variables, facts: Partial<EnvironmentFacts> = {}): Variables =>
  buildEnvironment(parent, { ...FACTS, ...facts }).env;

describe("the agent's environment", () => {
  it("is the parent's with session, depth, agent, versions and places", () => {
    expect(build({ EDITOR: "vi", PATH: "/usr/bin" })).toEqual({
      EDITOR: "vi",
      PATH: "/home/u/.amplihack/.claude/bin:/home/u/.local/bin:/home/u/.npm-global/bin:/usr/bin",
      AMPLIHACK_SESSION_ID: "rs-1-2",
      AMPLIHACK_DEPTH: "1",
      AMPLIHACK_AGENT_BINARY: "claude",
      AMPLIHACK_HOME: "/home/u/.amplihack",
      AMPLIHACK_VERSION: "9.9.9",
      AMPLIHACK_RUNTIME: "node",
      AMPLIHACK_GRAPH_DB_PATH: "/work/p/.amplihack/graph_db",
    });
  });

  it("has neither CLAUDECODE nor the old database path", () => {
    const env = build({ CLAUDECODE: "1", AMPLIHACK_KUZU_DB_PATH: "/x" });
    expect(env).not.toHaveProperty("CLAUDECODE");
    expect(env).not.toHaveProperty("AMPLIHACK_KUZU_DB_PATH");
  });

  it.each<[Variables, Partial<EnvironmentFacts>, string | undefined]>([
    [{ AMPLIHACK_HOME: "/opt/a" }, { bundleDirectory: "/work" }, "/opt/a"],
    [{}, { bundleDirectory: "/work" }, "/work"],
    [{ AMPLIHACK_HOME: "" }, {}, "/home/u/.amplihack"],
    [{ AMPLIHACK_HOME: "relative" }, {}, undefined],
    [{ AMPLIHACK_HOME: "/opt/../etc" }, {}, undefined],
  ])("takes AMPLIHACK_HOME from %j and %j: %s", (parent, facts, expected) => {
    const built = buildEnvironment(parent, { ...FACTS, ...facts });
    expect(built.env["AMPLIHACK_HOME"]).toBe(expected);
    expect(built.warnings).toHaveLength(expected === undefined ? 1 : 0);
  });

  it.each<[Partial<EnvironmentFacts>, string | undefined]>([
    [{}, "inherited"],
    [{ reflects: false }, "1"],
    [{ isSubprocessSafe: true }, "1"],
    [{ isSubprocessSafe: true, reflects: true }, undefined],
  ])("with %j has AMPLIHACK_SKIP_REFLECTION %s", (facts, expected) => {
    expect(build({ AMPLIHACK_SKIP_REFLECTION: "inherited" }, facts)["AMPLIHACK_SKIP_REFLECTION"]).toBe(
      expected,
    );
  });

  it("passes a tree of sessions on as soon as one of its variables is there", () => {
    expect(build({})).not.toHaveProperty("AMPLIHACK_TREE_ID");
    expect(build({ AMPLIHACK_SESSION_DEPTH: "2" })).toMatchObject({
      AMPLIHACK_TREE_ID: "0badcafe",
      AMPLIHACK_SESSION_DEPTH: "2",
      AMPLIHACK_MAX_DEPTH: "6",
      AMPLIHACK_MAX_SESSIONS: "10",
    });
    expect(build({ AMPLIHACK_TREE_ID: "t" }, { isDelegated: true })).toMatchObject({
      AMPLIHACK_TREE_ID: "t",
      AMPLIHACK_SESSION_DEPTH: "1",
    });
  });

  it("changes NODE_OPTIONS only when a heap is asked for and none is set", () => {
    expect(build({ NODE_OPTIONS: "--no-warnings" })["NODE_OPTIONS"]).toBe("--no-warnings");
    expect(build({ AMPLIHACK_NODE_HEAP_MB: "8192", NODE_OPTIONS: "-x" })["NODE_OPTIONS"]).toBe(
      "-x --max-old-space-size=8192",
    );
    const own = { AMPLIHACK_NODE_HEAP_MB: "8192", NODE_OPTIONS: "--max-old-space-size=1" };
    expect(build(own)["NODE_OPTIONS"]).toBe("--max-old-space-size=1");
    expect(() => build({ AMPLIHACK_NODE_HEAP_MB: "lots" })).toThrow("AMPLIHACK_NODE_HEAP_MB");
  });

  it("is shown by names, with values of our own variables only", () => {
    const parent = { SECRET: "old", GONE: "x", SAME: "s" };
    const lines = describeDifference(parent, { SECRET: "hunter2", SAME: "s", AMPLIHACK_DEPTH: "1" });
    expect(lines).toEqual(["+ AMPLIHACK_DEPTH=1", "- GONE", "+ SECRET"]);
  });

  it("keeps every other variable as it is", () => {
    const name = fc.stringMatching(/^[A-Z][A-Z_]{0,8}$/).filter(each => each !== "PATH");
    fc.assert(
      fc.property(fc.dictionary(name, fc.string()), parent => {
        const env = build(parent);
        for (const [key, value] of Object.entries(parent)) {
          if (!key.startsWith("AMPLIHACK_") && key !== "CLAUDECODE") expect(env[key]).toBe(value);
        }
      }),
    );
  });
});

describe("PATH", () => {
  it("has each directory once and the prepended ones first", () => {
    expect(buildSearchPath("/usr/bin:/opt/a/:/usr/bin:", ["/opt/a"], NO_PROGRAMS)).toBe("/opt/a:/usr/bin");
  });

  it("compares directories as a whole", () => {
    expect(buildSearchPath("/opt/ab:/opt/a/b", ["/opt/a"], NO_PROGRAMS)).toBe("/opt/a:/opt/ab:/opt/a/b");
  });

  it("moves another implementation's directory behind ours", () => {
    const programs = { ours: new Set(["/ours"]), foreign: new Set(["/theirs"]) };
    expect(buildSearchPath("/theirs:/usr/bin:/ours:/bin", [], programs)).toBe("/usr/bin:/ours:/theirs:/bin");
    expect(buildSearchPath("/theirs:/bin", [], { ...programs, ours: new Set() })).toBe("/theirs:/bin");
  });

  it("never loses a directory, and building it again changes nothing", () => {
    const directory = fc.constantFrom("/a", "/b", "/a/b", "/ab", "/ours", "/theirs", "/theirs/");
    const programs = { ours: new Set(["/ours"]), foreign: new Set(["/theirs"]) };
    fc.assert(
      fc.property(fc.array(directory), fc.array(directory, { maxLength: 2 }), (inherited, first) => {
        const built = buildSearchPath(inherited.join(":"), first, programs);
        const clean = (entry: string): string => entry.replace(/\/$/, "");
        expect(new Set(built.split(":").filter(Boolean))).toEqual(
          new Set([...first, ...inherited].map(clean)),
        );
        expect(buildSearchPath(built, [], programs)).toBe(built);
      }),
    );
  });
});

const WORDS: ArgumentFacts = {
  agent: "claude",
  args: [],
  resumes: false,
  continues: false,
  skipsPermissions: false,
  isSubprocessSafe: false,
  stagedPlugin: undefined,
};

describe("the agent's arguments", () => {
  it.each<[string, Variables, Partial<ArgumentFacts>, readonly string[]]>([
    ["the user's alone", {}, { args: ["-p", "x"] }, ["-p", "x"]],
    ["permissions", {}, { skipsPermissions: true }, ["--dangerously-skip-permissions"]],
    ["no permissions for others", {}, { agent: "codex", skipsPermissions: true }, []],
    ["a default model", { AMPLIHACK_DEFAULT_MODEL: "m" }, { args: ["x"] }, ["--model", "m", "x"]],
    ["the user's model", { AMPLIHACK_DEFAULT_MODEL: "m" }, { args: ["--model", "n"] }, ["--model", "n"]],
    ["the user's model with =", { AMPLIHACK_DEFAULT_MODEL: "m" }, { args: ["--model=n"] }, ["--model=n"]],
    [
      "a model named behind --",
      { AMPLIHACK_DEFAULT_MODEL: "m" },
      { args: ["--", "--model"] },
      ["--model", "m", "--", "--model"],
    ],
    [
      "resume with its id",
      {},
      { resumes: true, continues: true, args: ["id"] },
      ["--continue", "--resume", "id"],
    ],
    ["a staged plugin", {}, { stagedPlugin: "/s", args: ["hi"] }, ["--plugin-dir=/s", "--add-dir=/s", "hi"]],
    [
      "the user's plugin",
      {},
      { stagedPlugin: "/s", args: ["--plugin-dir", "/m"] },
      ["--add-dir=/s", "--plugin-dir", "/m"],
    ],
    ["copilot, asking", {}, { agent: "copilot" }, []],
    ["copilot as a delegate", {}, { agent: "copilot", isSubprocessSafe: true }, ["--allow-all"]],
    [
      "copilot with its own grant",
      {},
      { agent: "copilot", isSubprocessSafe: true, args: ["--allow-all-tools"] },
      ["--allow-all-tools"],
    ],
    [
      "copilot that must not",
      { AMPLIHACK_COPILOT_NO_ALLOW_ALL: "1", AMPLIHACK_COPILOT_ALLOW_ALL: "1" },
      { agent: "copilot" },
      [],
    ],
    ["copilot, remote", { AMPLIHACK_COPILOT_REMOTE: "1" }, { agent: "copilot" }, ["--remote"]],
    [
      "copilot, not remote",
      { AMPLIHACK_COPILOT_REMOTE: "1", AMPLIHACK_COPILOT_NO_REMOTE: "1" },
      { agent: "copilot" },
      [],
    ],
  ])("are, for %s, as said", (_, env, facts, expected) => {
    expect(agentArguments(env, { ...WORDS, ...facts })).toEqual(expected);
  });

  it("end with the user's words, untouched", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), given => {
        const words = agentArguments(
          { AMPLIHACK_DEFAULT_MODEL: "m" },
          { ...WORDS, args: given, resumes: true },
        );
        expect(words.slice(words.length - given.length)).toEqual(given);
      }),
    );
  });

  it("are written down without prompts and unknown values", () => {
    const words = [
      "exec",
      "--model",
      "m",
      "--api-key=k",
      "do this",
      "-p",
      "word",
      "-secret text",
      "--model=n",
    ];
    expect(withoutPrompts(words)).toEqual([
      "exec",
      "--model",
      "m",
      "--api-key=<value>",
      "<prompt>",
      "-p",
      "<prompt>",
      "<prompt>",
      "--model=n",
    ]);
  });
});
