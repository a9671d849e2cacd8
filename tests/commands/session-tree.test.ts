import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newUserInside, type User } from "./run-command.ts";

const TREE = { AMPLIHACK_TREE_ID: "tree-1" };
const tree = (user: User, words: string, env: Record<string, string> = TREE) =>
  user.type(["session-tree", ...words.split(" ")], { env });

describe("session-tree", () => {
  it("registers, counts and completes sessions", async () => {
    const user = newUserInside();
    expect(await tree(user, "register s1")).toMatchObject({ code: 0, stdout: "TREE_ID=tree-1 DEPTH=0\n" });
    const child = { ...TREE, AMPLIHACK_SESSION_DEPTH: "1" };
    expect(await tree(user, "register s2 s1 --json", child)).toMatchObject({
      code: 0,
      stdout: '{"tree_id":"tree-1","depth":1}\n',
    });
    expect(await tree(user, "complete s1")).toMatchObject({ code: 0, stdout: "" });
    expect(JSON.parse((await tree(user, "status")).stdout)).toEqual({
      tree_id: "tree-1",
      active: ["s2"],
      completed: ["s1"],
      depths: { s1: 0, s2: 1 },
    });
  });

  it("makes a tree and an id where none is named", async () => {
    const { stdout } = await tree(newUserInside(), "register", {});
    expect(stdout).toMatch(/^TREE_ID=[0-9a-f]{8} DEPTH=0\n$/);
  });

  it("allows no more sessions and no more depth than set", async () => {
    const user = newUserInside();
    const one = { ...TREE, AMPLIHACK_MAX_SESSIONS: "1" };
    expect((await tree(user, "check", {})).stdout).toBe("ALLOWED\n");
    expect((await tree(user, "check", one)).stdout).toBe("ALLOWED\n");
    await tree(user, "register s1", one);
    expect(await tree(user, "register s2", one)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("max_sessions=1 reached (1 active)"),
    });
    expect(await tree(user, "check", one)).toMatchObject({
      code: 2,
      stdout: "BLOCKED:max_sessions=1 reached (1 active)\n",
    });
    const deep = { AMPLIHACK_SESSION_DEPTH: "3", AMPLIHACK_MAX_DEPTH: "2" };
    expect(await tree(user, "register s3", deep)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("depth=3 exceeds max_depth=2"),
    });
    expect((await tree(user, "check", deep)).stdout).toBe("BLOCKED:max_depth=2 exceeded at depth=3\n");
    expect((await tree(user, "check", { AMPLIHACK_SESSION_DEPTH: "deep" })).code).toBe(2);
  });

  it("lets nobody raise the depth that the first session allowed", async () => {
    const user = newUserInside();
    await tree(user, "register s1", { ...TREE, AMPLIHACK_MAX_DEPTH: "2" });
    const raised = { ...TREE, AMPLIHACK_MAX_DEPTH: "9", AMPLIHACK_SESSION_DEPTH: "3" };
    expect((await tree(user, "register s2", raised)).code).toBe(1);
  });

  it("completes nothing where there is no tree or no such session", async () => {
    const user = newUserInside();
    expect((await tree(user, "complete s1", {})).code).toBe(0);
    expect((await tree(user, "complete s1")).code).toBe(0);
    expect(existsSync(join(user.home, ".amplihack", "session-trees"))).toBe(false);
    expect((await tree(user, "status", {})).code).toBe(1);
  });

  it.each(["../x", "a b", "x".repeat(65), "__proto__"])("refuses the id %j", async id => {
    const { code, stderr } = await newUserInside().type(["session-tree", "register", id], { env: TREE });
    expect([code, stderr]).toEqual([1, expect.stringContaining("letters, digits")]);
  });

  it("goes on when a tree was damaged", async () => {
    const user = newUserInside();
    await tree(user, "register s1");
    const folder = join(user.home, ".amplihack", "session-trees");
    writeFileSync(join(folder, "tree-1.json"), "{");
    expect((await tree(user, "register s2")).code).toBe(0);
    expect(readdirSync(folder).some(name => name.includes("corrupt"))).toBe(true);
  });

  it("removes old trees, and says so before it does", async () => {
    const user = newUserInside();
    await tree(user, "register s1", { AMPLIHACK_TREE_ID: "old" });
    await tree(user, "register s1", { AMPLIHACK_TREE_ID: "young" });
    const folder = join(user.home, ".amplihack", "session-trees");
    utimesSync(join(folder, "old.json"), 1, 1);
    expect((await tree(user, "gc --dry-run")).stdout).toContain("would remove 1 files");
    expect(existsSync(join(folder, "old.json"))).toBe(true);
    expect((await tree(user, "gc --older-than-days 1")).stdout).toContain("removed 1 files");
    expect([existsSync(join(folder, "old.json")), existsSync(join(folder, "young.json"))]).toEqual([
      false,
      true,
    ]);
    expect((await tree(newUserInside(), "gc")).stdout).toContain("removed 0 files");
  });
});
