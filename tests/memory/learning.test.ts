import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeLearning, isTrivial, LearningCollector } from "../../src/memory/learnt.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { readTranscript } from "../../src/transcripts/read.ts";
import { runs } from "../generated-inputs.ts";
import {
  assistant,
  bash,
  claudeSession,
  codexSession,
  copilotSession,
  meta,
  type Said,
  user,
} from "../hooks/recorded.ts";

function learn(said: readonly Said[], limit = 500, record = claudeSession): string {
  const system = createMemorySystem({ files: { "/t.jsonl": record(said) } });
  const collector = new LearningCollector();
  for (const entry of readTranscript(system, "/t.jsonl", name => name)) collector.see(entry);
  return collector.summary(limit);
}

describe("what an agent said it found out", () => {
  it.each([
    ["The root cause is a missing index on orders."],
    ["It turned out that the pool was never released."],
    ["The fix was to await the flush before closing."],
    ["The failure was caused by a stale lock file."],
    ["We learned that retries hide the real error."],
    ["Note: the linter must run before the build."],
    ["This only works when the daemon runs as root."],
    ["You should never commit the generated schema."],
  ])("is kept: %s", sentence => {
    expect(learn([assistant(`Let me see. ${sentence} Done now.`)])).toBe(sentence);
  });

  it.each([
    ["I will now run the tests and look at the output."],
    ["There was no root cause to be found here yet."],
    ["The presetturned output is long and wide."],
    ["```\nThe root cause is inside a code block here.\n```"],
    ["root cause"],
  ])("is not made up: %s", text => {
    expect(learn([assistant(text)])).toBe("");
  });

  it("comes from the agent, not from the user, tools or programs", () => {
    const sentence = "The root cause is a missing index.";
    expect(learn([user(sentence), meta(sentence), ...bash("cat notes", sentence)])).toBe("");
  });

  it.each([
    ["Codex", codexSession],
    ["Copilot", copilotSession],
  ])("is found in the files of %s too", (_, record) => {
    expect(learn([user("go"), assistant("The root cause is a missing index.")], 500, record)).not.toBe("");
  });

  it("is said once, in the order it was said, without decoration", () => {
    const said = [
      assistant("- **The root cause** is a `missing` index."),
      assistant("We decided to add it in a migration."),
      assistant("The root cause is a missing index."),
    ];
    expect(learn(said)).toBe("We decided to add it in a migration. The root cause is a missing index.");
  });

  it("prefers strong and late statements when there is no room for all", () => {
    const said = [
      assistant("We decided to look at the cache first of all."),
      assistant("The root cause is the first guess we made."),
      assistant("The root cause is the second guess we made."),
    ];
    expect(learn(said, 50)).toBe("The root cause is the second guess we made.");
  });

  it("never exceeds the limit, whatever was said", () => {
    const sentence = fc
      .string({ unit: "grapheme", maxLength: 200 })
      .map(rest => `The root cause is ${rest}.`);
    fc.assert(
      fc.property(
        fc.array(sentence, { maxLength: 30 }),
        fc.integer({ min: 0, max: 500 }),
        (sentences, limit) => {
          expect([...learn([assistant(sentences.join("\n"))], limit)].length).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: runs(50) },
    );
  });
});

describe("what is stored of a session", () => {
  const compose = (given: Partial<Parameters<typeof composeLearning>[0]>) =>
    composeLearning({ told: "", found: "", task: "", isSuccess: true, ...given }, 500);

  it("is what was told, on one line", () => {
    expect(compose({ told: "Retries hide\nthe real error", task: "fix it" })).toBe(
      "Retries hide the real error",
    );
  });

  it("is what was found, with its task, before what was told", () => {
    expect(
      compose({ told: "long beginning of it", found: "The pool leaks handles.", task: "Fix logins" }),
    ).toBe("Task: Fix logins Learnt: The pool leaks handles.");
  });

  it("says when the session did not succeed", () => {
    expect(compose({ told: "Retries hide the error", isSuccess: false })).toBe(
      "(unfinished) Retries hide the error",
    );
  });

  it("holds no secrets", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    expect(compose({ told: `The deploy uses the token ${token} for pushing` })).not.toContain(token);
  });

  it("is nothing when nothing was said worth keeping", () => {
    for (const told of ["", "ok", "Thanks!", "👍 👍 👍 👍"]) expect(compose({ told })).toBeUndefined();
  });

  it("has at most the characters allowed, and no half ones", () => {
    const stored = compose({ told: "😀 word ".repeat(200) }) ?? "";
    expect([...stored]).toHaveLength(500);
    expect(Buffer.from(stored).toString()).toBe(stored);
  });

  it("counts the characters of unspaced scripts as words", () => {
    expect([isTrivial("修复数据库"), isTrivial("two words"), isTrivial("now three words")]).toEqual([
      false,
      true,
      false,
    ]);
  });
});
