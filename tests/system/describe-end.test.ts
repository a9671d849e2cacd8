import { expect, it } from "vitest";
import { describeEnd } from "../../src/system/processes.ts";

it.each([
  [{ kind: "exit", code: 3 }, "ended with code 3"],
  [{ kind: "signal", signal: "SIGKILL" }, "was ended by SIGKILL"],
  [{ kind: "not-started", code: "ENOENT" }, "could not be started (ENOENT)"],
  [{ kind: "timeout" }, "gave no answer within 20 ms"],
  [{ kind: "stopped" }, "was stopped"],
  [{ kind: "overflow" }, "printed too much"],
] as const)("a program that had the end %o %s", (end, words) => {
  expect(describeEnd(end, 20)).toBe(words);
});

it("says of a limit that is not known only that it was passed", () => {
  expect(describeEnd({ kind: "timeout" })).toBe("did not end in time");
});
