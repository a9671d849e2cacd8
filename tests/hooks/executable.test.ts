import { copyFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STOCK_SUBCOMMANDS } from "../../src/hosts/subcommands.ts";
import { runs } from "../generated-inputs.ts";
import { payloads } from "../property/payloads.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { inParallel, NODE_PROGRAM, runProgram } from "./executable.ts";
import { keepsContract, place } from "./executable-contract.ts";

// tests/property gives many more to the same hooks on the machine in memory.
const CALLS = runs(12, 200);

describe("the executable on Node", () => {
  // Node cannot hear a signal while it waits in a read.
  keepsContract({ argv: NODE_PROGRAM, hearsSignals: false, maxMebibytes: 140 });

  it.each(STOCK_SUBCOMMANDS.map(one => one.name))(
    `keeps %s to its contract on ${CALLS} generated payloads`,
    async subcommand => {
      const where = place();
      const inputs = fc.sample(payloads, CALLS);
      const results = await inParallel(
        4,
        inputs.map(input => () => runProgram(NODE_PROGRAM, [subcommand], { ...where, input })),
      );
      for (const { code, stdout, stderr } of results) {
        expect([0, 2]).toContain(code);
        if (stdout !== "") expect(JSON.parse(stdout)).toBeTypeOf("object");
        expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "")).toHaveProperty("duration_us");
      }
    },
    CALLS * 10_000,
  );

  it("answers even when a hook cannot be loaded", async () => {
    const [node = "", program = ""] = NODE_PROGRAM;
    const broken = join(temporaryDirectory(), "amplihack-hooks.cjs");
    copyFileSync(program, broken);
    const { code, stdout, stderr } = await runProgram([node, broken], ["stop"], { ...place(), input: "{}" });
    expect([code, stdout]).toEqual([0, "{}\n"]);
    expect(stderr).toContain("could not be loaded");
  });
});
