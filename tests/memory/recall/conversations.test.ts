import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Memory } from "../../../src/memory/memory.ts";
import { periodIn, rankInContext } from "../../../src/memory/note-context.ts";
import { rankByWords, rankCandidates } from "../../../src/memory/ranking.ts";
import { readQuery } from "../../../src/memory/search-words.ts";
import { openStore } from "../../../src/memory/sqlite-store.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import { readConversations } from "../../bench/locomo.mjs";
import { temporaryDirectory } from "../../temporary-directory.ts";

const NOW = Date.UTC(2026, 4, 20, 12);

/** Shares of questions whose evidence is among the first five: by words alone, and with what surrounds a note. */
async function shares(name: string) {
  const text = readFileSync(new URL(`./conversation-${name}.json`, import.meta.url), "utf8");
  const [conversation] = readConversations(text);
  if (conversation === undefined) throw new Error("no conversation");
  const { turns, questions } = conversation;
  const store = await openStore(createNodeSystem(), join(temporaryDirectory(), "memory.db"));
  const notes = turns.map((turn, index) =>
    note(turn.id, `${turn.speaker}, ${turn.date}: ${turn.text}`, index, turn.session),
  );
  await store.take("general", notes, false);
  const filter = { projects: ["/p"] };
  const found = { words: 0, context: 0 };
  for (const { question, evidence } of questions) {
    const plain = rankCandidates(await store.search(readQuery(question), filter, 100), NOW, 5);
    const ranked = await rankByWords(store, question, filter, { limit: 5, nowMs: NOW });
    if (plain.some(({ memory }) => evidence.has(memory.key))) found.words++;
    if (ranked.some(({ memory }) => evidence.has(memory.key))) found.context++;
  }
  store.close();
  return { words: found.words / questions.length, context: found.context / questions.length };
}

function note(id: string, value: string, at: number, session = "s"): Memory {
  const times = { createdMs: NOW - 1_000_000 + at * 1000, updatedMs: NOW };
  return {
    id,
    project: "/p",
    agent: "general",
    session,
    key: id,
    value,
    type: "text",
    category: "conversation",
    ...times,
  };
}

describe("recall of conversations", () => {
  // The weights were chosen on the first; the second was looked at once, afterwards.
  it.each([
    ["first", 0.85],
    ["held-out", 0.84],
  ])("finds the evidence of more questions by what surrounds a note: %s", async (name, least) => {
    const { words, context } = await shares(name);
    expect(context).toBeGreaterThanOrEqual(least);
    expect(context).toBeGreaterThan(words + 0.1);
  });
});

describe("what surrounds a note", () => {
  const order = (question: string, notes: readonly Memory[], scores: Readonly<Record<string, number>>) =>
    rankInContext(
      question,
      notes.flatMap(memory => {
        const relevance = scores[memory.id];
        return relevance === undefined ? [] : [{ memory, relevance }];
      }),
      [notes],
      { limit: 3, nowMs: NOW },
    ).map(({ memory }) => memory.id);

  it("is the question before it, which it answers without any word of the one that is asked", () => {
    const notes = [
      note("q", "What is the bakery called?", 0),
      note("a", "The Crooked Loaf.", 1),
      note("x", "So?", 2),
    ];
    expect(order("name of the bakery", notes, { q: 1 })).toEqual(["a", "q", "x"]);
  });

  it("is who said it", () => {
    const notes = [note("l", "Leo: I run on Mondays.", 0), note("p", "Priya, 3 May: I run on Fridays.", 9)];
    expect(order("which day does Priya run", notes, { l: 1, p: 0.9 })[0]).toBe("p");
    expect(order("which day does Leo run", notes, { l: 0.9, p: 1 })[0]).toBe("l");
  });

  it("is a time or a number, where one is asked for", () => {
    const notes = [
      note("n", "We moved, what a mess.", 0),
      note("t", "We moved last week.", 9),
      note("c", "We moved twelve boxes.", 18),
    ];
    expect(order("When did you move?", notes, { n: 1, t: 0.9, c: 0.9 })[0]).toBe("t");
    expect(order("How many boxes did you move?", notes, { n: 1, t: 0.9, c: 0.9 })[0]).toBe("c");
    expect(order("Did you move?", notes, { n: 1, t: 0.9, c: 0.9 })[0]).toBe("n");
  });

  it("is when it was made", () => {
    const may = { ...note("may", "Tabs in place of blanks.", 0), createdMs: Date.UTC(2025, 4, 9) };
    const june = { ...note("june", "Blanks in place of tabs.", 1), createdMs: Date.UTC(2025, 5, 9) };
    expect(order("what did we decide about tabs last May", [may, june], { may: 0.8, june: 1 })[0]).toBe(
      "may",
    );
  });
});

describe("a time in words", () => {
  const day = (text: string) => {
    const period = periodIn(text, NOW);
    return period?.map(ms => new Date(ms).toISOString().slice(0, 10)).join(" ");
  };
  it.each([
    ["today", "2026-05-20 2026-05-21"],
    ["what was yesterday?", "2026-05-19 2026-05-20"],
    ["this week", "2026-05-18 2026-05-25"],
    ["last week", "2026-05-11 2026-05-18"],
    ["last month", "2026-04-01 2026-05-01"],
    ["last year", "2025-01-01 2026-01-01"],
    ["last May", "2025-05-01 2025-06-01"],
    ["this May", "2026-05-01 2026-06-01"],
    ["in April", "2026-04-01 2026-05-01"],
    ["last December", "2025-12-01 2026-01-01"],
    ["in Sept 2023", "2023-09-01 2023-10-01"],
    ["in 2024", "2024-01-01 2025-01-01"],
    ["maybe the last marcher", undefined],
    ["fix the build", undefined],
  ])("%j is %j", (text, expected) => expect(day(text)).toBe(expected));
});
