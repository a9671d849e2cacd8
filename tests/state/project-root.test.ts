import { describe, expect, it } from "vitest";
import { findLocksRoot, findProjectRoot, findSessionDirectory } from "../../src/state/index.ts";
import { createMemorySystem, type MemorySystemOptions, type SeedEntry } from "../../src/system/memory.ts";

const directory: SeedEntry = { kind: "directory" };
const at = (cwd: string, entries: readonly string[], more: MemorySystemOptions = {}) =>
  createMemorySystem({
    cwd,
    env: { HOME: "/home/u" },
    files: Object.fromEntries(entries.map(path => [path, directory])),
    ...more,
  });

describe("the project root", () => {
  it("is the nearest directory with .claude above the process", () => {
    const system = at("/home/u/p/src/deep", ["/home/u/p/.claude", "/home/u/other/.claude"]);
    expect(findProjectRoot(system, undefined)).toBe("/home/u/p");
    expect(findProjectRoot(system, "/home/u/other")).toBe("/home/u/p");
  });

  it("counts a plain file named .claude too", () => {
    const system = at("/home/u/p/src", [], { files: { "/home/u/p/.claude": "text" } });
    expect(findProjectRoot(system, undefined)).toBe("/home/u/p");
  });

  it("is found above the session directory when the process runs elsewhere", () => {
    const system = at("/tmp/x", ["/home/u/p/.claude", "/home/u/p/a/b"]);
    expect(findProjectRoot(system, "/home/u/p/a/b")).toBe("/home/u/p");
  });

  it("is AMPLIHACK_ROOT when that has .claude and nothing nearer does", () => {
    const env = { HOME: "/home/u", AMPLIHACK_ROOT: "/opt/project" };
    const system = at("/home/u/p", ["/opt/project/.claude", "/home/u/p/.git"], { env });
    expect(findProjectRoot(system, undefined)).toBe("/opt/project");
    system.files.removeDirectory("/opt/project/.claude");
    expect(findProjectRoot(system, undefined)).toBe("/home/u/p");
  });

  it("is the git top level of the session, then the session directory", () => {
    const system = at("/tmp/x", ["/home/u/p/.git", "/home/u/p/a", "/home/u/q/a"]);
    expect(findProjectRoot(system, "/home/u/p/a")).toBe("/home/u/p");
    expect(findProjectRoot(system, "/home/u/q/a")).toBe("/home/u/q/a");
    system.put("/home/u/q/.git", "gitdir: /elsewhere");
    expect(findProjectRoot(system, "/home/u/q/a")).toBe("/home/u/q");
  });

  it("is the worktree of a task, and not the state of amplihack above it, which has .claude", () => {
    const worktree = "/home/u/.amplihack/workstreams/p-1/task-a";
    const system = at(worktree, ["/home/u/.amplihack/.claude/bin", `${worktree}/src`]);
    system.put(`${worktree}/.git`, "gitdir: /home/u/p/.git/worktrees/task-a");
    expect(findProjectRoot(system, `${worktree}/src`)).toBe(worktree);
    const elsewhere = at("/opt/state/w/a/b", ["/opt/state/.claude", "/opt/state/w/a/.git"]);
    const moved = { ...elsewhere, installedIn: "/opt/state" };
    expect(findProjectRoot(moved, undefined)).toBe("/opt/state/w/a");
  });

  it("is never the home directory or one above it", () => {
    const entries = ["/home/u/.claude", "/home/.claude", "/.claude", "/home/u/.git", "/home/u/p/a"];
    expect(findProjectRoot(at("/home/u/p/a", entries), undefined)).toBe("/home/u/p/a");
    const env = { HOME: "/home/u", AMPLIHACK_ROOT: "/home/u" };
    expect(findProjectRoot(at("/home/u/p/a", entries, { env }), undefined)).toBe("/home/u/p/a");
  });

  it("is the home directory for a session that works there", () => {
    const system = at("/home/u", ["/home/u/.claude", "/home/u/p"]);
    expect(findProjectRoot(system, undefined)).toBe("/home/u");
    expect(findProjectRoot(system, "/home/u/p")).toBe("/home/u/p");
  });

  it("is never the home directory reached by another name", () => {
    const system = at("/data/u/p", ["/data/u/.claude"], {
      files: { "/data/u/.claude": directory, "/home": { target: "/data" } },
    });
    expect(findProjectRoot(system, undefined)).toBe("/data/u/p");
    expect(findProjectRoot(system, "/home/u")).toBe("/data/u");
  });

  it("is not what our own hooks left behind, nor a temporary root, nor a folder of several repositories", () => {
    const own = at("/home/u/work/a", ["/home/u/work/.claude/runtime", "/home/u/work/a"]);
    expect(findProjectRoot(own, undefined)).toBe("/home/u/work/a");
    own.put("/home/u/work/.claude/settings.json", "{}");
    expect(findProjectRoot(own, undefined)).toBe("/home/u/work");
    const temporary = at("/tmp/x/y", ["/tmp/.claude", "/tmp/.git", "/tmp/x/y"]);
    expect(findProjectRoot(temporary, undefined)).toBe("/tmp/x/y");
    const env = { HOME: "/home/u", TMPDIR: "/scratch/" };
    expect(findProjectRoot(at("/scratch/x", ["/scratch/.claude"], { env }), undefined)).toBe("/scratch/x");
    const several = [
      "/home/u/work/.claude",
      "/home/u/work/one/.git",
      "/home/u/work/two/.git",
      "/home/u/work/p",
    ];
    expect(findProjectRoot(at("/home/u/work/p", several), undefined)).toBe("/home/u/work/p");
    expect(findProjectRoot(at("/home/u/work/one", several), undefined)).toBe("/home/u/work/one");
  });

  it("is the nearest directory with a manifest where there is no repository", () => {
    const files = { "/home/u/p/package.json": "{}", "/home/u/p/src/a.ts": "", "/home/u/package.json": "{}" };
    const system = at("/home/u/p/src", [], { files });
    expect(findProjectRoot(system, undefined)).toBe("/home/u/p");
    system.put("/home/u/p/src/.git", "gitdir: /elsewhere");
    expect(findProjectRoot(system, undefined)).toBe("/home/u/p/src");
  });

  it("is looked for without a home, without a working directory, and where nothing may be read", () => {
    const homeless = at("/p/a", ["/p/.claude"], { env: {} });
    expect(findProjectRoot(homeless, undefined)).toBe("/p");
    const lost = at("/gone", ["/p/.claude"]);
    lost.files.removeDirectory("/gone");
    expect(findProjectRoot(lost, "/p")).toBe("/p");
    expect(findProjectRoot(lost, undefined)).toBe("/");
    const forbidden = at("/p/a", ["/p/.claude"]);
    forbidden.faults.failUnder("/p/.claude", "EACCES");
    expect(findProjectRoot(forbidden, undefined)).toBe("/p/a");
  });
});

describe("the session directory", () => {
  it.each([
    ["/home/u/p", "/home/u/p"],
    ["/home/u/p/../p/", "/home/u/p"],
    ["relative", "/tmp/x"],
    ["/missing", "/tmp/x"],
    ["/file", "/tmp/x"],
    ["/bad\0name", "/tmp/x"],
    [undefined, "/tmp/x"],
  ])("for payload %j is %j", (cwd, expected) => {
    const system = at("/tmp/x", ["/home/u/p"]);
    system.put("/file", "");
    expect(findSessionDirectory(system, cwd)).toBe(expected);
  });
});

describe("the root for lock mode", () => {
  it("is CLAUDE_PROJECT_DIR when that has .claude, else the project root", () => {
    const env = { HOME: "/home/u", CLAUDE_PROJECT_DIR: "/home/u/main" };
    const system = at("/home/u/p", ["/home/u/p/.claude", "/home/u/main/.claude"], { env });
    expect(findLocksRoot(system, undefined)).toBe("/home/u/main");
    system.files.removeDirectory("/home/u/main/.claude");
    expect(findLocksRoot(system, undefined)).toBe("/home/u/p");
    system.variables.set("CLAUDE_PROJECT_DIR", "not/absolute");
    expect(findLocksRoot(system, undefined)).toBe("/home/u/p");
  });
});
