import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findGoldenCases, writeCapture } from "../../src/verify/golden.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const capture = (folder: string, members: object = {}) => ({
  folder,
  hookName: "stop",
  name: "new",
  input: new TextEncoder().encode("{}"),
  inputText: "{}",
  stdout: '{"decision":"approve"}',
  exitCode: 2,
  durationUs: 1,
  isForced: false,
  ...members,
});

describe("golden cases", () => {
  it("of this project are found in their tables", () => {
    const cases = findGoldenCases(join(import.meta.dirname, "../golden/hooks"));
    expect(cases.length).toBeGreaterThan(1000);
    expect(new Set(cases.map(({ event }) => event)).size).toBe(7);
  });

  it("are lines of a table or files of a folder, side by side", () => {
    const folder = folderOf({
      "stop.jsonl":
        '{"name":"a","input":{"$use":"call","x":1},"expected":{},"exit_code":2,"files":{"l":{"jsonl":[1,2]}}}\n',
      "stop.fixtures.json": '{"call":{"session_id":"s"}}',
      "pre_tool_use/b.input.json": "{}",
      "pre_tool_use/b.expected.json": "{}",
    });
    const [b, a] = findGoldenCases(folder);
    expect(b).toMatchObject({ name: "b", event: "PreToolUse" });
    expect(a).toMatchObject({ name: "a", event: "Stop", exitCode: 2, seed: { files: { l: "1\n2\n" } } });
    expect(new TextDecoder().decode(a?.input)).toBe('{"session_id":"s","x":1}');
    expect(findGoldenCases(folder, { event: "Stop", filter: "z*" })).toEqual([]);
  });

  it.each([
    ["no JSON", "{", /stop\.jsonl: .*JSON/],
    ["a fixture that is not there", '{"name":"a","input":{"$use":"x"},"expected":{}}', /no fixture x/],
    ["no expectation", '{"name":"a","input":{}}', /the case a lacks/],
    [
      "one name twice",
      '{"name":"a","input":{},"expected":{}}\n{"name":"a","input":{},"expected":{}}',
      /a needs a name/,
    ],
  ])("with %s are refused with the file's name", (_, table, message) => {
    expect(() => findGoldenCases(folderOf({ "stop.jsonl": table }))).toThrow(message);
  });

  it("are recorded as a line where there is a table, and replaced only by force", () => {
    const folder = folderOf({ "stop.jsonl": '{"name":"a","input":{},"expected":{}}\n' });
    const table = join(folder, "stop.jsonl");
    expect(writeCapture(capture(folder))).toEqual([table]);
    expect(() => writeCapture(capture(folder))).toThrow(/has a case new/);
    writeCapture(capture(folder, { stdout: "{}", exitCode: 0, isForced: true }));
    expect(readFileSync(table, "utf8")).toBe(
      '{"name":"a","input":{},"expected":{}}\n{"name":"new","input":{},"expected":{}}\n',
    );
    expect(findGoldenCases(folder).map(({ name }) => name)).toEqual(["a", "new"]);
  });

  it("whose numbers a table would round are not recorded in one", () => {
    const folder = folderOf({ "stop.jsonl": "" });
    const stdout = '{"n":9007199254740993}';
    expect(() => writeCapture(capture(folder, { stdout }))).toThrow(/a number that a table cannot keep/);
    expect(readFileSync(join(folder, "stop.jsonl"), "utf8")).toBe("");
    expect(findGoldenCases(folder)).toEqual([]);
  });
});
