import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newUserInside } from "./run-command.ts";

const FIXTURES = new URL("../fixtures/usage/", import.meta.url);

describe("amplihack usage", () => {
  it("tells what each host used, with the sum, and marks what has no price", async () => {
    const user = newUserInside();
    for (const folder of ["codex", "gemini"])
      cpSync(new URL(folder, FIXTURES), join(user.home, `.${folder}`), { recursive: true });
    const words = ["usage", "--by", "host", "--since", "520w"];
    const { groups, total } = JSON.parse((await user.type([...words, "--json"])).stdout);
    expect(groups.map(({ key }: { key: string }) => key).sort()).toEqual(["codex", "gemini-cli"]);
    expect(total.tokens.total).toBe(8036 + 3600 + 436 + 9045 + 4500 + 495);
    expect(total.tokens_without_price).toBe(8036 + 3600 + 436);
    const { stdout } = await user.type(words);
    expect(stdout).toMatch(/^Codex +8k +4k +436 +\? +1 % /m);
    expect(stdout).toContain("* without 12k tokens of models that have no known price");
    expect(stdout).toMatch(/^total .* {2}- {2}/m);
    expect(Math.max(...stdout.split("\n").map(line => line.length))).toBeLessThanOrEqual(80);
  });

  it.each(["session", "project", "model"])("keeps to the width of the terminal by %s", async by => {
    const user = newUserInside();
    for (const folder of ["codex", "gemini"])
      cpSync(new URL(folder, FIXTURES), join(user.home, `.${folder}`), { recursive: true });
    const { stdout } = await user.type(["usage", "--by", by, "--since", "520w"]);
    expect(Math.max(...stdout.split("\n").map(line => line.length))).toBeLessThanOrEqual(80);
  });

  it("says so where no agent recorded anything", async () => {
    const { code, stdout } = await newUserInside().type(["usage"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^No agent recorded any use since \d{4}-\d\d-\d\d\.\n$/);
  });
});
