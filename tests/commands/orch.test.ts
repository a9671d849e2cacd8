import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newUserInside } from "./run-command.ts";

const helper = (words: string, input = "", env: Record<string, string> = {}) =>
  newUserInside().type(["orch", "helper", ...words.split(" ")], { input, env });

describe("orch helper", () => {
  it.each([
    ["extract-json", 'so: {"a": 1}', '{"a":1}'],
    ["extract-json --require-field b", '{"a":1} {"b":2} {"a":3}', '{"b":2}'],
    ["extract-field --field a", '{"a":"x"}', "x"],
    ["extract-field --field b --default none", '{"a":"x"}', "none"],
    ["extract-field --field b", "prose", ""],
    ["normalise-type", "Research", "Investigation"],
    ["normalise-verdict", "approved", "WORK_VERIFIED"],
    ["normalise-loop-verdict", "", "STUCK"],
    ["reclassify-task-type --current Operations", "open a PR", "Development"],
    ["count-workstreams", '{"workstreams":[{},{}]}', "2"],
    ["count-workstreams --force-single", '{"workstreams":[{},{}]}', "1"],
  ])("%s of %j prints %j", async (words, input, output) => {
    expect(await helper(words, input)).toMatchObject({ code: 0, stdout: `${output}\n`, stderr: "" });
  });

  it("writes workstreams to a file that only its owner reads", async () => {
    const user = newUserInside();
    const { code, stdout } = await user.type(["orch", "helper", "build-workstreams-config"], {
      input: '{"workstreams":[{"name":"a"}]}',
      env: { TMPDIR: user.home },
    });
    const path = stdout.trim();
    expect([code, path.startsWith(join(user.home, "smart-orch-ws-"))]).toEqual([0, true]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject([{ branch: "feat/orch-1-a", task: "a" }]);
  });

  it.each([
    ["extract-jsn", "did you mean extract-json?"],
    ["extract-field", "extract-field needs --field"],
    ["reclassify-task-type", "reclassify-task-type needs --current"],
    ["normalise-type --field a", "normalise-type does not take --field"],
    ["extract-json --force-single", "extract-json does not take --force-single"],
  ])("refuses %s", async (words, problem) => {
    expect(await helper(words)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(problem),
    });
  });
});

describe("orch run", () => {
  it("has nothing to do with an empty list, and says what is wrong with another file", async () => {
    const user = newUserInside();
    const type = (name: string) => user.type(["orch", "run", "--", name]);
    writeFileSync(join(user.project, "empty.json"), "[]");
    writeFileSync(join(user.project, "bad.json"), '[{"branch":"a"}]');
    expect(await type("empty.json")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("No workstreams defined in"),
    });
    expect(await type("bad.json")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("entry 1: task must be a text"),
    });
    expect(await type("none.json")).toMatchObject({ code: 1, stderr: expect.stringContaining("no file") });
  });
});

describe("resolve-bundle-asset", () => {
  it("prints where a file of a bundle is", async () => {
    const user = newUserInside();
    const bundle = join(user.home, ".amplihack", "amplifier-bundle", "tools", "amplihack", "hooks");
    mkdirSync(bundle, { recursive: true });
    const resolve = (asset: string) => user.type(["resolve-bundle-asset", asset]);
    expect((await resolve("hooks-dir")).stdout).toBe(`${bundle}\n`);
    expect((await resolve("amplifier-bundle/tools/amplihack")).stdout).toBe(`${join(bundle, "..")}\n`);
    for (const [asset, code] of [
      ["multitask-orchestrator", 1],
      ["something", 1],
      ["amplifier-bundle/none", 1],
      ["amplifier-bundle/../x", 2],
      ["/etc/passwd", 2],
      ["other/x", 2],
      ["amplifier-bundle/a b", 2],
    ] as const)
      expect([asset, (await resolve(asset)).code]).toEqual([asset, code]);
  });
});

describe("commands of the original that are not here", () => {
  it.each([
    ["eval", "amplihack recipe run"],
    ["proxy", "ANTHROPIC_BASE_URL"],
  ])("%s is refused with a reason and the way to go", async (name, way) => {
    const user = newUserInside();
    expect(await user.type([name, "start"])).toMatchObject({ code: 2, stderr: expect.stringContaining(way) });
    const { code, stdout } = await user.type([name, "start", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { kind: "usage" } });
  });
});
