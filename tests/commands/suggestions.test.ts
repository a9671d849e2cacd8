import { describe, expect, it } from "vitest";
import { newUserInside } from "./run-command.ts";

describe("a command that does not exist", () => {
  it.each([
    ["add", "store"],
    ["ls", "list"],
    ["rm", "delete"],
    ["stor", "store"],
  ])("amplihack memory %s is answered with one that does", async (typed, meant) => {
    const { code, stderr } = await newUserInside().type(["memory", typed]);
    expect(code).toBe(2);
    expect(stderr).toContain(`did you mean 'amplihack memory ${meant}'?\n  fix: amplihack memory ${meant}\n`);
  });

  it("amplihack history diff is answered with the one that shows a diff", async () => {
    const { stderr } = await newUserInside().type(["history", "diff"]);
    expect(stderr).toContain("did you mean 'amplihack history show'?");
  });

  it.each([
    ["statsu", "status"],
    ["instal", "install"],
    ["undoo", "undo"],
  ])("amplihack %s names the one that is meant as its fix", async (typed, meant) => {
    const { code, stderr } = await newUserInside().type([typed]);
    expect([code, stderr]).toEqual([
      2,
      `Error: unknown command '${typed}'; did you mean '${meant}'?\n  fix: amplihack ${meant}\n`,
    ]);
  });

  it("says which there are where none is near", async () => {
    const { stderr } = await newUserInside().type(["autonomy", "mabye"]);
    expect(stderr).toContain("unknown command 'amplihack autonomy mabye'; it has show, set\n");
  });
});

describe("amplihack --help", () => {
  it("names status", async () => {
    const { stdout } = await newUserInside().type(["--help"]);
    expect(stdout).toMatch(/^ {2}status +show where you stand/m);
  });
});
