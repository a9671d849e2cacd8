import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexText, isOneLetterOff, readQuery, stem } from "../../src/memory/search-words.ts";
import { anyCharacter } from "../generated-inputs.ts";

describe("phrases to search for", () => {
  it.each([
    ["fix the database timeout", ["fix", "databas", "timeout"]],
    ["PaymentClient retries", ["paymentcli", "payment", "client", "retri"]],
    [
      "PAYMENT_SANDBOX of parseHTTPBody2Json",
      ["payment", "sandbox", "parsehttpbody2json", "pars", "http", "body2", "json"],
    ],
    ['NEAR(a b) OR "x" -y col:z', ["near", "col"]],
    ["src/cli/parse.ts", ["src", "cli", "pars", "ts"]],
    ["Größe ändern", ["größe", "ändern"]],
    ["the and of", ["the", "and", "of"]],
    ["数据库超时", ["数 据", "据 库", "库 超", "超 时"]],
    ["API 鍵", ["api", "鍵"]],
    ["same same SAME", ["same"]],
    ["'\"*()^:-+{}[]", []],
    ["", []],
  ])("of %j are %j", (text, phrases) => {
    expect(readQuery(text).any).toEqual(phrases);
  });

  it("must all occur where they stand in quotation marks", () => {
    expect(readQuery('how "rollout undo" works, "" and "Ended').all).toEqual(["rollout undo"]);
  });

  it("hold nothing that has a meaning in a query, and are not too many", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 3_000 }), text => {
        const { any, all } = readQuery(text);
        expect(any.length).toBeLessThanOrEqual(40);
        for (const phrase of [...any, ...all]) expect(phrase).toMatch(/^[\p{L}\p{N}\p{M} ]+$/u);
      }),
    );
  });

  it("find parts of words in scripts without blanks, because the index has their characters apart", () => {
    expect(indexText("用数据库").split(/\s+/).filter(Boolean)).toEqual(["用", "数", "据", "库"]);
    expect(indexText("plain words")).toBe("plain word");
  });
});

describe("a word with one wrong letter", () => {
  it.each([
    ["payment", "paymnt", true],
    ["payment", "paayment", true],
    ["payment", "paymant", true],
    ["payment", "paymetn", true],
    ["payment", "xayment", true],
    ["payment", "apyment", true],
    ["payment", "payment", false],
    ["payment", "paymxxt", false],
    ["payment", "pay", false],
    ["ab", "ba", true],
  ])("%s and %s: %j", (one, other, expected) => {
    expect([isOneLetterOff(one, other), isOneLetterOff(other, one)]).toEqual([expected, expected]);
  });
});

describe("a word without its endings", () => {
  it.each([
    ["refund", ["refunds", "refunded", "refunding"]],
    ["rotat", ["rotate", "rotated", "rotating", "rotation"]],
    ["pars", ["parse", "parses", "parsed", "parsing"]],
    ["hop", ["hopping", "hopped", "hops"]],
    ["agre", ["agreed", "agrees", "agree"]],
    ["polici", ["policy", "policies"]],
    ["relat", ["relational", "relation", "relate"]],
    ["sky", ["sky"]],
    ["größen", ["größen"]],
  ])("%s stands for %j", (expected, words) => {
    expect(words.map(stem)).toEqual(words.map(() => expected));
  });
});
