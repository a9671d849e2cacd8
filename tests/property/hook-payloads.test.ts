import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STOCK_SUBCOMMANDS } from "../../src/hosts/subcommands.ts";
import { copyMachine, createMemorySystem } from "../../src/system/memory.ts";
import { runs } from "../generated-inputs.ts";
import { type Called, callProgram } from "../hooks/call-program.ts";
import { payloads } from "./payloads.ts";

const STDOUT_LIMIT = 700_000;
/** As every run finds it; copied, because making one takes longer. */
const { machine } = createMemorySystem();
const policy = fc.constantFrom("open", "ask", "closed");

/** What an answer breaks of the contract; checked by hand, because 80 000 runs of `expect` take longer than the hooks. */
function faultsOf({ code, stdout, stderr, telemetry }: Called): readonly string[] {
  const found: string[] = [];
  if (code !== 0 && code !== 2) found.push(`exit code ${code}`);
  if (stdout.length >= STDOUT_LIMIT) found.push(`${stdout.length} characters on stdout`);
  if (stdout !== "" && typeof JSON.parse(stdout) !== "object") found.push(`stdout is no object: ${stdout}`);
  if (stdout.trimEnd().includes("\n")) found.push(`stdout is more than one line: ${stdout}`);
  if (Object.keys(telemetry).slice(0, 3).join() !== "hook,duration_us,result")
    found.push(`telemetry is ${JSON.stringify(telemetry)}`);
  if (stderr.match(/^\{"hook":/gm)?.length !== 1) found.push(`not one telemetry line: ${stderr}`);
  return found;
}

describe.each(STOCK_SUBCOMMANDS.map(one => one.name))("%s, given anything", name => {
  it(
    "answers with exit 0 or 2, at most one JSON object, and one telemetry line",
    async () => {
      await fc.assert(
        fc.asyncProperty(payloads, policy, async (stdin, failure) => {
          const env = { HOME: "/home/user", AMPLIHACK_FAILURE_POLICY: failure };
          const found = faultsOf(await callProgram([name], { stdin, env, machine: copyMachine(machine) }));
          if (found.length > 0) throw new Error(found.join("\n"));
        }),
        { numRuns: runs(400, 100_000) },
      );
    },
    runs(300_000, 3_000_000),
  );
});

describe("the prototype of objects", () => {
  it("is as it was after all of this", () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
