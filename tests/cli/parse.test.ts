import { describe, expect, it } from "vitest";
import { defineCommand } from "../../src/cli/command.ts";
import { CommandError } from "../../src/cli/errors.ts";
import { checkComplete, parseWords } from "../../src/cli/parse.ts";

const sample = defineCommand({
  name: "sample",
  summary: "a command with one option of each kind",
  options: {
    "dry-run": { kind: "boolean", short: "n", summary: "change nothing" },
    verbose: { kind: "boolean", short: "v", summary: "say more" },
    context: { kind: "string", short: "c", label: "K=V", summary: "set a value", isRepeatable: true },
    set: { kind: "string", label: "K=V", summary: "same", isRepeatable: true, sameAs: "context" },
    cwd: { kind: "string", label: "DIR", summary: "start there" },
    depth: { kind: "number", label: "N", summary: "how deep", minimum: 1 },
    level: { kind: "number", label: "N", summary: "how high", minimum: 1, maximum: 3 },
    format: {
      kind: "choice",
      short: "f",
      summary: "form",
      choices: ["table", "json"],
      synonyms: { text: "table" },
      initial: "table",
    },
    secret: { kind: "boolean", summary: "not shown", isHidden: true },
  },
  positionals: [{ name: "NAME", summary: "what to do it to" }],
  forAgents: "passes",
  examples: {},
  run: () => 0,
});

function read(...words: string[]) {
  return parseWords(sample, words, "amplihack sample");
}

function complaint(...words: string[]): string {
  try {
    read(...words);
  } catch (error) {
    if (error instanceof CommandError) return error.message;
  }
  throw new Error("expected a usage error");
}

describe("reading the words of a command", () => {
  it("accepts a value beside the option, after an equals sign and glued to a short one", () => {
    for (const words of [["--cwd", "/x"], ["--cwd=/x"]]) expect(read(...words).options["cwd"]).toBe("/x");
    for (const words of [["-c", "a=1"], ["-ca=1"]])
      expect(read(...words).options["context"]).toEqual(["a=1"]);
  });

  it("keeps an equals sign inside a value", () => {
    expect(read("--context=k=v=w").options["context"]).toEqual(["k=v=w"]);
  });

  it("collects a repeatable option in order", () => {
    expect(read("-c", "a=1", "--context", "b=2").options["context"]).toEqual(["a=1", "b=2"]);
  });

  it("splits bundled flags", () => {
    expect(read("-nv").options).toMatchObject({ "dry-run": true, verbose: true });
  });

  it("takes options before and after positionals, and nothing after a double dash", () => {
    const parsed = read("one", "--dry-run", "--", "--verbose");
    expect(parsed).toMatchObject({ positionals: ["one"], rest: ["--verbose"] });
    expect(parsed.options).toMatchObject({ "dry-run": true, verbose: false });
  });

  it("takes words behind a double dash for arguments that are still missing", () => {
    const command = defineCommand({
      name: "store",
      summary: "",
      options: {},
      positionals: [
        { name: "KEY", summary: "" },
        { name: "VALUE", summary: "" },
        { name: "NOTE", summary: "", isOptional: true },
      ],
      forAgents: "passes",
      examples: {},
      run: () => 0,
    });
    const words = (...given: readonly string[]) => parseWords(command, given, "amplihack store");
    expect(words("key", "--", "-value", "more", "--rest")).toMatchObject({
      positionals: ["key", "-value", "more"],
      rest: ["--rest"],
    });
    expect(words("key", "value", "note", "--", "--more")).toMatchObject({
      positionals: ["key", "value", "note"],
      rest: ["--more"],
    });
  });

  it("takes a lone dash for a positional", () => {
    expect(read("-").positionals).toEqual(["-"]);
  });

  it("translates synonyms of a choice", () => {
    expect(read("--format", "text").options["format"]).toBe("table");
  });

  it("keeps the order of values that two options collect", () => {
    const { options } = read("--set", "k=1", "-c", "k=2", "--set=k=3");
    expect(options["context"]).toEqual(["k=1", "k=2", "k=3"]);
  });

  it.each([
    [["--level", "4"], "--level must be a number from 1 to 3, not '4'"],
    [["--dry-rum"], "unknown option '--dry-rum' for amplihack sample; did you mean --dry-run?"],
    [["--zzzzzz"], "unknown option '--zzzzzz' for amplihack sample"],
    [["-nx"], "unknown option '-nx' for amplihack sample"],
    [["--format", "xml"], "Invalid format: xml. Must be one of table, json"],
    [["--cwd"], "--cwd needs a value: DIR"],
    [["--dry-run=yes"], "--dry-run takes no value"],
    [["--depth", "0"], "--depth must be a number of at least 1, not '0'"],
    [["--depth", "two"], "--depth must be a number of at least 1, not 'two'"],
    [["--constructor"], "unknown option '--constructor' for amplihack sample"],
  ])("refuses %j", (words, message) => {
    expect(complaint(...words)).toBe(message);
  });

  it("never hints at a hidden option", () => {
    expect(complaint("--secre")).not.toContain("--secret");
  });

  it("refuses an empty word, which is a variable that was not set, except where it says something", () => {
    const take = (...words: string[]) => checkComplete(sample, read(...words), "amplihack sample");
    expect(() => take("")).toThrow("NAME is empty: what to do it to");
    expect(() => take("  ")).toThrow("NAME is empty");
    const positionals = (spec: Partial<NonNullable<typeof sample.positionals>[number]>) =>
      ({
        ...sample,
        positionals: [{ name: "WORDS", summary: "a command", isVariadic: true, ...spec }],
      }) as const;
    const check = (spec: Parameters<typeof positionals>[0], words: readonly string[]) =>
      checkComplete(positionals(spec), { options: {}, positionals: words, rest: [] }, "amplihack sample");
    expect(() => check({ isOptional: true }, ["a", ""])).toThrow("WORDS is empty");
    expect(() => check({ isCommandLine: true }, ["git", "commit", "-m", ""])).not.toThrow();
    expect(() => check({ isCommandLine: true }, [""])).toThrow("WORDS is empty");
    expect(() => check({ mayBeEmpty: true }, [""])).not.toThrow();
  });

  it("asks for what is missing and refuses what is too much", () => {
    expect(() => checkComplete(sample, read(), "amplihack sample")).toThrow("missing NAME: what to do it to");
    expect(() => checkComplete(sample, read("a", "b"), "amplihack sample")).toThrow(
      "unexpected argument 'b'",
    );
    expect(() => checkComplete(sample, read("a", "--", "b"), "amplihack sample")).toThrow(
      "unexpected argument 'b'",
    );
  });

  it.each([[[]], [["--agent", ""]]])("asks for a required option: %j", words => {
    const needy = defineCommand({
      ...sample,
      positionals: [],
      options: { agent: { kind: "string", label: "NAME", summary: "whose", isRequired: true } },
    });
    const check = () => checkComplete(needy, parseWords(needy, words, "amplihack needy"), "amplihack needy");
    expect(check).toThrow(
      expect.objectContaining({ message: "--agent is required", fix: "amplihack needy --help" }),
    );
  });
});

describe("a command that passes words on", () => {
  const launch = defineCommand({ ...sample, isPassThrough: true, positionals: [] });

  it.each([
    [
      ["--cwd", "/x", "--model", "m"],
      ["--model", "m"],
    ],
    [["--", "--cwd"], ["--cwd"]],
    [
      ["fix it", "--cwd", "/x"],
      ["fix it", "--cwd", "/x"],
    ],
  ])("hands %j over from the first word it does not know", (words, rest) => {
    expect(parseWords(launch, words, "amplihack claude").rest).toEqual(rest);
  });
});

describe("an option whose value may be left out", () => {
  const command = defineCommand({
    name: "sample",
    summary: "a command with such options",
    options: {
      turn: { kind: "number", label: "N", summary: "how many", minimum: 1, bare: 1 },
      session: { kind: "string", label: "ID", summary: "which", bare: "" },
    },
    positionals: [{ name: "ID", summary: "what", isOptional: true, isVariadic: true }],
    wordsBehind: "[-- PATH…]",
    forAgents: "passes",
    examples: {},
    run: () => 0,
  });
  const parse = (...words: string[]) => parseWords(command, words, "amplihack sample");

  it("takes the next word unless that is an option or there is none", () => {
    expect(parse("--turn").options).toMatchObject({ turn: 1, session: undefined });
    expect(parse("--turn", "3").options["turn"]).toBe(3);
    expect(parse("--turn=3").options["turn"]).toBe(3);
    expect(parse("--session", "--turn", "2").options).toMatchObject({ turn: 2, session: "" });
    expect(parse("--session", "--", "a", "b")).toMatchObject({ options: { session: "" }, rest: ["a", "b"] });
    expect(parse("--session", "s1").options["session"]).toBe("s1");
  });

  it("refuses a value that does not fit", () => {
    expect(() => parse("--turn", "k3f9")).toThrow("--turn must be a number of at least 1, not 'k3f9'");
  });
});

describe("--json", () => {
  it("means --format json, wherever JSON is one of the formats", () => {
    expect(read("--json").options["format"]).toBe("json");
    expect(read("--json", "--format", "json").options["format"]).toBe("json");
    expect(read("-fjson").options["format"]).toBe("json");
    expect(read().options["format"]).toBe("table");
    expect(read("--format", "table", "x", "--", "--json").options["format"]).toBe("table");
  });

  it("contradicts another format, in whatever order they stand", () => {
    for (const words of [
      ["--json", "--format", "text"],
      ["-ftable", "--json"],
    ])
      expect(complaint(...words)).toBe("--json and --format table contradict each other: give one of them");
    expect(complaint("--json=yes")).toBe("--json takes no value");
  });

  it("is unknown to a command that prints no JSON", () => {
    const declared = { name: "plain", summary: "", options: {}, forAgents: "passes", examples: {} } as const;
    const plain = defineCommand({ ...declared, run: () => 0 });
    expect(() => parseWords(plain, ["--json"], "amplihack plain")).toThrow("unknown option '--json'");
  });
});
