import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";
import { newUserOn, type User } from "./run-command.ts";

const IS_ROOT = process.getuid?.() === 0;

/** A machine that its administrator manages, as far as this file says. */
function userOn(machine: object): User {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, "config.jsonc"), JSON.stringify({ managed: true, ...machine }), { mode: 0o644 });
  return newUserOn(folder);
}

const config = (user: User) => readFileSync(join(user.home, ".amplihack", "config.jsonc"), "utf8");

// Of a file that is not root's nothing is taken as the machine's.
describe.skipIf(!IS_ROOT)("amplihack config set on a managed machine", () => {
  it.each<[string, object, string, string, string]>([
    ["a rule", { guard: { rules: { "git.push": "deny" } } }, "guard.rules.git.push", "ask", "deny"],
    ["a group", { guard: { rules: { publish: "deny" } } }, "guard.rules.publish", "off", "deny"],
    ["a level", { guard: { level: "strict" } }, "guard.level", "relaxed", "strict"],
    [
      "a rule, by a pattern",
      { guard: { rules: { "git.*": "deny" } } },
      "guard.rules.git.stash",
      "allow",
      "deny",
    ],
    ["a rule, by its level", { guard: { level: "strict" } }, "guard.rules.publish", "off", "ask"],
    ["a hook's failure policy", { failure: { default: "closed" } }, "failure.stop", "ask", "closed"],
    ["a failure policy", { failure: { default: "closed" } }, "failure.default", "open", "closed"],
  ])(
    "says of %s that is not loosened that it has no effect, and nothing else",
    async (_, machine, key, value, stays) => {
      const user = userOn(machine);
      const { code, stdout, stderr } = await user.type(["config", "set", key, value]);
      const path = join(user.home, ".amplihack", "config.jsonc");
      expect({ code, stdout }).toEqual({
        code: 1,
        stdout: `${key} is ${value} in ${path} but has no effect: it stays ${stays}\n`,
      });

      expect(stdout + stderr).not.toContain("is now");
      const told = await user.type(["config", "set", key, value, "--json"]);
      expect([told.code, JSON.parse(told.stdout)]).toEqual([
        1,
        expect.objectContaining({ success: false, value, effective: stays }),
      ]);
      const { stdout: got } = await user.type(["config", "get", key]);
      expect(got.trim()).toBe(stays);
    },
  );

  it.each<[string, object, string, string]>([
    ["tightens what the machine sets", { guard: { level: "standard" } }, "guard.level", "strict"],
    ["is of something else", { guard: { level: "strict" } }, "history.maxAgeDays", "9"],
    ["is what the machine sets", { guard: { level: "strict" } }, "guard.level", "strict"],
  ])("sets what %s", async (_, machine, key, value) => {
    const user = userOn(machine);
    const { code, stdout, stderr } = await user.type(["config", "set", key, value]);
    expect({ code, stdout, stderr: stderr.replace(/^Note:.*\n/gm, "") }).toEqual({
      code: 0,
      stdout: `${key} is now ${value} in ${join(user.home, ".amplihack", "config.jsonc")}\n`,
      stderr: "",
    });
    expect((await user.type(["config", "get", key])).stdout.trim()).toBe(value);
  });

  it("takes a loosening back without a word of ignoring, and leaves the rest of the file", async () => {
    const user = userOn({ guard: { level: "strict" } });
    mkdirSync(join(user.home, ".amplihack"), { recursive: true });
    writeFileSync(
      join(user.home, ".amplihack", "config.jsonc"),
      '{\n  // mine\n  "guard": { "level": "relaxed" },\n  "history": { "maxAgeDays": 9 }\n}\n',
    );
    const { code, stdout, stderr } = await user.type(["config", "unset", "guard.level"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("it is strict now");
    expect(config(user)).toMatch(/\/\/ mine[\s\S]*"maxAgeDays": 9/);
  });
});
