import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexText, searchPhrases } from "../../src/memory/search-words.ts";
import { anyCharacter } from "../generated-inputs.ts";

describe("phrases to search for", () => {
  it.each([
    ["fix the database timeout", ["fix", "database", "timeout"]],
    ['NEAR(a b) OR "x" -y col:z', ["near", "col"]],
    ["src/cli/parse.ts", ["src", "cli", "parse", "ts"]],
    ["Größe ändern", ["größe", "ändern"]],
    ["the and of", ["the", "and", "of"]],
    ["数据库超时", ["数 据", "据 库", "库 超", "超 时"]],
    ["API 鍵", ["api", "鍵"]],
    ["same same SAME", ["same"]],
    ["'\"*()^:-+{}[]", []],
    ["", []],
  ])("of %j are %j", (text, phrases) => {
    expect(searchPhrases(text)).toEqual(phrases);
  });

  it("hold nothing that has a meaning in a query, and are not too many", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 3_000 }), text => {
        const phrases = searchPhrases(text);
        expect(phrases.length).toBeLessThanOrEqual(40);
        for (const phrase of phrases) expect(phrase).toMatch(/^[\p{L}\p{N}\p{M} ]+$/u);
      }),
    );
  });

  it("find parts of words in scripts without blanks, because the index has their characters apart", () => {
    expect(indexText("用数据库").split(/\s+/).filter(Boolean)).toEqual(["用", "数", "据", "库"]);
    expect(indexText("plain words")).toBe("plain words");
  });
});
