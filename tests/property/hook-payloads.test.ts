import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STOCK_SUBCOMMANDS } from "../../src/hosts/subcommands.ts";
import { callProgram } from "../hooks/call-program.ts";
import { payloads } from "./payloads.ts";

const RUNS = Number(process.env["AMPLIHACK_PROPERTY_RUNS"] ?? 10_000);
const STDOUT_LIMIT = 700_000;
const policy = fc.constantFrom("open", "ask", "closed");

describe.each(STOCK_SUBCOMMANDS.map(one => one.name))("%s, given anything", name => {
  it("answers with exit 0 or 2, at most one JSON object, and one telemetry line", async () => {
    await fc.assert(
      fc.asyncProperty(payloads, policy, async (stdin, failure) => {
        const env = { HOME: "/home/user", AMPLIHACK_FAILURE_POLICY: failure };
        const { code, stdout, stderr, telemetry } = await callProgram([name], { stdin, env });
        expect([0, 2]).toContain(code);
        expect(stdout.length).toBeLessThan(STDOUT_LIMIT);
        if (stdout !== "") expect(JSON.parse(stdout)).toBeTypeOf("object");
        expect(stdout.trimEnd()).not.toContain("\n");
        expect(stdout).not.toMatch(/\n\s+at /);
        expect(Object.keys(telemetry).slice(0, 3)).toEqual(["hook", "duration_us", "result"]);
        expect(stderr.match(/^\{"hook":/gm)).toHaveLength(1);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("the prototype of objects", () => {
  it("is as it was after all of this", () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
