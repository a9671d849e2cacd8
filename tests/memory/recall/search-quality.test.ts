import { describe, expect, it } from "vitest";
import { find } from "../store-scene.ts";
import { MEASURED } from "./plain-search.ts";
import { LATER_QUESTIONS, NOTES, QUESTIONS } from "./recall-set.ts";

const SHOWN = 5;

/** The share of questions whose notes are all among the first five. */
async function recallOf(
  answer: (question: string) => Promise<readonly string[]> | readonly string[],
  questions = QUESTIONS,
) {
  let found = 0;
  for (const { text, keys } of questions) {
    const answers = (await answer(text)).slice(0, SHOWN);
    if (keys.every(key => answers.includes(key))) found++;
  }
  return found / questions.length;
}

describe.each(MEASURED)("the search of %s, on the notes of a company", (_name, openScene, plainSearches) => {
  it("finds the note among the first five for 95 of 100 questions, and more than a plain search", async () => {
    expect([NOTES.size >= 150, QUESTIONS.length >= 100]).toEqual([true, true]);
    const { store } = await openScene();
    for (const note of NOTES.values()) await store.put(note);
    const search = async (text: string) => (await find(store, text)).map(({ key }) => key);
    const ours = await recallOf(search);
    const later = await recallOf(search, LATER_QUESTIONS);
    console.log(`recall@5: ${ours.toFixed(3)}, later ones: ${later.toFixed(3)}`);
    expect(Math.min(ours, later)).toBeGreaterThanOrEqual(0.95);
    for (const [name, open] of plainSearches) {
      const plain = await recallOf(await open());
      console.log(`recall@5, ${name}: ${plain.toFixed(3)}`);
      expect(ours).toBeGreaterThan(plain);
    }
  });
});
