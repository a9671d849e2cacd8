import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileGlob, createGlob, type GlobDialect, matchEnds, matchesGlob } from "../../src/system/glob.ts";
import { runs } from "../generated-inputs.ts";

const matches = (dialect: GlobDialect, pattern: string, text: string) =>
  matchesGlob(compileGlob(pattern, dialect), text);
const textOf = (...units: string[]) => fc.string({ unit: fc.constantFrom(...units), maxLength: 12 });

describe("globs of stars", () => {
  it.each([
    ["https://*.example.org/*?q=*", "https://a.example.org/b?q=1", true],
    ["a?c", "abc", false],
    ["a?c", "a?c", true],
    ["[ab]", "a", false],
    ["a*a", "a", false],
    ["", "", true],
    ["", "a", false],
  ])("%j and %j: %s", (pattern, text, expected) => expect(matches("star", pattern, text)).toBe(expected));

  it("mean the same as the expression with every star as any text", () => {
    fc.assert(
      fc.property(textOf("a", "b", "*"), textOf("a", "b"), (pattern, text) => {
        expect(matches("star", pattern, text)).toBe(
          new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(text),
        );
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe("globs of text", () => {
  it.each([
    ["test_*", "test_1", true],
    ["test_*", "test_", true],
    ["test_*", "my_test_1", false],
    ["*_temp", "a_temp", true],
    ["*", "", true],
    ["?", "", false],
    ["?", "😀", true],
    ["a?c", "abc", true],
    ["", "", true],
    ["", "a", false],
    ["a.c", "abc", false],
    ["[ab]", "[ab]", true],
    ["learned/*", "learned/a/b", true],
  ])("%j and %j: %s", (pattern, text, expected) => expect(matches("text", pattern, text)).toBe(expected));

  it("mean what the regular expression means", () => {
    fc.assert(
      fc.property(textOf("a", "b", "*", "?"), textOf("a", "b"), (pattern, text) => {
        const expression = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`, "u");
        expect(matches("text", pattern, text)).toBe(expression.test(text));
      }),
      { numRuns: runs(2_000) },
    );
  });
});

/** The same meaning as a regular expression: short, but it may take for ever. */
function pathExpression(glob: string): RegExp {
  const body = glob.replace(/\/$/, "");
  const source = body
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map(part =>
      part === "**/"
        ? "(?:.*/)?"
        : part === "**"
          ? ".*"
          : part === "*"
            ? "[^/]*"
            : part === "?"
              ? "[^/]"
              : part.replace(/[.+^${}()|[\]\\]/g, "\\$&"),
    )
    .join("");
  return new RegExp(`^${body.includes("/") ? "" : "(?:.*/)?"}${source}(?:/.*)?$`, "s");
}

describe("globs of paths", () => {
  it.each([
    ["src/**", "src/a/b.ts", true],
    ["src/**", "lib/a.ts", false],
    ["*.ts", "deep/down/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["src", "src/any/thing", true],
    ["src/", "src/any/thing", true],
    ["a/*/c", "a/b/c", true],
    ["a/*/c", "a/b/b/c", false],
    ["a/**/c", "a/c", true],
    ["a/**/c", "a/b/b/c/d", true],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
  ])("%s and %s: %s", (pattern, path, expected) => expect(matches("path", pattern, path)).toBe(expected));

  it("mean what the regular expression means", () => {
    fc.assert(
      fc.property(textOf("a", "b", "/", "*", "?", "."), textOf("a", "b", "/", "."), (pattern, path) => {
        expect(matches("path", pattern, path)).toBe(pathExpression(pattern).test(path));
      }),
      { numRuns: runs(3_000) },
    );
  });
});

describe("globs of the shell", () => {
  // tests/shell/could-be.test.ts compares them with bash.
  it.each([
    ["[[:alpha:]]x", "ax", true],
    ["[[:alpha:]]x", "9x", false],
    ["[\\-a]", "-", true],
    ["[\\-a]", "]", false],
    ["[\\]]", "]", true],
    ["[a\\-c]", "b", false],
    ["[!a-c]", "😀", true],
    ["[😀-😎]", "😃", true],
    ["[[:alpha:]", "[:", true],
    ["@(a\\)|b)", "a)", true],
    ["@([)]|b)", ")", true],
    ["@(a(b|c)d|e)", "a(b|c)d", true],
    ["@(a(b|c)d|e)", "e", true],
    ["*(a", "*(a", true],
    ["+(a|b", "+(a|b", true],
    ["+(@(a)|b", "+(a|b", true],
    ["(a|b)", "(a|b)", true],
    ["!(!(ab))", "ab", true],
    ["!(!(ab))", "b", false],
    ["a!(b)c", "abc", false],
    ["a!(b)c", "abbc", true],
  ])("%s and %s: %s", (pattern, text, expected) => expect(matches("shell", pattern, text)).toBe(expected));

  it("have no groups for fnmatch", () => {
    expect(matches("fnmatch", "@(a|b)", "a")).toBe(false);
    expect(matches("fnmatch", "@(a|b)[12]", "@(a|b)2")).toBe(true);
  });

  it("mean what the regular expression of a group means", () => {
    const choice = textOf("a", "b", "*");
    const expressionOf = (text: string) => text.replaceAll("*", ".*");
    const groups = fc.tuple(
      fc.constantFrom("@", "?", "*", "+"),
      fc.array(choice, { minLength: 1, maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(groups, { maxLength: 3 }), textOf("a", "b"), (list, text) => {
        const pattern = list.map(([operator, choices]) => `${operator}(${choices.join("|")})`).join("b");
        const expression = list
          .map(
            ([operator, choices]) => `(?:${choices.map(expressionOf).join("|")})${operator.replace("@", "")}`,
          )
          .join("b");
        expect(matches("shell", pattern, text)).toBe(new RegExp(`^${expression}$`).test(text));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it("tell every end of a match", () => {
    expect([...matchEnds(compileGlob("a*", "shell"), "xaab", 1)].sort()).toEqual([2, 3, 4]);
    expect([...matchEnds(compileGlob("b", "shell"), "xaab", 1)]).toEqual([]);
    expect([...matchEnds(createGlob([]), "ab", 1)]).toEqual([1]);
  });

  it("match nothing once the budget is spent", () => {
    let left = 20;
    const budget = {
      take(steps: number) {
        left -= steps;
        return left > 0;
      },
    };
    expect(matchEnds(compileGlob("!(b)", "shell"), "a".repeat(100), 0, budget).size).toBe(0);
  });
});

describe("patterns that nearly match in very many ways end soon", () => {
  it.each<[GlobDialect, string, string, boolean]>([
    ["star", "*a".repeat(100), "b".repeat(5_000), false],
    ["text", `${"*a".repeat(100)}?`, "b".repeat(5_000), false],
    ["path", "**/a*a*a*a*a*b/**/*.ts", "a".repeat(4_000), false],
    ["shell", "+(a|+(a|+(a|+(a)b)b)b)b", "a".repeat(300), false],
    ["shell", "!(!(!(!(a))))b", "a".repeat(100), false],
    ["shell", "[".repeat(60_000), "a", false],
    ["shell", "[\\]".repeat(20_000), "a", false],
    ["shell", "@(".repeat(20_000), "a", false],
    ["shell", `${"@(".repeat(10_000)}a${")".repeat(10_000)}`, "a", true],
    ["shell", "(?a".repeat(10_000), "a", false],
  ])("%s %.20s", (dialect, pattern, text, expected) => {
    expect(matches(dialect, pattern, text)).toBe(expected);
  });
});
