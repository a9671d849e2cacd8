import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PARTS, PROFILES } from "../../src/config/levels.ts";
import { newUserInside, type User } from "./run-command.ts";

const configOf = (user: User) => join(user.home, ".amplihack", "config.jsonc");

describe("amplihack parts", () => {
  it("shows what is on and writes nothing", async () => {
    const user = newUserInside();
    expect(await user.json("parts")).toEqual({ parts: PARTS.filter(part => part !== "mcp") });
    expect((await user.type(["parts"])).stdout).toMatch(/^on {3}guard {8}\w[\s\S]*\non {3}workflow/);
    expect(() => readFileSync(configOf(user))).toThrow("ENOENT");
  });

  it("switches parts on and off in the user's configuration, whose comments stay", async () => {
    const user = newUserInside();
    mkdirSync(join(user.home, ".amplihack"));
    writeFileSync(configOf(user), '{\n  // mine\n  "guard": { "level": "strict" }\n}\n', { mode: 0o600 });
    const off = await user.json("parts", "--off", "workflow", "--off", "memory");
    expect(off).toEqual({ parts: ["guard", "history", "transcripts"] });
    expect(readFileSync(configOf(user), "utf8")).toMatch(/\/\/ mine\n {2}"guard": \{ "level": "strict" \},/);
    expect(await user.json("parts", "--on", "memory")).toEqual({ parts: PROFILES.standard });
    expect(await user.json("parts", "off", "memory", "history")).toEqual({ parts: ["guard", "transcripts"] });
    expect(await user.json("parts", "on", "history")).toEqual({ parts: ["guard", "history", "transcripts"] });
    expect(await user.json("parts", "list")).toEqual({ parts: ["guard", "history", "transcripts"] });
    expect(await user.json("parts", "--profile", "guard")).toEqual({ parts: ["guard"] });
    expect(await user.json("parts", "--profile", "guard", "--on", "history")).toEqual({
      parts: ["guard", "history"],
    });
    expect(await user.json("parts")).toEqual({ parts: ["guard", "history"] });
  });

  it("refuses a name that is none, and a file that it cannot edit", async () => {
    const user = newUserInside();
    const unknown = await user.type(["parts", "--on", "guards"]);
    expect(unknown.code).toBe(2);
    expect((await user.type(["parts", "off"])).stderr).toContain("missing PART: guard, history, memory");
    expect(unknown.stderr).toContain("there is no part 'guards'; there are guard, history, memory");
    mkdirSync(join(user.home, ".amplihack"));
    writeFileSync(configOf(user), "[1]\n", { mode: 0o600 });
    const broken = await user.type(["parts", "--off", "workflow"]);
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain("expected an object in JSON with comments");
    expect(readFileSync(configOf(user), "utf8")).toBe("[1]\n");
  });
});
