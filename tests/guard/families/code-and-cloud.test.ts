import { describe, expect, it } from "vitest";
import { judge, machine, PROJECT } from "../scene.ts";
import { FAMILIES } from "./code-and-cloud.ts";
import { draw } from "./generate.ts";

const SEED = 18;
const COUNT = 130;

// Rates at first sight, before any rule was written for these forms: 611 of 1 720 dangerous ones were stopped (35.5 %),
// 13 of 1 720 ordinary ones bothered (0.8 %).
describe("families of code, clouds, remote machines, processes and Windows shells", () => {
  for (const { name, dangerous, verdict, count = COUNT } of FAMILIES) {
    it(`${name}: at least 95 of 100 dangerous forms are stopped`, () => {
      const commands = draw(SEED, dangerous, count);
      const passed = commands.filter(command => verdict(command) === "allow");
      expect(passed.length, passed.join("\n")).toBeLessThanOrEqual(commands.length * 0.05);
    });
  }

  it("at most one of 100 ordinary neighbours is bothered", () => {
    const bothered: string[] = [];
    let drawn = 0;
    for (const { ordinary, verdict, count = COUNT } of FAMILIES) {
      const commands = draw(SEED, ordinary, count);
      drawn += commands.length;
      bothered.push(...commands.filter(command => verdict(command) !== "allow"));
    }
    expect(drawn).toBeGreaterThan(1_000);
    expect(bothered.length, bothered.join("\n")).toBeLessThanOrEqual(drawn * 0.01);
  });

  it("judges a script of the manifest by what it says", () => {
    const manifest = JSON.stringify({
      scripts: {
        nuke: "rm -rf ~",
        all: "npm run clean && yarn nuke",
        clean: "rm -rf dist && tsc",
        "db:reset": "prisma migrate reset --force",
        test: "vitest run",
      },
    });
    const system = machine({ [`${PROJECT}/package.json`]: manifest });
    const verdict = (command: string) => judge(command, { system }).verdict;
    expect(["npm run nuke", "yarn nuke", "pnpm run all", "bun run nuke"].map(verdict)).toEqual(
      Array.from({ length: 4 }, () => "deny"),
    );
    expect(verdict("npm run db:reset")).toBe("ask");
    expect(["npm run clean", "npm test", "npm run missing", "yarn install"].map(verdict)).toEqual(
      Array.from({ length: 4 }, () => "allow"),
    );
  });
});
