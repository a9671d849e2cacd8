import { describe, expect, it } from "vitest";
import type { Json } from "../../src/protocol/index.ts";
import {
  booleanAt,
  listAt,
  MemberError,
  memberAt,
  numberAt,
  objectAt,
  parseJsonObject,
  StrictMembers,
  stringAt,
  stringsAt,
} from "../../src/protocol/members.ts";

const VALUE: Json = {
  text: "a",
  other: "b",
  number: 1.5,
  yes: true,
  none: null,
  list: ["x", 1, "y"],
  inner: { deep: { er: 7 } },
};

describe("members of a payload", () => {
  it("are found by a path of own keys, or not at all", () => {
    expect(memberAt(VALUE, "inner", "deep", "er")).toBe(7);
    expect(memberAt(VALUE, "inner", "deep", "er", "more")).toBeUndefined();
    expect(memberAt(VALUE, "constructor")).toBeUndefined();
    expect(memberAt(VALUE)).toBe(VALUE);
    expect(memberAt(undefined, "a")).toBeUndefined();
  });

  it("count only with the type that is asked for", () => {
    expect(stringAt(VALUE, "number", "other", "text")).toBe("b");
    expect([numberAt(VALUE, "number"), numberAt(VALUE, "text")]).toEqual([1.5, undefined]);
    expect([booleanAt(VALUE, "yes"), booleanAt(VALUE, "none")]).toEqual([true, undefined]);
    expect([objectAt(VALUE, "inner"), objectAt(VALUE, "list")]).toEqual([{ deep: { er: 7 } }, {}]);
    expect([listAt(VALUE, "list"), listAt(VALUE, "inner")]).toEqual([["x", 1, "y"], []]);
    expect(stringsAt(VALUE, "list")).toEqual(["x", "y"]);
  });

  it("are read from text that holds one object", () => {
    expect(parseJsonObject('{"a": 1}', 2)).toEqual({ a: 1 });
    for (const text of ["", "[]", '{"a": 1,}', '{"a": {"b": {}}}'])
      expect(parseJsonObject(text, 2)).toBeUndefined();
  });
});

describe("members that must be right", () => {
  const members = new StrictMembers({ ...VALUE, count: 3, texts: ["a"] });

  it("are given with their type", () => {
    expect([members.string("text"), members.number("number"), members.count("count")]).toEqual(["a", 1.5, 3]);
    expect([members.boolean("yes"), members.oneOf("text", ["a", "b"])]).toEqual([true, "a"]);
    expect([members.list("list"), members.strings("texts")]).toEqual([["x", 1, "y"], ["a"]]);
  });

  it("may be missing or null where that is said", () => {
    expect(members.optional("none", members.string)).toBeUndefined();
    expect(members.optional("absent", members.count)).toBeUndefined();
    expect(members.optional("text", members.string)).toBe("a");
    expect(() => members.optional("text", members.count)).toThrow(MemberError);
  });

  it.each<[string, () => unknown, string]>([
    ["a string", () => members.string("number"), "number must be a string, not a number"],
    ["a number", () => members.number("absent"), "absent must be a number, not missing"],
    ["a count", () => members.count("number"), "number must be a whole number, 0 or more, not a number"],
    ["a boolean", () => members.boolean("none"), "none must be true or false, not null"],
    ["a choice", () => members.oneOf("text", ["x", "y"]), "text must be one of x, y, not a string"],
    ["a list", () => members.list("inner"), "inner must be a list, not an object"],
    ["strings", () => members.strings("list"), "list must be a list of strings, not a list"],
    ["an object", () => new StrictMembers([]), "it must be an object, not a list"],
    [
      "a part",
      () => new StrictMembers({}, "grants[]").string("code"),
      "grants[].code must be a string, not missing",
    ],
  ])("are named when they are not %s", (_, read, message) => {
    expect(read).toThrow(new MemberError(message));
  });
});
