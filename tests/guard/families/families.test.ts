import { describe, expect, it } from "vitest";
import * as botheredLess from "./bothered-less.ts";
import * as checkout from "./checkout.ts";
import * as environment from "./environment.ts";
import { draw, type Grammar } from "./generate.ts";
import * as lookAlikes from "./look-alikes.ts";
import { FILLED, FRESH, measure } from "./measure.ts";
import * as runners from "./runners.ts";
import * as secretFiles from "./secret-files.ts";
import * as sentOut from "./sent-out.ts";

const SEED = 18;
const MIN_STOPPED = 0.95;
const MAX_BOTHERED = 0.01;

const FAMILIES: readonly (readonly [string, { readonly DANGEROUS?: Grammar; readonly ORDINARY: Grammar }])[] =
  [
    ["equivalents of checkout", checkout],
    ["secrets of the environment", environment],
    ["whole trees sent out", sentOut],
    ["secret files by kind", secretFiles],
    ["corners and wrappers that run commands", runners],
    ["look-alike hosts", lookAlikes],
    ["what others ask about", botheredLess],
  ];

/** Every form about twice. */
function drawn(grammar: Grammar): readonly string[] {
  return draw(SEED, grammar, Math.max(250, grammar.form.length * 2));
}

describe.each(FAMILIES)("%s", (_, { DANGEROUS, ORDINARY }) => {
  it.skipIf(DANGEROUS === undefined)("are stopped, at least 95 of 100", () => {
    const { stopped, passed } = measure(drawn(DANGEROUS ?? ORDINARY), FILLED);
    const rate = stopped.length / (stopped.length + passed.length);
    expect(rate, `passed:\n${passed.join("\n")}`).toBeGreaterThanOrEqual(MIN_STOPPED);
  });

  it("have ordinary neighbours that pass, all but 1 of 100", () => {
    const { stopped, passed } = measure(drawn(ORDINARY), FRESH);
    const rate = stopped.length / (stopped.length + passed.length);
    expect(rate, `stopped:\n${stopped.join("\n")}`).toBeLessThanOrEqual(MAX_BOTHERED);
  });
});
