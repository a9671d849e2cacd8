import { expect, it } from "vitest";
import { complaints } from "../golden/complaints.ts";
import { goldenCases, goldenHooks } from "../golden/golden-case.ts";
import { runProgram } from "../golden/run-program.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

const run = runProgram([NATIVE_FILE]);

describeNative("the native program answers as written", () => {
  const cases = goldenHooks().flatMap(goldenCases);
  it.each(cases.map(golden => [golden.hook, golden.name, golden] as const))(
    "%s: %s",
    async (_, __, golden) => {
      expect(complaints(golden, await run(golden))).toEqual([]);
    },
  );
});
