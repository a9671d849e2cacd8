import { describe, expect, it } from "vitest";
import {
  findAssetHome,
  findHome,
  findStateHome,
  makeRuntimeDirectory,
  readText,
  runtimePath,
} from "../../src/state/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

const withEnv = (env: Record<string, string>, files = {}) => createMemorySystem({ env, files });

describe("the two homes", () => {
  it("are ~/.amplihack by default", () => {
    const system = withEnv({ HOME: "/home/u" });
    expect(findAssetHome(system)).toBe("/home/u/.amplihack");
    expect(findStateHome(system)).toBe("/home/u/.amplihack");
  });

  it.each(["/opt/amplihack", "/home/u/p", "/home/u/p/inside", "/proc/self/cwd/link", "/"])(
    "part where AMPLIHACK_HOME is %s: assets may come from there, what decides not",
    home => {
      const system = withEnv({ HOME: "/home/u", AMPLIHACK_HOME: home });
      expect(findAssetHome(system)).toBe(home);
      expect(findStateHome(system)).toBe("/home/u/.amplihack");
    },
  );

  it("are where the program was installed, whatever the environment says", () => {
    const env = { HOME: "/home/u/p/evil", AMPLIHACK_HOME: "/home/u/p" };
    const system = { ...withEnv(env), installedIn: "/home/u/.amplihack" };
    expect(findStateHome(system)).toBe("/home/u/.amplihack");
    expect(findStateHome({ ...withEnv({}), installedIn: "/srv/state" })).toBe("/srv/state");
  });

  it("are unknown without a usable HOME", () => {
    for (const env of [{}, { HOME: "" }, { HOME: "relative" }]) {
      const system = withEnv(env);
      expect(findHome(system)).toBeUndefined();
      expect(findAssetHome(system)).toBeUndefined();
      expect(findStateHome(system)).toBeUndefined();
    }
  });

  it("ignore an AMPLIHACK_HOME that is no absolute path", () => {
    const system = withEnv({ HOME: "/home/u", AMPLIHACK_HOME: "here" });
    expect(findStateHome(system)).toBe("/home/u/.amplihack");
  });
});

describe("the run-time directory of a project", () => {
  it("is made on demand: .claude open, the rest private", () => {
    const system = createMemorySystem();
    const path = makeRuntimeDirectory(system, "/p", "logs", "s1");
    expect(path).toBe("/p/.claude/runtime/logs/s1");
    expect(path).toBe(runtimePath(system, "/p", "logs", "s1"));
    expect(system.files.inspect("/p/.claude/runtime")?.mode).toBe(0o700);
    expect(system.files.inspect(path)?.mode).toBe(0o700);
    makeRuntimeDirectory(system, "/p", "logs", "s1");
  });

  it("leaves a project without such a folder as it is for other agents, and stays where it was begun", () => {
    const system = createMemorySystem({
      env: { HOME: "/home/u" },
      files: { "/p/.git": { kind: "directory" } },
    });
    Object.assign(system, { leavesProjectsAlone: () => true });
    const path = makeRuntimeDirectory(system, "/p", "logs");
    expect(path).toMatch(/^\/home\/u\/\.amplihack\/runtime\/[0-9a-f]{16}\/logs$/);
    expect(system.files.inspect(path)?.mode).toBe(0o700);
    expect(system.files.list("/p")).toEqual([".git"]);
    system.put("/p/.claude/settings.json", "{}");
    expect(runtimePath(system, "/p", "logs")).toBe(path);
    // The home directory is the project of a session that begins there.
    expect(makeRuntimeDirectory(system, "/home/u")).toContain("/.amplihack/runtime/");
    expect(system.files.list("/home/u")).toEqual([".amplihack"]);
  });

  it("ignores itself, but writes nothing through a link that leads out of the project", () => {
    const system = createMemorySystem({
      files: {
        "/elsewhere": { kind: "directory" },
        "/p/.claude": { kind: "directory" },
        "/q/.claude/runtime": { kind: "symlink", target: "/elsewhere" },
      },
    });
    makeRuntimeDirectory(system, "/p", "logs");
    expect(system.peek("/p/.claude/runtime/.gitignore")).toBe("*\n");
    makeRuntimeDirectory(system, "/q");
    expect(system.files.list("/elsewhere")).toEqual([]);
  });

  it.each([
    ["the folder of the hosts", { "/q/.claude": { kind: "symlink", target: "/elsewhere" } }],
    ["the folder itself", { "/q/.claude/runtime": { kind: "symlink", target: "/elsewhere" } }],
    ["a folder below it", { "/q/.claude/runtime/logs": { kind: "symlink", target: "/elsewhere" } }],
    ["a link that dangles", { "/q/.claude/runtime": { kind: "symlink", target: "../../elsewhere/new" } }],
    [
      "a link to a link",
      {
        "/q/one": { kind: "symlink", target: "/elsewhere" },
        "/q/.claude/runtime": { kind: "symlink", target: "../one" },
      },
    ],
    ["a ring", { "/q/.claude/runtime": { kind: "symlink", target: "runtime" } }],
  ] as const)("lies in the state home where a link leads it out of the project: %s", (_, files) => {
    const system = createMemorySystem({
      env: { HOME: "/home/u" },
      files: { "/elsewhere": { kind: "directory" }, "/q/x": "", ...files },
    });
    const folder = makeRuntimeDirectory(system, "/q", "logs");
    expect(folder).toMatch(/^\/home\/u\/\.amplihack\/runtime\/[0-9a-f]{16}\/logs$/);
    expect(runtimePath(system, "/q", "logs")).toBe(folder);
    expect(system.files.list("/elsewhere")).toEqual([]);
    expect(system.files.inspect("/elsewhere/new")).toBeUndefined();
    expect(runtimePath(createMemorySystem({ env: {}, files: { "/q/x": "", ...files } }), "/q", "logs")).toBe(
      "/dev/null/logs",
    );
  });

  it("may be a link within the project", () => {
    const system = createMemorySystem({
      env: { HOME: "/home/u" },
      files: {
        "/q/.state": { kind: "directory" },
        "/q/.claude/runtime": { kind: "symlink", target: "../.state" },
      },
    });
    expect(makeRuntimeDirectory(system, "/q", "logs")).toBe("/q/.claude/runtime/logs");
    expect(system.files.list("/q/.state")).toContain("logs");
  });

  it("cannot be made below a file", () => {
    const system = createMemorySystem({ files: { "/p/.claude": "text" } });
    expect(() => makeRuntimeDirectory(system, "/p", "logs")).toThrow(/EEXIST|ENOTDIR/);
  });
});

describe("reading a text", () => {
  it("gives undefined for no file, replaces bytes that are no text, and keeps to the limit", () => {
    const system = createMemorySystem({ files: { "/t": Uint8Array.of(0x61, 0xff) } });
    expect(readText(system, "/missing", 10)).toBeUndefined();
    expect(readText(system, "/t/below", 10)).toBeUndefined();
    expect(readText(system, "/t", 10)).toBe("a\ufffd");
    expect(() => readText(system, "/t", 1)).toThrow(/EFBIG/);
  });
});
