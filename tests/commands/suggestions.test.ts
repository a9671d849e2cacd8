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
    expect(stderr).toContain(`did you mean 'amplihack memory ${meant}'?`);
  });
});

describe("amplihack --help", () => {
  it("names status", async () => {
    const { stdout } = await newUserInside().type(["--help"]);
    expect(stdout).toMatch(/^ {2}status +show where you stand/m);
  });
});
