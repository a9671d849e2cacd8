import { describe, expect, it } from "vitest";
import {
  baseName,
  blend,
  concatenate,
  couldBe,
  directoryName,
  dropKnown,
  isAbsolute,
  joinPath,
  knownPrefix,
  knownText,
  mayBeAbsolute,
  normalisePath,
  text,
  unknown,
  type Value,
} from "../../src/shell/value.ts";
import { globPieces } from "../../src/shell/words/fragments.ts";
import { spell } from "./reading.ts";

const any = unknown("any", "$X");
const token = unknown("token", "$$");
const pattern = (content: string): Value => ({ pieces: globPieces(content), origins: [] });

describe("values", () => {
  it("join texts and keep what is unknown", () => {
    expect(concatenate([text("a"), text("b")]).pieces).toEqual([{ kind: "text", text: "ab" }]);
    expect(spell(concatenate([text("a"), any, text("b")]))).toBe("a{$X}b");
    expect(knownText(concatenate([text("a"), any]))).toBeUndefined();
    expect(knownPrefix(concatenate([text("a"), any, text("b")]))).toBe("a");
    expect(spell(dropKnown(concatenate([text("--x="), any]), 4))).toBe("{$X}");
  });

  it("unite origins once", () => {
    const one = text("a", [{ kind: "network", invocation: 1 }]);
    expect(concatenate([one, one, text("b", [{ kind: "input" }])]).origins).toEqual([
      { kind: "network", invocation: 1 },
      { kind: "input" },
    ]);
  });

  it("end as an unknown when they grow without bound", () => {
    const long = text("a".repeat(200_000));
    expect(concatenate([long, long]).pieces).toMatchObject([{ kind: "unknown", shape: "any" }]);
  });

  it("blend to the narrowest shape that holds for all", () => {
    const shape = (values: readonly Value[]) => blend(values, "x").pieces;
    expect(shape([text("a"), text("b2")])).toMatchObject([{ shape: "token" }]);
    expect(shape([text("a"), text("/b")])).toMatchObject([{ shape: "nonempty" }]);
    expect(shape([text("a"), text("")])).toMatchObject([{ shape: "any" }]);
  });
});

describe("paths", () => {
  it.each([
    ["/a/b", "c", "/a/b/c"],
    ["/a/b", "../c", "/a/c"],
    ["/a/b", "/c/./d//e/", "/c/d/e"],
    ["/a/b", "../../../..", "/"],
    ["/a/b", ".", "/a/b"],
    ["/a/b", "", "/a/b"],
    ["/", "x", "/x"],
  ])("%s + %s", (directory, path, expected) => {
    expect(spell(joinPath(text(directory), text(path)))).toBe(expected);
  });

  it("go up through patterns and tokens, but not through the unknown", () => {
    expect(spell(joinPath(text("/a"), concatenate([pattern("*"), text("/../b")])))).toBe("/a/b");
    expect(spell(joinPath(text("/a"), concatenate([token, text("/../b")])))).toBe("/a/b");
    expect(spell(joinPath(text("/a"), concatenate([text("b"), any, text("/../c")])))).toBe("/a/b{$X}/../c");
    expect(spell(joinPath(text("/a"), any))).toBe("{$X}");
    expect(mayBeAbsolute(any)).toBe(true);
    expect(mayBeAbsolute(token)).toBe(false);
    expect(isAbsolute(concatenate([text("/"), any]))).toBe(true);
  });

  it("stay relative when they are", () => {
    expect(spell(normalisePath(text("../a/../b")))).toBe("../b");
  });

  it.each([
    ["/a/b/", "b", "/a"],
    ["a", "a", "."],
    ["/a", "a", "/"],
    ["/", "", "/"],
    ["a//b", "b", "a"],
  ])("%s has a base and a directory", (path, base, directory) => {
    expect(baseName(path)).toBe(base);
    expect(directoryName(path)).toBe(directory);
  });
});

describe("could a value be this text", () => {
  it.each([
    ["/bin/r?", "/bin/rm", true],
    ["/bin/r?", "/bin/r", false],
    ["/???/rm", "/bin/rm", true],
    ["/*", "/etc", true],
    ["/*", "/etc/x", false],
    ["*", ".env", false],
    [".*", ".env", true],
    [".e*", ".env", true],
    ["a/*", "a/.b", false],
    ["[a-c]x", "bx", true],
    ["[!a]x", "ax", false],
    ["**", "a/b", true],
    ["*.key", "id.key", true],
  ])("%s ~ %s", (written, subject, expected) => {
    expect(couldBe(pattern(written), subject)).toBe(expected);
  });

  it("respects the shape of unknowns", () => {
    const at = (value: Value, subject: string) => couldBe(concatenate([value, text("/x")]), subject);
    expect(at(any, "/x")).toBe(true);
    expect(at(any, "/a/b/x")).toBe(true);
    expect(at(unknown("nonempty", "$X"), "/x")).toBe(false);
    expect(at(token, "a/x")).toBe(true);
    expect(at(token, "a/b/x")).toBe(false);
    expect(at(token, "../x")).toBe(false);
    expect(couldBe(text("a"), "a")).toBe(true);
    expect(couldBe(text("a"), "ab")).toBe(false);
  });
});
