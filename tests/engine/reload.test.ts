import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HookLoadError, type HookSource, userSources } from "../../src/exports/engine.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { claudeCommands, makeEngine, source } from "./fixture.ts";

const GOOD = claudeCommands("PreToolUse", ["exit 2"]);
const OTHER = claudeCommands("PreToolUse", ["true"]);
const commandsOf = (engine: ReturnType<typeof makeEngine>) => engine.list().length;

describe("reload with a source that can no longer be understood", () => {
  const malformed: readonly (readonly [string, unknown])[] = [
    ["is no JSON", '{"hooks": {'],
    ["holds a list", []],
    ["has hooks that are none", { hooks: "none" }],
    ["could not be read", new Error("EACCES")],
    ["has nothing but a broken entry", { hooks: { PreToolUse: [{ hooks: ["exit 2"] }] } }],
  ];

  it.each(malformed)("keeps what it said before: it %s", (_, data) => {
    const place = { kind: "user", path: "/home/user/.amplihack/hooks.jsonc" } as const;
    const engine = makeEngine({ sources: [source("claude", GOOD, place)] });
    const before = engine.list();
    const report = engine.reload([source("claude", data, place)]);
    expect(engine.list()).toEqual(before);
    expect(report.handlers).toBe(1);
    expect(report.errors.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/; what it said before stays in force$/),
    ]);
    // And so it stays, until the source is put right.
    expect(engine.reload([source("claude", data, place)]).handlers).toBe(1);
    expect(engine.reload([source("claude", OTHER, place)]).errors).toEqual([]);
    expect(engine.list()).not.toEqual(before);
  });

  it("reloads the others all the same", () => {
    const user = { kind: "user" } as const;
    const project = { kind: "project", path: "/p/.amplihack/hooks.jsonc" } as const;
    const engine = makeEngine({ sources: [source("claude", GOOD, user), source("claude", GOOD, project)] });
    const two = claudeCommands("PreToolUse", ["true", "false"]);
    const report = engine.reload([source("claude", two, user), source("claude", "{", project)]);
    expect(report.handlers).toBe(3);
  });

  it("keeps nothing for a source that is gone, emptied, new, or of another place", () => {
    const at = (path: string, data: unknown) => source("claude", data, { kind: "user", path });
    const engine = makeEngine({ sources: [at("/a", GOOD)] });
    expect(engine.reload([at("/b", "{")]).handlers).toBe(0);
    engine.reload([at("/a", GOOD)]);
    expect(engine.reload([at("/a", "")]).handlers).toBe(0);
    expect(engine.reload([at("/a", "{")]).handlers).toBe(0);
    expect(engine.reload([]).handlers).toBe(0);
  });

  it("lets a broken entry go by itself where others of the source are sound", () => {
    const engine = makeEngine({ sources: [source("claude", GOOD)] });
    const mixed = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "true" }, "no entry"] }] } };
    const report = engine.reload([source("claude", mixed)]);
    expect([report.handlers, report.errors.length]).toEqual([1, 1]);
    expect(report.errors[0]?.detail).not.toContain("stays in force");
  });

  it("is refused where the source is policy, and changes nothing", () => {
    const managed = { kind: "managed" } as const;
    const engine = makeEngine({ sources: [source("claude", GOOD, managed)] });
    expect(() => engine.reload([source("claude", "{", managed)])).toThrow(HookLoadError);
    expect(commandsOf(engine)).toBe(1);
  });
});

describe("the user's sources", () => {
  it("stay in force while their file is broken or cannot be read", () => {
    const home = temporaryDirectory();
    const folder = join(home, ".amplihack");
    mkdirSync(folder);
    const trusted = { state: () => "trusted" as const };
    const file = join(folder, "hooks.jsonc");
    writeFileSync(file, JSON.stringify(GOOD));
    const engine = makeEngine({ sources: userSources({ home }), trust: trusted });
    expect(engine.report.handlers).toBe(1);
    writeFileSync(file, '{"hooks": {');
    expect(engine.reload(userSources({ home })).handlers).toBe(1);
    const asFolder = temporaryDirectory();
    mkdirSync(join(asFolder, ".amplihack", "hooks.jsonc"), { recursive: true });
    const [unreadable] = userSources({ home: asFolder }) as readonly [HookSource];
    expect(unreadable.data).toBeInstanceOf(Error);
    expect(engine.reload([{ ...unreadable, path: file }]).handlers).toBe(1);
    expect(userSources({ home: temporaryDirectory() })).toEqual([]);
  });
});
