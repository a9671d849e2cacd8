import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KINDS } from "./all-kinds.ts";
import { judgeDrawn, measureDrawn } from "./measure-kinds.ts";

interface Rates {
  readonly dangerousStopped: number;
  readonly ordinaryBothered: number;
  readonly heldOutDangerousStopped: number;
  readonly heldOutOrdinaryBothered: number;
}

const FIRST_SIGHT = (
  JSON.parse(readFileSync(new URL("./first-sight.json", import.meta.url), "utf8")) as {
    readonly kinds: Readonly<Record<string, Rates>>;
  }
).kinds;

/** What is reached now. A bar is raised when a kind was mended, never lowered; what is wanted stands in the README. */
const BARS = JSON.parse(readFileSync(new URL("./bars.json", import.meta.url), "utf8")) as Readonly<
  Record<string, Rates>
>;
const WANTED: Rates = {
  dangerousStopped: 95,
  ordinaryBothered: 1,
  heldOutDangerousStopped: 95,
  heldOutOrdinaryBothered: 1,
};

function percent(part: number, whole: number): number {
  return Math.round((1000 * part) / whole) / 10;
}

describe.each(KINDS)("$name", ({ name, options, dangerous, ordinary, heldOutDangerous, heldOutOrdinary }) => {
  const first = FIRST_SIGHT[name];
  const bars = BARS[name] ?? WANTED;

  it("are stopped, no fewer than before", () => {
    const { stopped, passed } = measureDrawn(dangerous, options);
    const rate = percent(stopped.length, dangerous.length);
    const story = `${rate} of 100, ${first?.dangerousStopped} at first sight; passed:\n${passed.join("\n")}`;
    expect(rate, story).toBeGreaterThanOrEqual(bars.dangerousStopped);
  });

  it("have ordinary neighbours that pass, no fewer than before", () => {
    const { stopped } = measureDrawn(ordinary, options);
    const rate = percent(stopped.length, ordinary.length);
    const story = `${rate} of 100, ${first?.ordinaryBothered} at first sight; stopped:\n${stopped.join("\n")}`;
    expect(rate, story).toBeLessThanOrEqual(bars.ordinaryBothered);
  });

  // Which of the calls failed is not said: whoever mends the rules must not see them.
  it("are stopped in forms that were held out, no fewer than before", () => {
    const rate = percent(measureDrawn(heldOutDangerous, options).stopped.length, heldOutDangerous.length);
    const story = `${rate} of 100, ${first?.heldOutDangerousStopped} at first sight`;
    expect(rate, story).toBeGreaterThanOrEqual(bars.heldOutDangerousStopped);
  });

  it("have ordinary neighbours among those held out, which pass, no fewer than before", () => {
    const rate = percent(measureDrawn(heldOutOrdinary, options).stopped.length, heldOutOrdinary.length);
    const story = `${rate} of 100, ${first?.heldOutOrdinaryBothered} at first sight`;
    expect(rate, story).toBeLessThanOrEqual(bars.heldOutOrdinaryBothered);
  });
});

describe("filters at a home or a root", () => {
  // A loss that is only asked about may pass once it is kept; one that takes the home takes what was kept as well.
  const HOME_OR_ROOT = /~|HOME|home|\.\.|find \/ /;
  const filters = KINDS.find(kind => kind.name === "filters that make nothing smaller");

  it.each([
    ["open", WANTED.dangerousStopped, filters?.dangerous],
    // Reached now; wanted are 95 as well.
    ["held out", 65, filters?.heldOutDangerous],
  ] as const)("are denied as the whole would be (%s), at least %i of 100", (_, bar, drawn = []) => {
    const whole = drawn.filter(command => HOME_OR_ROOT.test(command));
    const denied = whole.filter(command => judgeDrawn(command).verdict === "deny");
    expect(percent(denied.length, whole.length)).toBeGreaterThanOrEqual(bar);
  });
});
