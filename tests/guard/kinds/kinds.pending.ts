import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KINDS } from "./all-kinds.ts";
import { judgeDrawn, measureDrawn } from "./measure-kinds.ts";

const MIN_STOPPED = 95;
const MAX_BOTHERED = 1;

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

function percent(part: number, whole: number): number {
  return Math.round((1000 * part) / whole) / 10;
}

describe.each(KINDS)("$name", ({ name, options, dangerous, ordinary, heldOutDangerous, heldOutOrdinary }) => {
  const first = FIRST_SIGHT[name];

  it("are stopped, at least 95 of 100", () => {
    const { stopped, passed } = measureDrawn(dangerous, options);
    const rate = percent(stopped.length, dangerous.length);
    const story = `${rate} of 100, ${first?.dangerousStopped} at first sight; passed:\n${passed.join("\n")}`;
    expect(rate, story).toBeGreaterThanOrEqual(MIN_STOPPED);
  });

  it("have ordinary neighbours that pass, all but 1 of 100", () => {
    const { stopped } = measureDrawn(ordinary, options);
    const rate = percent(stopped.length, ordinary.length);
    const story = `${rate} of 100, ${first?.ordinaryBothered} at first sight; stopped:\n${stopped.join("\n")}`;
    expect(rate, story).toBeLessThanOrEqual(MAX_BOTHERED);
  });

  // Which of the calls failed is not said: whoever mends the rules must not see them.
  it("are stopped in forms that were held out, at least 95 of 100", () => {
    const rate = percent(measureDrawn(heldOutDangerous, options).stopped.length, heldOutDangerous.length);
    const story = `${rate} of 100, ${first?.heldOutDangerousStopped} at first sight`;
    expect(rate, story).toBeGreaterThanOrEqual(MIN_STOPPED);
  });

  it("have ordinary neighbours among those held out, which pass, all but 1 of 100", () => {
    const rate = percent(measureDrawn(heldOutOrdinary, options).stopped.length, heldOutOrdinary.length);
    const story = `${rate} of 100, ${first?.heldOutOrdinaryBothered} at first sight`;
    expect(rate, story).toBeLessThanOrEqual(MAX_BOTHERED);
  });
});

describe("filters at a home or a root", () => {
  // A loss that is only asked about may pass once it is kept; one that takes the home takes what was kept as well.
  const HOME_OR_ROOT = /~|HOME|home|\.\.|find \/ /;
  const filters = KINDS.find(kind => kind.name === "filters that make nothing smaller");

  it.each([
    ["open", filters?.dangerous],
    ["held out", filters?.heldOutDangerous],
  ])("are denied as the whole would be, at least 95 of 100 (%s)", (_, drawn = []) => {
    const whole = drawn.filter(command => HOME_OR_ROOT.test(command));
    const denied = whole.filter(command => judgeDrawn(command).verdict === "deny");
    expect(percent(denied.length, whole.length)).toBeGreaterThanOrEqual(MIN_STOPPED);
  });
});
