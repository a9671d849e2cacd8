import { describe, expect, it } from "vitest";
import type { Memory } from "../../src/memory/memory.ts";
import { MAX_WEIGHED, planSearch, rankCandidates } from "../../src/memory/ranking.ts";
import { DAY_MS, draft, NOW_MS } from "./store-scene.ts";

const memory = (id: string, ageDays: number): Memory => ({
  ...draft(),
  id,
  createdMs: 0,
  updatedMs: NOW_MS - ageDays * DAY_MS,
});
const rank = (...candidates: readonly [Memory, number][]) =>
  rankCandidates(
    candidates.map(([one, weight]) => ({ memory: one, weight })),
    NOW_MS,
    10,
  );

describe("the order of what was found", () => {
  it("follows the words where age is equal", () => {
    const found = rank([memory("weak", 1), 1], [memory("strong", 1), 3]);
    expect(found.map(one => one.memory.id)).toEqual(["strong", "weak"]);
  });

  it("follows recency where the words are equal", () => {
    const found = rank([memory("old", 300), 2], [memory("new", 1), 2]);
    expect(found.map(one => one.memory.id)).toEqual(["new", "old"]);
  });

  it("lets no age outweigh words that fit much better", () => {
    const found = rank([memory("old", 3_000), 2], [memory("new", 0), 1]);
    expect(found.map(one => one.memory.id)).toEqual(["old", "new"]);
  });

  it("gives the best match of now a relevance of 1, however small its weight", () => {
    expect(rank([memory("only", 0), 1e-6])[0]?.relevance).toBe(1);
  });

  it("takes a date in the future for now", () => {
    expect(rank([memory("ahead", -10), 5])[0]?.relevance).toBe(1);
  });

  it("is the same whatever the order of equals", () => {
    const [one, other] = [memory("a", 5), memory("b", 5)];
    expect(rank([one, 1], [other, 1])).toEqual(rank([other, 1], [one, 1]));
  });

  it("ends at the limit, and is empty for nothing", () => {
    const many = Array.from({ length: 20 }, (_, index) => ({
      memory: memory(`m${index}`, index),
      weight: 1,
    }));
    expect(rankCandidates(many, NOW_MS, 3)).toHaveLength(3);
    expect(rankCandidates([], NOW_MS, 3)).toEqual([]);
  });
});

describe("the plan of a search", () => {
  const plan = (...matches: readonly number[]) =>
    planSearch(matches.map((count, index) => ({ phrase: `p${index}`, matches: count })));

  it("is one try for all words, rarest first, when they can be weighed together", () => {
    expect(plan(7, 5, 0)).toEqual([{ phrases: ["p1", "p0"], isWeighed: true }]);
  });

  it("leaves common words for later, each by itself", () => {
    expect(plan(MAX_WEIGHED + 1, 10, MAX_WEIGHED, 20)).toEqual([
      { phrases: ["p1", "p3"], isWeighed: true },
      { phrases: ["p2"], isWeighed: true },
      { phrases: ["p0"], isWeighed: false },
    ]);
  });

  it("is nothing for words that do not occur", () => {
    expect(plan(0, 0)).toEqual([]);
    expect(plan()).toEqual([]);
  });

  it("takes the newest when every word is everywhere", () => {
    expect(plan(MAX_WEIGHED + 1)).toEqual([{ phrases: ["p0"], isWeighed: false }]);
  });
});
