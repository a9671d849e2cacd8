import { describe, expect, it } from "vitest";
import type { Memory } from "../../src/memory/memory.ts";
import { choosePhrases, MOST_WEIGHED, rankCandidates } from "../../src/memory/ranking.ts";
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

describe("the phrases worth weighing", () => {
  const choose = (...matches: readonly number[]) =>
    choosePhrases(matches.map((count, index) => ({ phrase: `p${index}`, matches: count })));

  it("are the rarest, up to what can be weighed", () => {
    expect(choose(MOST_WEIGHED, 10, 20)).toEqual(["p1", "p2"]);
    expect(choose(5, 7)).toEqual(["p0", "p1"]);
  });

  it("are those that occur at all", () => {
    expect(choose(0, 3, 0)).toEqual(["p1"]);
    expect(choose(0, 0)).toEqual([]);
  });

  it("are the rarest alone when even that is everywhere", () => {
    expect(choose(MOST_WEIGHED + 1, MOST_WEIGHED + 1)).toEqual(["p0"]);
  });
});
