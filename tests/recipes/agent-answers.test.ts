import { describe, expect, it } from "vitest";
import {
  countWorkstreams,
  fieldText,
  findLastObjectWith,
  findObject,
  parseLoopVerdict,
  parseTaskType,
  parseWorkVerdict,
  readWorkstreams,
  reclassify,
  workstreamEntries,
} from "../../src/recipes/orchestration/workstreams.ts";

describe("the object of an answer", () => {
  it.each([
    ["is the whole text", ' {"a":"```json {}```"} ', { a: "```json {}```" }],
    ["stands in a block of json", 'x\n```json\n{"a":1}\n```\ny', { a: 1 }],
    ["stands in a json block rather than in another", '```\n{"a":0}\n```\n```json\n{"a":1}\n```', { a: 1 }],
    ["stands in a plain block rather than in prose", 'first {"a":0}\n```\n{"a":1}\n```', { a: 1 }],
    ["stands in prose behind braces that are no JSON", 'so {nope} then {"a":"}{"} end', { a: "}{" }],
    ["is not a broken block", '```json\n{"a":\n```\n{"a":1}', { a: 1 }],
    ["is none in prose", "no object here", {}],
    ["is none in a list of numbers", "[1,2]", {}],
    ["stands inside a list", '[{"a":1}]', { a: 1 }],
    ["is none in nothing", "", {}],
  ])("%s", (_, answer, object) => expect(findObject(answer)).toEqual(object));

  it("with a field is the last one that has it", () => {
    const answer = 'like {"verdict":"PASS"}\n```json\n{"verdict":"FAIL","x":{"verdict":1}}\n```\n{"other":1}';
    expect(findLastObjectWith(answer, "verdict")).toEqual({ verdict: "FAIL", x: { verdict: 1 } });
    expect(findLastObjectWith(answer, "none")).toEqual({});
    expect(findLastObjectWith(answer, "constructor")).toEqual({});
  });

  it("does not take for ever on brackets", () => {
    expect(findObject("{".repeat(2_000))).toEqual({});
  });
});

describe("a field as text", () => {
  it.each([
    ['{"a":"b c"}', "b c"],
    ['{"a":true}', "true"],
    ['{"a":1.5}', "1.5"],
    ['{"a":12345678901234567890}', "12345678901234567890"],
    ['{"a":null}', ""],
    ['{"a":[1,{"b":2}]}', '[1,{"b":2}]'],
    ['{"b":1}', undefined],
    ["[1]", undefined],
    ["not json", undefined],
  ])("of %s", (json, text) => expect(fieldText(json, "a")).toBe(text));

  it("is never a member of the prototype", () => expect(fieldText("{}", "toString")).toBeUndefined());
});

describe("labels", () => {
  it.each([
    ["Q&A", "Q&A"],
    ["a QUESTION about x", "Q&A"],
    ["ops", "Operations"],
    ["admin command", "Operations"],
    ["Research", "Investigation"],
    ["analyze it", "Investigation"],
    ["development", "Development"],
    ["", "Development"],
  ])("%j is %s", (label, type) => expect(parseTaskType(label)).toBe(type));

  it.each([
    ["approved\n", "WORK_VERIFIED"],
    ["PASSED", "WORK_VERIFIED"],
    ["No_Work", "HOLLOW_SUCCESS"],
    ["HOLLOW_SUCCESS", "HOLLOW_SUCCESS"],
    ["PARTIAL", "INSUFFICIENT_EVIDENCE"],
    ["UNVERIFIED", "INSUFFICIENT_EVIDENCE"],
    ["NOT_APPROVED", "INSUFFICIENT_EVIDENCE"],
    ["", "INSUFFICIENT_EVIDENCE"],
  ])("the verdict %j on work is %s", (label, verdict) => expect(parseWorkVerdict(label)).toBe(verdict));

  it.each([
    ["keep_going", "CONTINUE"],
    ["Converged", "DONE"],
    ["DISCONTINUE", "STUCK"],
    ["NOT_DONE", "STUCK"],
    ["", "STUCK"],
  ])("the verdict %j on a loop is %s", (label, verdict) => expect(parseLoopVerdict(label)).toBe(verdict));

  it.each([
    ["Operations", "Add a parser in src/parse.ts", "Development"],
    ["Operations", "open a PR with it", "Development"],
    ["Operations", "write some unit tests", "Development"],
    ["Operations", "do (1) this and (2) that", "Development"],
    ["Operations", "delete old logs", "Operations"],
    ["Operations", "show src/parse.ts", "Operations"],
    ["Q&A", "Add a parser in src/parse.ts", "Q&A"],
  ])("%s with the task %j is %s", (current, task, type) => expect(reclassify(current, task)).toBe(type));
});

describe("workstreams", () => {
  const decomposition = `Plan:\n\`\`\`json\n${JSON.stringify({
    workstreams: [
      { name: "Web UI (new!)", description: "build it", recipe: "investigation-workflow" },
      { name: "→", description: "" },
      {},
    ],
  })}\n\`\`\``;

  it("are counted, and an answer without any is one", () => {
    expect(countWorkstreams(decomposition)).toBe(3);
    expect(countWorkstreams('{"workstreams":[]}')).toBe(1);
    expect(countWorkstreams("prose")).toBe(1);
  });

  it("become entries with branches of their own", () => {
    expect(workstreamEntries(decomposition)).toMatchObject([
      { issue: "TBD", branch: "feat/orch-1-web-ui--new", task: "build it", recipe: "investigation-workflow" },
      { branch: "feat/orch-2-ws-2", recipe: "default-workflow" },
      { branch: "feat/orch-3-workstream-3", task: "workstream-3", description: "workstream-3" },
    ]);
  });

  it("are read back with what they say", () => {
    const [one, two] = readWorkstreams(
      [
        { issue: 7, branch: "feat/a", task: "t", max_runtime: 60, timeout_policy: "continue-preserve" },
        { branch: "feat/b", task: "u" },
      ],
      "f.json",
    );
    expect(one).toMatchObject({ issue: "7", maxRuntimeSeconds: 60, timeoutPolicy: "continue-preserve" });
    expect(two).toMatchObject({ issue: "TBD", recipe: "default-workflow", maxRuntimeSeconds: undefined });
    expect(readWorkstreams([], "f.json")).toEqual([]);
  });

  it.each([
    ["no list", {}, "must be a JSON list"],
    ["no JSON", undefined, "must be a JSON list"],
    ["no object", [7], "branch must be a text"],
    ["no task", [{ branch: "a", task: " " }], "task must be a text"],
    ["a branch that is an option", [{ branch: "-x", task: "t" }], "'-x' is not a name for a branch"],
    ["a branch that leaves its folder", [{ branch: "a/../b", task: "t" }], "is not a name for a branch"],
    [
      "a recipe that is an option",
      [{ branch: "a", task: "t", recipe: "--help" }],
      "not the name of a recipe",
    ],
    ["no time", [{ branch: "a", task: "t", max_runtime: 0 }], "max_runtime"],
    ["another policy", [{ branch: "a", task: "t", timeout_policy: "kill" }], "timeout_policy"],
    [
      "a branch twice",
      [
        { branch: "a", task: "t" },
        { branch: "a", task: "u" },
      ],
      "two entries",
    ],
  ])("are refused with %s", (_, value, cause) => {
    expect(() => readWorkstreams(value as never, "f.json")).toThrow(
      expect.objectContaining({ causes: expect.arrayContaining([expect.stringContaining(cause)]) }),
    );
  });
});
