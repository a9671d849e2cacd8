import { describe, expect, it } from "vitest";
import { draw } from "./generate.ts";

const GRAMMAR = {
  form: ["cp «file» «file».bak", "mv «file» «file 2»", "rm «flags»"],
  file: "a b c d",
  flags: ["-r «file»", "-f «file»"],
};

describe("commands drawn from a grammar", () => {
  it("are the same for the same seed and different for another", () => {
    expect(draw(1, GRAMMAR, 12)).toEqual(draw(1, GRAMMAR, 12));
    expect(draw(1, GRAMMAR, 12)).not.toEqual(draw(2, GRAMMAR, 12));
  });

  it("are all different, and every form comes up", () => {
    const commands = draw(3, GRAMMAR, 15);
    expect(new Set(commands).size).toBe(15);
    expect(new Set(commands.map(command => command.slice(0, 2)))).toEqual(new Set(["cp", "mv", "rm"]));
  });

  it("repeat a part's choice within one command", () => {
    for (const command of draw(4, GRAMMAR, 12).filter(each => each.startsWith("cp")))
      expect(command).toMatch(/^cp (\w) \1\.bak$/);
  });

  it("name what is missing", () => {
    expect(() => draw(1, { form: ["«nothing»"] }, 1)).toThrow("no part «nothing»");
    expect(() => draw(1, GRAMMAR, 1000)).toThrow("different commands, 1000 were asked for");
  });
});
