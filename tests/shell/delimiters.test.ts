import { describe, expect, it } from "vitest";
import { checkDelimiters } from "../../src/shell/syntax/delimiters.ts";
import { ADVERSARIAL, ORDINARY } from "./corpus.ts";
import { calls, read } from "./reading.ts";

describe("the second look at what is open", () => {
  it("finds nothing open in commands that bash takes", () => {
    expect([...ORDINARY, ...ADVERSARIAL].filter(command => !checkDelimiters(command).isClosed)).toEqual([]);
  });

  it.each([
    "echo 'a",
    'echo "a',
    "echo $(a",
    "echo `a",
    "echo ${a",
    'echo "$(a"',
    "echo $(a 'b)",
    "a <(b",
    "$'a\\'",
  ])("sees that %s is open", command => {
    expect(checkDelimiters(command).isClosed).toBe(false);
  });

  it.each([
    ["echo case", [5]],
    ["case x in case) a;; esac", [10]],
    ["echo $(echo case) case", [12, 18]],
    ["if case x in x) :;; esac; then a case; fi", [33]],
    ["a 'case' \"case\" lowercase case-x caseless $case", []],
    ["for case in a; do b; done", []],
    ["a <<E\n$(b case) case\nE\nc case", [10, 25]],
    ["a <<'E'\n$(b case)\nE\nc case", [22]],
    ["echo # case\ncase x in x) ;; esac", []],
  ])("tells where case is an argument in %j", (command, expected) => {
    expect(checkDelimiters(command).caseArguments).toEqual(expected);
  });

  it("keeps a text that only the parser takes for unfinished", () => {
    for (const command of ["rm -rf / $(echo case)", 'rm -rf / "$(echo case)"', "rm -rf / <(echo case in)"]) {
      expect(calls(command, "rm")).toHaveLength(1);
      expect(read(command).unexamined).toEqual([]);
    }
  });
});
