import { describe, expect, it } from "vitest";
import type { HookInput } from "../../src/engine/index.ts";
import { DEFAULT_GUARD_SETTINGS, guard } from "../../src/guard/index.ts";
import { makeEngine, temporaryFolder } from "./fixture.ts";

const PLACES = { home: "/home/user", cwd: "/project" };

async function verdict(options: Parameters<typeof guard>[0], command: string): Promise<string> {
  const engine = makeEngine();
  engine.use(guard({ ...PLACES, ...options }));
  return (await engine.decide("bash", { command })).kind;
}

describe("the embedded guard", () => {
  it("is set by part of its settings", async () => {
    expect(await verdict({}, "git push --force origin main")).not.toBe("run");
    expect(
      await verdict({ protectedBranches: [], rules: { "git.*": "allow" } }, "git push origin main"),
    ).toBe("run");
    expect(await verdict({ paths: { noDelete: ["/data/**"] } }, "rm /data/x")).not.toBe("run");
    expect(await verdict({ level: "relaxed" }, "git stash drop")).toBe("run");
    expect(await verdict({ level: "standard" }, "git stash drop")).toBe("ask");
    expect(DEFAULT_GUARD_SETTINGS.level).toBe("standard");
  });

  it.each<[string, object, RegExp]>([
    [
      "a rule that does not exist",
      { rules: { "git.mian": "allow" } },
      /no rule 'git.mian'; did you mean git.main/,
    ],
    ["a setting that does not exist", { rules: { "git.main": "permit" } }, /must be off, allow, ask, deny/],
    ["a level that does not exist", { level: "lax" }, /level must be relaxed, standard, strict/],
  ])("refuses %s at once", (_, options, message) => {
    expect(() => guard(options)).toThrow(message);
  });

  it("takes the engine's directory for its own, not the process's", async () => {
    const projectDir = temporaryFolder();
    const seen: (string | undefined)[] = [];
    const engine = makeEngine({ projectDir });
    engine.use({ id: "where", event: "PreToolUse", run: (input: HookInput) => void seen.push(input.cwd) });
    await engine.dispatch("PreToolUse", { tool_name: "bash", tool_input: { command: "ls" } });
    expect(seen).toEqual([projectDir]);
  });

  it("takes the home of the environment that is given", async () => {
    const engine = makeEngine();
    engine.use(guard({ env: { HOME: "/home/ada" } }));
    expect(await engine.decide("bash", { command: "rm -rf /home/ada" })).toMatchObject({ kind: "deny" });
  });
});
