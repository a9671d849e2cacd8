import { describe, expect, it } from "vitest";
import type { MemoryStore } from "../../../src/memory/memory.ts";
import { recallForPrompt } from "../../../src/memory/ranking.ts";
import { draft, NOW_MS, type OpenScene, STORES } from "../store-scene.ts";
import { MEASURED } from "./plain-search.ts";
import { LATER_PROMPTS, NOTES, PROMPTS } from "./recall-set.ts";

const SHOWN = 5;

const recall = async (store: MemoryStore, text: string) =>
  (await recallForPrompt(store, text, {}, NOW_MS)).slice(0, SHOWN).map(({ key }) => key);

/** Precision: how much of what is given is wanted. Recall: how much of what is wanted is given. */
async function measure(
  answer: (text: string) => Promise<readonly string[]> | readonly string[],
  isStored: (key: string) => boolean = () => true,
  prompts = PROMPTS,
) {
  let [right, given, wanted, unasked] = [0, 0, 0, 0];
  for (const { text, keys } of prompts) {
    const answers = await answer(text);
    right += answers.filter(key => keys.includes(key)).length;
    given += answers.length;
    wanted += keys.filter(isStored).length;
    if (keys.length === 0) unasked += answers.length;
  }
  return { precision: right / given, recall: right / wanted, unasked };
}

async function storeWith(openScene: OpenScene, chosen: (index: number) => boolean = () => true) {
  const { store } = await openScene();
  const notes = [...NOTES.values()].filter((_, index) => chosen(index));
  for (const note of notes) await store.put(note);
  const keys = new Set(notes.map(({ key }) => key));
  return { store, isStored: (key: string) => keys.has(key) };
}

describe.each(MEASURED)(
  "recall at a prompt from %s, on the notes of a company",
  (_name, openScene, plainSearches) => {
    it("gives 8 of 10 notes that are wanted, and of 10 that are given 8 are wanted", async () => {
      const { store } = await storeWith(openScene);
      const ours = await measure(text => recall(store, text));
      const show = (figures: typeof ours) =>
        `precision ${figures.precision.toFixed(3)}, recall ${figures.recall.toFixed(3)}, unasked ${figures.unasked}`;
      console.log(`recall at a prompt: ${show(ours)}`);
      expect(ours.precision).toBeGreaterThanOrEqual(0.8);
      expect(ours.recall).toBeGreaterThanOrEqual(0.8);
      expect(ours.unasked).toBe(0);
      const later = await measure(text => recall(store, text), undefined, LATER_PROMPTS);
      console.log(`recall at a prompt, later ones: ${show(later)}`);
      expect([later.precision >= 0.8, later.recall >= 0.8, later.unasked]).toEqual([true, true, 0]);
      for (const [name, open] of plainSearches) {
        const plain = await measure(await open());
        console.log(`${name}, first five: ${show(plain)}`);
        expect(ours.precision).toBeGreaterThan(plain.precision);
      }
    });

    it.each([8, 20, 60])("holds with %i notes, where every word is rare", async size => {
      const { store, isStored } = await storeWith(openScene, index => (index * 7919) % NOTES.size < size);
      const { precision, recall: found, unasked } = await measure(text => recall(store, text), isStored);
      console.log(`with ${size} notes: precision ${precision.toFixed(3)}, recall ${found.toFixed(3)}`);
      expect([precision >= 0.7, found >= 0.7, unasked]).toEqual([true, true, 0]);
    });
  },
);

describe.each(STORES)("recall at a prompt from %s", (_name, openScene) => {
  it.each([
    ["Set PAYMENT_SANDBOX in the CI job.", ["tests"]],
    ["Why do the payment tests fail without the sandbox?", ["tests"]],
    ["how do I run the payment tests", ["tests"]],
    ["The payment tests fail, fix them", ["tests"]],
    ["Show the payment form in the tests of the page", []],
    ["Look at src/pay/client.ts please", ["client"]],
    ["数据库连接失败了", ["zh"]],
    ["Water the plants", []],
    ["Run the tests", []],
    ["", []],
  ])("gives for %j %j", async (prompt, keys) => {
    const { store } = await openScene();
    await store.put(draft({ key: "tests", value: "The payment tests need PAYMENT_SANDBOX=1." }));
    await store.put(draft({ key: "client", value: "Retries live in src/pay/client.ts alone" }));
    await store.put(draft({ key: "zh", value: "数据库连接用连接池" }));
    for (const plant of ["Roses", "Tulips", "Carrots", "Beans", "Herbs", "Apples", "Pears"])
      await store.put(draft({ key: plant, value: `${plant} are planted in spring` }));
    expect(await recall(store, prompt)).toEqual(keys);
  });

  it("puts what is used or recent first, and gives nothing for that alone", async () => {
    const { store, time } = await openScene();
    const { memory } = await store.put(
      draft({ key: "one", value: "the invoice counter is locked during imports" }),
    );
    await store.put(draft({ key: "two", value: "the invoice counter begins anew in January" }));
    await store.put(draft({ key: "other", value: "soup needs salt" }));
    time.nowMs += 60 * 24 * 60 * 60 * 1000;
    await store.recordUse([memory], { project: "/p", session: "s", occasion: "prompt" });
    const found = await recallForPrompt(store, "the invoice counter of imports in January", {}, time.nowMs);
    expect(found.map(({ key }) => key)).toEqual(["one", "two"]);
    const unseen = await recallForPrompt(
      store,
      "the invoice counter of imports in January",
      { unseenBy: "s" },
      time.nowMs,
    );
    expect(unseen.map(({ key }) => key)).toEqual(["two"]);
  });
});
