import { describe, expect, it } from "vitest";
import {
  extractRequest,
  isSubstantial,
  renderRequestFile,
  summariseRequest,
} from "../../src/hooks/stock/original-request.ts";

const request = (prompt: string) => extractRequest(prompt, "s1", "2026-01-02T03:04:05");

describe("a substantial request", () => {
  it("is longer than twenty characters", () => {
    expect(isSubstantial("x".repeat(21))).toBe(true);
    expect(isSubstantial("x".repeat(20))).toBe(false);
    expect(isSubstantial("😀".repeat(20))).toBe(false);
  });

  it("or asks for work with a whole word", () => {
    for (const text of ["fix it", "Build x", "do ALL", "each one"]) expect(isSubstantial(text)).toBe(true);
    for (const text of ["a small one", "my address", "hello", "prefix"])
      expect(isSubstantial(text)).toBe(false);
  });
});

describe("the target", () => {
  it("is what the prompt labels so", () => {
    expect(request("Hello there.\n**Target**: the parser\nmore").target).toBe("the parser");
    expect(request("**Target:** the lexer").target).toBe("the lexer");
  });

  it("else one of the first three sentences that asks for work", () => {
    expect(request("Good morning to you. Please add a cache layer! Thanks").target).toBe(
      "Please add a cache layer",
    );
    expect(request("My address has changed now. Nothing more").target).toBe("My address has changed now");
  });

  it("else the first sentence over ten characters, else a label", () => {
    expect(request("Hm. Something about logs.").target).toBe("Something about logs");
    expect(request("hi").target).toBe("General development task");
  });
});

describe("a label in the middle of a line", () => {
  it("is heard", () => {
    const request = extractRequest("Hello there. **Target**: the parser\nThanks", "s", "t");
    expect(request.target).toBe("the parser");
    expect(request.requirements).toContain("TARGET: the parser");
  });
});

describe("the requirements", () => {
  it("are labelled lines, sentences about everything, and bullets, without duplicates", () => {
    const prompt = [
      "**Problem**: it is slow",
      "Update every file in the tree. A small thing.",
      "- keep the tests",
      "- keep the tests",
      "• tiny",
      "* handle errors",
    ].join("\n");
    expect(request(prompt).requirements).toEqual([
      "PROBLEM: it is slow",
      "Update every file in the tree",
      "keep the tests",
      "handle errors",
    ]);
  });

  it("are ten at most", () => {
    const prompt = Array.from({ length: 15 }, (_, index) => `- requirement ${index}`).join("\n");
    expect(request(prompt).requirements).toHaveLength(10);
  });
});

describe("constraints and success criteria", () => {
  it("are found by label and by word", () => {
    expect(request("**Constraints**: no network\nYou must not touch main. Go on").constraints).toEqual([
      "no network",
      "You must not touch main",
    ]);
  });

  it("take the part after the colon when it says something", () => {
    const found = request(
      "Acceptance criteria: all tests green\nGoal: x\nThe outcome is good\nDesired outcome: faster builds",
    );
    expect(found.success_criteria).toEqual(["all tests green", "faster builds"]);
  });

  it("are five at most", () => {
    const prompt = Array.from(
      { length: 9 },
      (_, index) => `You cannot do thing ${index}.\nGoal: number ${index} works`,
    ).join("\n");
    expect(request(prompt).constraints).toHaveLength(5);
    expect(request(prompt).success_criteria).toHaveLength(5);
  });
});

describe("the record", () => {
  it("counts words and characters and keeps the prompt as it was", () => {
    expect(request(" two  words 😀 ")).toMatchObject({
      word_count: 3,
      char_count: 14,
      raw_prompt: " two  words 😀 ",
      session_id: "s1",
    });
  });

  it("is told to the model as requirements that must stay", () => {
    const text = summariseRequest(request("**Target**: the parser\n- keep all names"));
    expect(text).toContain("must not be optimised away");
    expect(text).toContain("**Target**: the parser");
    expect(text).toContain("- keep all names");
    expect(text).not.toContain("Constraints");
  });

  it("is written with the user's own words", () => {
    expect(renderRequestFile(request("line one\n\nline two"))).toContain("> line one\n>\n> line two");
  });
});
