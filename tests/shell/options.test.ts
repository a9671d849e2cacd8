import { describe, expect, it } from "vitest";
import { type OptionGrammar, parseOptions } from "../../src/shell/options.ts";
import { text, unknown, type Value } from "../../src/shell/value.ts";
import { spell } from "./reading.ts";

const RM: OptionGrammar = {
  flags: "-vI r|R|recursive f|force d|dir verbose one-file-system no-preserve-root preserve-root",
  values: "t|target-directory",
  optional: "i interactive",
};

function parse(words: readonly (string | Value)[], spec: OptionGrammar = RM) {
  const parsed = parseOptions(
    ["rm", ...words].map(word => (typeof word === "string" ? text(word) : word)),
    spec,
  );
  return {
    options: parsed.options.map(({ name, value }) =>
      value === undefined ? name : `${name}=${spell(value)}`,
    ),
    operands: parsed.operands.map(({ value }) => spell(value)),
    parsed,
  };
}

describe("options", () => {
  it.each([
    [["-rf", "a"], ["r", "f"], ["a"]],
    [
      ["-r", "-f", "a", "b"],
      ["r", "f"],
      ["a", "b"],
    ],
    [["a", "-rf"], ["r", "f"], ["a"]],
    [["--recursive", "--force", "a"], ["r", "f"], ["a"]],
    [["--rec", "--fo", "a"], ["r", "f"], ["a"]],
    [["--re", "a"], ["r"], ["a"]],
    [["--", "-rf", "a"], [], ["-rf", "a"]],
    [["a", "--", "-rf"], [], ["a", "-rf"]],
    [["-t", "d", "a"], ["t=d"], ["a"]],
    [["-td", "a"], ["t=d"], ["a"]],
    [["-rtd", "a"], ["r", "t=d"], ["a"]],
    [["-rt", "d", "a"], ["r", "t=d"], ["a"]],
    [["--target-directory=d", "a"], ["t=d"], ["a"]],
    [["--target-directory", "d", "a"], ["t=d"], ["a"]],
    [["--targ", "d", "a"], ["t=d"], ["a"]],
    [["-i", "a"], ["i"], ["a"]],
    [["-ix", "a"], ["i=x"], ["a"]],
    [["--interactive=never", "a"], ["interactive=never"], ["a"]],
    [["-", "a"], [], ["-", "a"]],
    [["-z", "--zzz", "a"], ["z", "zzz"], ["a"]],
    [["--constructor", "-r", "--__proto__=x"], ["constructor", "r", "__proto__=x"], []],
    [["-t"], ["t"], []],
    [[""], [], [""]],
  ])("%j", (words, options, operands) => {
    expect(parse(words)).toMatchObject({ options, operands });
  });

  it("stay unread when an abbreviation is ambiguous or not allowed", () => {
    expect(parse(["--pre", "--no"]).options).toEqual(["preserve-root", "no-preserve-root"]);
    expect(parse(["--f"], { flags: "force format" }).options).toEqual(["f"]);
    expect(parse(["--rec"], { ...RM, abbreviates: false }).options).toEqual(["rec"]);
  });

  it("end at the first operand where the program reads that way", () => {
    const spec: OptionGrammar = { flags: "a", values: "n", stopsAtOperand: true };
    expect(parse(["-a", "-n", "5", "cmd", "-a", "--", "x"], spec)).toMatchObject({
      options: ["a", "n=5"],
      operands: ["cmd", "-a", "--", "x"],
    });
  });

  it("have long names with one dash in some programs", () => {
    const spec: OptionGrammar = { values: "name out", flags: "delete", isSingleDash: true };
    expect(parse([".", "-name", "x", "-delete", "-out=y"], spec)).toMatchObject({
      options: ["name=x", "delete", "out=y"],
      operands: ["."],
    });
  });

  it("take digits where the program does", () => {
    const spec: OptionGrammar = { flags: "n a", values: "e", digits: "l 0" };
    expect(parse(["-l012ne", "code", "-lane", "more"], spec).options).toEqual([
      "l=012",
      "n",
      "e=code",
      "l",
      "a",
      "n",
      "e=more",
    ]);
  });

  it("can be told that unknown ones have values", () => {
    expect(parse(["--x", "y", "--z", "--w", "v"], { unknownTakesValue: true })).toMatchObject({
      options: ["x=y", "z", "w=v"],
      operands: [],
    });
  });

  it("keep unknown parts of values and notice words that may be options", () => {
    const x = unknown("any", "$X");
    const dashed: Value = { pieces: [{ kind: "text", text: "-t" }, ...x.pieces], origins: [] };
    const long: Value = { pieces: [{ kind: "text", text: "--target-directory=" }, ...x.pieces], origins: [] };
    expect(parse([dashed, long]).options).toEqual(["t={$X}", "t={$X}"]);
    expect(parse([x]).parsed.hasUnknownOption).toBe(true);
    expect(parse([unknown("token", "$$")]).parsed.hasUnknownOption).toBe(false);
    expect(parse(["--", x]).parsed.hasUnknownOption).toBe(false);
  });

  it("can be asked by canonical name", () => {
    const { parsed } = parse(["-R", "-t", "a", "-t", "b"]);
    expect(parsed.has("r")).toBe(true);
    expect(parsed.has("f", "d")).toBe(false);
    expect(spell(parsed.valueOf("t"))).toBe("b");
    expect(parsed.valuesOf("t").map(spell)).toEqual(["a", "b"]);
    expect(parsed.options.map(({ index }) => index)).toEqual([1, 2, 4]);
  });

  it("of Go programs may have an equals sign behind a letter, those of others keep it in the value", () => {
    const spec: OptionGrammar = { flags: "i", values: "n" };
    expect(parse(["-n=prod", "-in=x"], { ...spec, shortEquals: true }).options).toEqual([
      "n=prod",
      "i",
      "n=x",
    ]);
    expect(parse(["-n=prod"], spec).options).toEqual(["n==prod"]);
  });
});
