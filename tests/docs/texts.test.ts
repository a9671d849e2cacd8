import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { collectTexts } from "../../scripts/collect-texts.mjs";
import { PACKS } from "../../src/exports/guard.ts";
import { allOperations } from "../../src/programs/model/registry.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MAX_WORDS = 28;

/** Turns of phrase that readers stumbled over, each with what to write instead. Add to it. */
const STRANGE: Readonly<Record<string, RegExp>> = {
  "what do you want to …?, should, must": /\bshall\b/i,
  "again, start over": /\banew\b/i,
  "is not a …":
    /\b(it|this|that|line|which|body|path|directory|file|name|process|\}|')('?) is no (?!longer\b|such\b|more\b|need\b|way\b|one\b|space\b)/i,
  "ignored, skipped": /\bpass(?:ed|es)? over\b|\bis thrown away\b/i,
  "is, appears": /\bstands? (?:twice|in|inside|above|elsewhere|still|as|without)\b|\bas they stand\b/i,
  "is not a …, contains no …": /\bholds? (?:no|neither|an? (?:JSON )?object)\b|does not hold (?:an?|what)\b/i,
  returned: /\bin what \S+ brought\b/i,
  "reads like instructions": /\bworded as\b/i,
  is: /\b(?:it|that|state|secret) lies? (?:in|on|deep|outside|below)\b/i,
  after: /\bbehind (?:it|the first|number|line|--|its host)\b/i,
  "matches, is valid": /\b(?:not|do|does|call|session) fits?\b(?! into)|\bfitting\b/i,
  "needs a bundler": /\btakes a bundler\b/i,
  fix: /\bput (?:it |that )?right\b/i,
  forever: /\bfor ever\b/i,
  "your consent, you confirm, an approval": /\b(?:a|your) yes\b|\byes of\b|\bof root's\b/i,
  without: /\bleave (?:force|\w+ rights) away\b/i,
  remove: /\btake (?:\w+ )?(?:history|commits|changes|patches|disks) (?:away|out)\b/i,
  "so there is no": /\bhence\b/i,
  "the current": /\bat hand\b/i,
  separated: /\bparted by\b/i,
  "not valid, is ignored": /\bdoes not count (?:here|any more|\()/i,
  "a rule applies": /\brules? (?:that )?sp(?:oke|eaks)\b/i,
  "cannot express": /\bhas no word (?:for|in)\b|\bcannot be said in\b/i,
  "that was never sent, that does not exist": /\bthat there (?:is|are) not\b/i,
  "time ran out": /\btime was over\b/i,
  "only …": /\b(?:there|of this step|in case|of the team|of a team) alone\b/i,
  warnings: /\bon doubts\b/i,
  "ties go to": /\bof equals\b/i,
  "accepts nothing, asks no …": /\basks? before nothing\b/i,
  plainer:
    /\b(?:whilst|nobody can tell|all the same|as it were|of its own accord|hereby|thereof|that which|be it|so as to|be had|likewise|henceforth|perhaps to be|without end|in vain)\b/i,
};

const told = [
  ...collectTexts(join(ROOT, "src")),
  ...PACKS.flatMap(pack => pack.rules).flatMap(({ id, lost, person, model, when, title }) =>
    [lost, person, model, when, title].map(text => ({ file: `rule ${id}`, text })),
  ),
  ...allOperations().map(({ what, command }) => ({ file: `operation of ${command}`, text: what })),
];

const sentencesOf = (text: string): readonly string[] => text.split(/(?<=[.;:!?])\s+|\n\s*\n|\n {2,}/);

describe("texts that a person or a model reads", () => {
  it("are all found", () => {
    expect(told.length).toBeGreaterThan(4000);
    const texts = told.map(({ text }) => text);
    for (const known of [
      "Nothing to restore: the files already match.\n",
      "take back what an agent did to your files",
      "it is not a list of texts",
      "export private keys",
    ])
      expect(texts).toContain(known);
  });

  it.each(Object.entries(STRANGE))("say '%s' in plain words", (_, strange) => {
    const found = told
      .filter(({ text }) => strange.test(text.replace(/\s+/g, " ")))
      .map(({ file, text }) => `${file}: ${text}`);
    expect(found).toEqual([]);
  });

  it(`have at most ${MAX_WORDS} words a sentence`, () => {
    const long = told.flatMap(({ file, text }) =>
      sentencesOf(text)
        .map(sentence => sentence.replace(/\s+/g, " ").trim())
        .filter(sentence => sentence.split(" ").length > MAX_WORDS)
        .map(sentence => `${file}: ${sentence}`),
    );
    expect(long).toEqual([]);
  });
});
