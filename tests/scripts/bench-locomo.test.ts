import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";

/** Made up, in the form of the public file. */
const CONVERSATIONS = [
  {
    sample_id: "made-up",
    conversation: {
      speaker_a: "Ada",
      speaker_b: "Ben",
      session_1_date_time: "1:14 pm on 8 May, 2023",
      session_1: [
        { speaker: "Ada", dia_id: "D1:1", text: "My sister moved to Lisbon and opened a bakery." },
        { speaker: "Ben", dia_id: "D1:2", text: "That sounds lovely." },
      ],
      session_2_date_time: "9:00 am on 2 June, 2023",
      session_2: [
        { speaker: "Ben", dia_id: "D2:1", text: "I adopted a grey cat called Pixel." },
        ...Array.from({ length: 8 }, (_, at) => ({
          speaker: "Ada",
          dia_id: `D2:${at + 2}`,
          text: `Nice weather, day ${at}.`,
        })),
      ],
    },
    qa: [
      { question: "Where did the sister open a bakery?", answer: "Lisbon", evidence: ["D1:1"], category: 4 },
      { question: "What did Ben adopt?", answer: "a cat", evidence: ["D2:1"], category: 1 },
      { question: "Who plays the violin?", answer: "nobody", evidence: ["D2:9"], category: 4 },
      { question: "What is never said?", adversarial_answer: "x", evidence: ["D1:2"], category: 5 },
    ],
  },
];

it("recall on conversations of others is measured by the evidence of their questions", () => {
  const folder = temporaryDirectory();
  const file = join(folder, "conversations.json");
  const results = join(folder, "results.json");
  writeFileSync(file, JSON.stringify(CONVERSATIONS));
  const words = [resolve("tests/bench/run.mjs"), "memory", "--locomo", file, "--results", results];
  execFileSync(process.execPath, words, { stdio: "pipe" });
  const { rows } = JSON.parse(readFileSync(results, "utf8")) as {
    rows: readonly { readonly name: string; readonly p50: number }[];
  };
  expect(rows.map(({ name, p50 }) => [name, Math.round(p50)])).toEqual(
    [
      { form: "text alone", plain: 33 },
      { form: "with speaker and date", plain: 67 },
    ].flatMap(({ form, plain }) => [
      [`${form}, plain full text: evidence among the first 5 (3)`, plain],
      [`${form}, all: evidence among the first 5 (3)`, 67],
      [`${form}, one turn: evidence among the first 5 (2)`, 50],
      [`${form}, several turns: evidence among the first 5 (1)`, 100],
    ]),
  );
});
