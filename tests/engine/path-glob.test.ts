import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePathGlob } from "../../src/engine/path-glob.ts";

/** The same meaning as a regular expression: short, but it may take for ever. */
function expressionOf(glob: string): RegExp {
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

describe("a path glob", () => {
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
  ] as const)("%s and %s: %s", (glob, path, expected) => {
    expect(compilePathGlob(glob)(path)).toBe(expected);
  });

  it("means what the regular expression of it means", () => {
    const text = (letters: string) =>
      fc.array(fc.constantFrom(...letters.split("")), { maxLength: 9 }).map(list => list.join(""));
    fc.assert(
      fc.property(text("ab/*?.*"), text("ab/."), (glob, path) => {
        expect(compilePathGlob(glob)(path)).toBe(expressionOf(glob).test(path));
      }),
      { numRuns: 3000 },
    );
  });

  it("ends for a path that nearly fits in very many ways", () => {
    expect(compilePathGlob("**/a*a*a*a*a*b/**/*.ts")("a".repeat(4000))).toBe(false);
  });
});
