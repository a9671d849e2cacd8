import { describe, expect, it } from "vitest";
import type { Language } from "../../src/shell/facts.ts";
import { callsOf } from "./reading.ts";

type Case = readonly [language: Language, code: string, call: string];

/** The same command, spelt with what each language lets one write for a character. */
const SPELT_OUT: readonly Case[] = [
  ["python", `import os; os.system("\\x72\\155 \\u002drf \\U0000002f")`, "shell rm -rf /"],
  ["javascript", `require('child_process').execSync("\\x72m \\u{2d}rf \\u002f")`, "shell rm -rf /"],
  ["ruby", `system("\\x72m \\u{2d}rf \\57")`, "shell rm -rf /"],
  ["php", `system("\\x72m \\u{2d}rf \\57");`, "shell rm -rf /"],
  ["perl", `system("\\x72m \\x{2d}rf \\57");`, "shell rm -rf /"],
  ["lua", `os.execute("\\114m \\x2drf \\47")`, "shell rm -rf /"],
];

const LEFT_AS_WRITTEN: readonly Case[] = [
  ["python", `import os; os.system("a \\q \\x")`, "shell a \\q \\x"],
  ["php", `system("a \\q");`, "shell a \\q"],
  ["php", `system('it\\'s \\n');`, "shell it's \\n"],
  ["lua", `os.execute("\\u{999999}m")`, "shell u{999999}m"],
];

describe("escapes in the text of a program", () => {
  it.each(SPELT_OUT)("of %s are read: %s", (language, code, call) => {
    expect(callsOf(language, code)).toEqual([call]);
  });

  it.each(LEFT_AS_WRITTEN)("of %s that stand for nothing stay: %s", (language, code, call) => {
    expect(callsOf(language, code)).toEqual([call]);
  });
});
