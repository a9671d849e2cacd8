import { readFileSync } from "node:fs";
import type { MemoryDraft } from "../../../src/memory/memory.ts";
import { draft } from "../store-scene.ts";

function rows(name: string): readonly (readonly string[])[] {
  return readFileSync(new URL(name, import.meta.url), "utf8")
    .trimEnd()
    .split("\n")
    .map(line => line.split(" | "));
}

/** Notes of one made-up company, and seven that have nothing to do with its work. */
export const NOTES: ReadonlyMap<string, MemoryDraft> = new Map(
  rows("notes.txt").map(([id = "", key = "", value = ""]) => [id, draft({ key, value })]),
);

/** A text, and the keys of the notes that answer it. */
interface Wanted {
  readonly text: string;
  readonly keys: readonly string[];
}

function wanted(name: string): readonly Wanted[] {
  return rows(name).map(([text = "", ids = ""]) => ({
    text,
    keys: ids === "-" ? [] : ids.split(", ").map(id => NOTES.get(id)?.key ?? `there is no note ${id}`),
  }));
}

/** What somebody types into a search. */
export const QUESTIONS = wanted("questions.txt");
/** What somebody tells an agent; many need no note at all. */
export const PROMPTS = wanted("prompts.txt");
/** Both once more, written later and without a look at how they are found. */
export const LATER_QUESTIONS = wanted("later-questions.txt");
export const LATER_PROMPTS = wanted("later-prompts.txt");
