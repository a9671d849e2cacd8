import { describe, expect, it } from "vitest";
import { renderReflection, reviewSession } from "../../src/memory/reflection.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { readTranscript } from "../../src/transcripts/read.ts";
import { assistant, claudeSession, type Said, use, user } from "../hooks/recorded.ts";

/** A result as Claude Code records it, with the mark of an error. */
interface Outcome {
  readonly command: string;
  readonly output?: string;
  readonly isError?: boolean;
}

function lines(pieces: readonly (Said | Outcome)[]): string {
  return pieces
    .map((piece, index) => {
      if (!("command" in piece)) return claudeSession([piece]);
      const id = `toolu_call_${index}`;
      const content = piece.output ?? "";
      return (
        claudeSession([use("Bash", { command: piece.command }, id)]) +
        `${JSON.stringify({
          type: "user",
          message: {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: id, content, is_error: piece.isError ?? false }],
          },
        })}\n`
      );
    })
    .join("");
}

function review(pieces: readonly (Said | Outcome)[]) {
  const system = createMemorySystem({ files: { "/t.jsonl": lines(pieces) } });
  return reviewSession(readTranscript(system, "/t.jsonl", name => name));
}

const texts = (pieces: readonly (Said | Outcome)[]) => review(pieces).findings.map(({ text }) => text);
const fail = (command: string): Outcome => ({ command, output: "boom", isError: true });
const pass = (command: string, output = "done"): Outcome => ({ command, output });
const edit = (before: string, after: string, path = "/a.ts"): Said[] => {
  const id = `edit_${before}_${after}_${path}`;
  return [
    use("Edit", { file_path: path, old_string: before, new_string: after }, id),
    { result: "The file was updated", id },
  ];
};
const ask = [user("Please fix the build"), assistant("I will.")];

describe("a session that went well", () => {
  it("has no findings", () => {
    expect(
      review([
        user("Can you fix the build?"),
        assistant("Yes, looking."),
        fail("npm test"),
        ...edit("a", "b"),
        pass("npm test", "12 passed"),
        assistant("Fixed."),
      ]),
    ).toEqual({ task: "Can you fix the build?", findings: [] });
  });

  it("has none when there is nothing in it either", () => {
    expect(review([])).toEqual({ task: "", findings: [] });
  });
});

describe("a command that fails again and again", () => {
  it("is found from the third time on, when nothing was changed in between", () => {
    expect(texts([...ask, fail("make"), fail("make")])).toEqual([]);
    expect(texts([...ask, fail("make"), pass("ls"), fail("make"), fail("make")])).toEqual([
      "`make` failed 3 times in a row with no file changed in between",
    ]);
  });

  it("is not found when it succeeded in between", () => {
    expect(texts([...ask, fail("make"), fail("make"), pass("make"), fail("make"), fail("make")])).toEqual([]);
  });

  it("is given more patience when something was changed each time", () => {
    const attempts = (count: number) =>
      Array.from({ length: count }, (_, index) => [fail("make"), ...edit(`v${index}`, `w${index}`)]).flat();
    expect(texts([...ask, ...attempts(7)])).toEqual([]);
    expect(texts([...ask, ...attempts(8)])).toEqual(["`make` failed 8 times in a row in spite of changes"]);
  });

  it("is recognised by the words of hosts that record no outcome", () => {
    const result = (command: string, index: number): Said[] => [
      use("Bash", { command }, `c${index}`),
      { result: "Exit code: 2\nno rule", id: `c${index}` },
    ];
    const session = claudeSession([...ask, ...[1, 2, 3].flatMap(index => result("make", index))]);
    const system = createMemorySystem({ files: { "/t": session.replaceAll(',"is_error":false', "") } });
    expect(reviewSession(readTranscript(system, "/t", name => name)).findings).toHaveLength(1);
  });

  it("is quoted without secrets", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const [text = ""] = texts([...ask, ...Array.from({ length: 3 }, () => fail(`curl -H token=${token} x`))]);
    expect(text).toContain("curl");
    expect(text).not.toContain(token);
  });
});

describe("failing tests", () => {
  it("are found when the last run failed", () => {
    const { findings } = review([
      ...ask,
      pass("npm test", "3 passed"),
      pass("npm test", "1 failed, 2 passed"),
    ]);
    expect(findings).toMatchObject([
      { severity: "high", text: "the last test run, `npm test`, failed and was not repeated" },
    ]);
  });

  it("are not found when a later run passed, nor in what only mentions them", () => {
    expect(texts([...ask, fail("npm test"), pass("npm test", "3 passed")])).toEqual([]);
    expect(texts([...ask, pass("cat report", "2 failed")])).toEqual([]);
  });
});

describe("loops", () => {
  const read = (count: number, output = "same"): Said[] =>
    Array.from({ length: count }, (_, index): Said[] => [
      use("Read", { file_path: "/a.ts" }, `r${index}${output}`),
      { result: output, id: `r${index}${output}` },
    ]).flat();

  it("are the same call with the same result, five times", () => {
    expect(texts([...ask, ...read(4)])).toEqual([]);
    expect(review([...ask, ...read(5)]).findings).toMatchObject([
      { severity: "medium", text: "Read of `/a.ts` was called 5 times with the same result" },
    ]);
    expect(review([...ask, ...read(15)]).findings).toMatchObject([{ severity: "high" }]);
  });

  it("are not calls that tell something new, nor those after an edit", () => {
    expect(texts([...ask, ...[1, 2, 3, 4, 5, 6].flatMap(number => read(1, `state ${number}`))])).toEqual([]);
    expect(texts([...ask, ...read(3), ...edit("a", "b"), ...read(3)])).toEqual([]);
  });
});

describe("edits that are taken back", () => {
  it("are found when it happens twice to a file", () => {
    const back = [...edit("a", "b"), ...edit("b", "a")];
    expect(texts([...ask, ...back])).toEqual([]);
    expect(texts([...ask, ...back, ...edit("c", "d"), ...edit("d", "c")])).toEqual([
      "edits of `/a.ts` were taken back 2 times",
    ]);
  });

  it("are not edits of other files, nor ones that go on", () => {
    expect(
      texts([...ask, ...edit("a", "b"), ...edit("b", "a", "/b.ts"), ...edit("b", "c"), ...edit("c", "d")]),
    ).toEqual([]);
  });
});

describe("questions without an answer", () => {
  it("are found when the agent wrote nothing before the next message or the end", () => {
    expect(texts([user("Why is it slow?"), pass("ls"), user("Go on"), assistant("Yes.")])).toEqual([
      "a question got no answer: `Why is it slow?`",
    ]);
    expect(texts([...ask, user("Is it done?")])).toEqual(["a question got no answer: `Is it done?`"]);
  });

  it("are not question marks in code or addresses, nor answered ones", () => {
    expect(texts([user("Open https://x.org/?a=b please"), pass("ls")])).toEqual([]);
    expect(texts([user("Run this\n```\na ? b : c?\n```"), pass("ls")])).toEqual([]);
    expect(texts([user("Why is it slow?"), pass("ls"), assistant("Because of the index.")])).toEqual([]);
  });
});

describe("corrections by the user", () => {
  it("are found from the second on", () => {
    const told = [
      user("Add a button"),
      assistant("Done."),
      user("No, that is not what I asked."),
      assistant("Sorry."),
    ];
    expect(texts(told)).toEqual([]);
    expect(texts([...told, user("It is still broken, you forgot the label"), assistant("Fixed.")])).toEqual([
      "the user had to correct or repeat themselves 2 times",
    ]);
  });

  it("are whole words, and not in the first message", () => {
    const messages = ["No tests yet, please add some", "Notice the noise", "Nothing is wrong, well done"];
    expect(texts(messages.flatMap(text => [user(text), assistant("Ok.")]))).toEqual([]);
  });
});

describe("the report", () => {
  it("names the task, then findings by weight, then each advice once", () => {
    const { task, findings } = review([
      user("Fix the build. Then rest."),
      assistant("On it."),
      ...Array.from({ length: 3 }, () => fail("make")),
      ...Array.from({ length: 3 }, () => fail("ninja")),
      fail("npm test"),
    ]);
    const report = renderReflection(task, findings);
    expect(report).toContain("## Task Summary\n\nFix the build. Then rest.\n");
    expect(report).toContain("## Findings (severity: high)\n\n- high: the last test run");
    expect(report.match(/Read the first failure/g)).toHaveLength(1);
  });
});
