import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keepGoodConfig, loadConfig, resolveFailurePolicy } from "../../src/config/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const GOOD = {
  guard: {
    level: "strict",
    rules: { "git.stash": "deny" },
    paths: { noDelete: ["migrations/**", "data/**"] },
    custom: [
      { id: "a", when: { command: "acme" }, verdict: "ask", reason: "r" },
      { id: "b", when: { command: "bcme" }, verdict: "deny", reason: "r" },
    ],
  },
  failure: { default: "closed" },
};

function machine() {
  const home = temporaryDirectory();
  const stateHome = join(home, ".amplihack");
  mkdirSync(stateHome);
  const path = join(stateHome, "config.jsonc");
  const system = createNodeSystem();
  const places = { home, stateHome, projectRoot: undefined, systemFile: join(home, "none") };
  const write = (content: string | Uint8Array) => writeFileSync(path, content, { mode: 0o600 });
  write(JSON.stringify(GOOD, null, 2));
  keepGoodConfig(system, places);
  return {
    path,
    stateHome,
    write,
    load: () => loadConfig(system, places),
    keep: () => keepGoodConfig(system, places),
  };
}

const text = JSON.stringify(GOOD, null, 2);

describe("a configuration that cannot be read", () => {
  const WAYS: readonly (readonly [string, (scene: ReturnType<typeof machine>) => void])[] = [
    ["is cut in the middle of a rule", ({ write }) => write(text.slice(0, text.indexOf('"deny"') + 3))],
    ["is cut in a list", ({ write }) => write(text.slice(0, text.indexOf('"data/**"')))],
    ["is cut to nothing", ({ write }) => write("")],
    ["is cut after the first sign", ({ write }) => write("{")],
    ["has a mistake in its middle", ({ write }) => write(text.replace('"paths":', '"paths"'))],
    [
      "is not UTF-8",
      ({ write }) => write(new Uint8Array([...Buffer.from('{"guard": {"level": "'), 0xff, 0x7d])),
    ],
    ["is too large", ({ write }) => write(`${text}${" ".repeat(300_000)}`)],
    ["is a list", ({ write }) => write("[]")],
    ["is null", ({ write }) => write("null")],
    ["says a section twice", ({ write }) => write(text.replace(/}$/, ',"gu\\u0061rd": {}}'))],
    ["says a member twice", ({ write }) => write(text.replace('"paths"', '"rules": {}, /* "x": */ "paths"'))],
    [
      "is a directory",
      ({ path }) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    [
      "is a pipe that nobody writes to",
      ({ path }) => {
        rmSync(path);
        execFileSync("mkfifo", ["-m", "600", path]);
      },
    ],
    ["can be written by others", ({ path }) => chmodSync(path, 0o666)],
    ["has a section that is none", ({ write }) => write(JSON.stringify({ ...GOOD, guard: "strict" }))],
  ];

  it.each(WAYS)("changes nothing when it %s, and is told", (_, breakIt) => {
    const scene = machine();
    const before = scene.load();
    expect(before.notices).toEqual([]);
    breakIt(scene);
    const { config, notices } = scene.load();
    expect(config.guard).toEqual(before.config.guard);
    expect(resolveFailurePolicy(config, "pre-tool-use")).toBe("closed");
    expect(notices.map(({ message }) => message).join()).toMatch(
      /your last good settings apply until you fix it|what can be read applies, the rest stays as it was until you fix it/,
    );
  });

  it("counts as far as it can be read", () => {
    const scene = machine();
    scene.write('{ "guard": { "level": "relaxed", "rules": { "git.stash": "ask", "git.cle');
    const { config } = scene.load();
    expect(config.guard.level).toBe("relaxed");
    expect(config.guard.rules["git.stash"]).toBe("ask");
    expect(config.guard.custom).toHaveLength(2);
  });

  it.each([
    ["guard.level", { ...GOOD, guard: { ...GOOD.guard, level: "stict" } }],
    ["guard.rules.git.stash", { ...GOOD, guard: { ...GOOD.guard, rules: { "git.stash": 3 } } }],
    ["guard.paths", { ...GOOD, guard: { ...GOOD.guard, paths: "migrations/**" } }],
    ["guard.custom[1]", { ...GOOD, guard: { ...GOOD.guard, custom: [GOOD.guard.custom[0], { id: "b" }] } }],
    ["failure.default", { ...GOOD, failure: { default: "close" } }],
    ["failure", { ...GOOD, failure: ["closed"] }],
    ["Guard", { Guard: GOOD.guard, failure: GOOD.failure }],
    ["guard.rule", { ...GOOD, guard: { ...GOOD.guard, rules: undefined, rule: {} } }],
    ["failures", { guard: GOOD.guard, failures: { default: "closed" } }],
    ["failure.defualt", { ...GOOD, failure: { defualt: "closed" } }],
  ])("keeps a single member as it was: %s", (member, written) => {
    const scene = machine();
    const before = scene.load().config;
    scene.write(JSON.stringify(written));
    const { config, notices } = scene.load();
    expect(config.guard).toEqual(before.guard);
    expect(config.failure).toEqual(before.failure);
    expect(notices[0]?.message).toContain(member);
    scene.keep();
    expect(scene.load().config.guard).toEqual(before.guard);
  });

  it("takes a failure policy that is written as one word for the default", () => {
    const scene = machine();
    rmSync(join(scene.stateHome, "guard"), { recursive: true });
    scene.write(JSON.stringify({ failure: "closed" }));
    const { config, notices } = scene.load();
    expect(resolveFailurePolicy(config, "pre-tool-use")).toBe("closed");
    expect(notices).toHaveLength(1);
  });

  it.each([
    ["pre_tool_use", "pre-tool-use"],
    ["PreToolUse", "pre-tool-use"],
    ["pre-tool-uze", "pre-tool-use"],
    ["defualt", "default"],
  ])("tells of a failure policy for what it does not know, in every answer: %s", (written, meant) => {
    const scene = machine();
    scene.write(JSON.stringify({ failure: { [written]: "closed" } }));
    expect(scene.load().notices).toMatchObject([
      {
        code: "misspelt-key",
        message: expect.stringContaining(`failure.${written} is ignored: expected ${meant}`),
      },
    ]);
  });

  it("switches nothing off by a list of parts in which one is not known", () => {
    const scene = machine();
    for (const parts of [["gaurd"], ["gaurd", "history"], "guard"]) {
      scene.write(JSON.stringify({ ...GOOD, parts }));
      const { config, notices } = scene.load();
      expect(config.parts).toContain("guard");
      expect(notices).toMatchObject([{ message: expect.stringContaining("parts is ignored: expected") }]);
    }
  });

  it("forgets nothing that was taken out of a file that can be read", () => {
    const scene = machine();
    scene.write(JSON.stringify({ guard: { level: "standard" } }));
    expect(scene.load().config.guard.custom).toEqual([]);
    scene.keep();
    scene.write("{");
    expect(scene.load().config.guard).toMatchObject({ level: "standard", custom: [] });
  });

  it("does not take what somebody else put there for its last good state", () => {
    const scene = machine();
    const folder = join(scene.stateHome, "guard", "last-good");
    const [name = ""] = readdirSync(folder);
    const forged = {
      version: 1,
      path: scene.path,
      content: '{"guard":{"level":"relaxed"}}',
      seal: "0".repeat(64),
    };
    writeFileSync(join(folder, name), JSON.stringify(forged));
    scene.write("{");
    expect(scene.load().config.guard.level).toBe("standard");
  });
});
