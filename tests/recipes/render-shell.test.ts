import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderShell } from "../../src/recipes/shell-text/render-shell.ts";
import { anyCharacter, runs } from "../generated-inputs.ts";
import { SHELL_CONTEXTS, SHELL_PRELUDE } from "./shell-contexts.ts";

const NASTY = [
  "",
  " ",
  "a  b",
  "*",
  "~",
  "-n",
  "--help",
  "$(touch /tmp/pwned)",
  "`touch /tmp/pwned`",
  "; exit 3",
  "| cat & exit 4",
  "'",
  '"',
  'it\'s "q"',
  "\\",
  "\\\\n",
  "a\nb\n",
  "\n\n",
  "E\nexit 5\nE",
  "\tE",
  "EOF",
  "A\nB",
  "E O F",
  "RECIPE_TEXT_1",
  "{{v}}",
  "${HOME}",
  "$'x'",
  "&",
  "#",
  "# not a comment",
  "!history",
  "[a-z]?",
  "{a,b}",
  "$((1+1))",
  "é 漢字 🎉 \u0301",
  "\u0001\u007f\u001b[31m",
  "\r\n",
  "%s%d",
  ")",
  "esac",
  "x=1",
];

/** Stands between what two contexts saw. */
const MARK = "end-of-what-one-context-saw";

/** Runs every context with every value in one bash; answers what each context saw, by value. */
function observe(values: readonly string[]): readonly (readonly string[])[] {
  const env: Record<string, string> = { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8" };
  const lines = [SHELL_PRELUDE];
  values.forEach((value, index) => {
    env[`V_${index}`] = value;
    lines.push(`w=$V_${index}`);
    for (const { script } of SHELL_CONTEXTS) {
      const rendered = renderShell(script, () => `V_${index}`).script;
      lines.push("(", rendered, ")", `printf '%s\\0' ${MARK}`);
    }
  });
  const run = spawnSync("/bin/bash", [], { input: lines.join("\n"), env, encoding: "utf8", maxBuffer: 1e9 });
  expect(run.stderr).toBe("");
  const seen = run.stdout.split(`${MARK}\0`);
  return values.map((_, index) =>
    SHELL_CONTEXTS.map((_, position) =>
      (seen[index * SHELL_CONTEXTS.length + position] ?? "").replace(/\0$/, ""),
    ),
  );
}

function check(values: readonly string[]): void {
  const seen = observe(values);
  values.forEach((value, index) => {
    SHELL_CONTEXTS.forEach(({ name, expected }, position) => {
      const wanted = expected === undefined ? value : expected(value);
      expect({ name, value, saw: seen[index]?.[position] }).toEqual({ name, value, saw: wanted });
    });
  });
}

describe("a value in a bash command is data in every quoting context", () => {
  it.each(NASTY.map(value => [JSON.stringify(value), value]))("%s", (_, value) => {
    check([value]);
  });

  it("any text", () => {
    const piece = fc.oneof(
      fc.constantFrom(...NASTY),
      fc.string({ unit: "grapheme", maxLength: 8 }),
      fc.string({ unit: anyCharacter, maxLength: 8 }),
    );
    const value = fc.array(piece, { maxLength: 5 }).map(pieces =>
      pieces
        .join("")
        .replaceAll("\0", "")
        .replace(/\p{Surrogate}/gu, ""),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 8, maxLength: 8 }), values => check(values)),
      { numRuns: runs(4, 150) },
    );
  });
});

/** A bash word that gives the value of `{{v}}` followed by `suffix`, built from shell inside shell. */
interface NestedWord {
  readonly text: string;
  readonly suffix: string;
}

/** A delimiter that no here-document further in uses. */
const end = (text: string): string => `E${text.length}`;
const inBackticks = (text: string): string => text.replace(/[\\`$]/g, "\\$&");

const nestedWord: fc.Arbitrary<NestedWord> = fc.letrec<{ word: NestedWord }>(tie => {
  const around = (wrap: (text: string) => string): fc.Arbitrary<NestedWord> =>
    tie("word").map(({ text, suffix }) => ({ text: wrap(text), suffix: `${suffix}e` }));
  return {
    word: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom("{{v}}", '"{{v}}"', "'{{v}}'", "$'{{v}}'").map(text => ({ text, suffix: "" })),
      around(text => `"$(printf %s ${text}; printf e)"`),
      around(text => `"$( (printf %s ${text}) ; printf e )"`),
      around(text => `"$(case ")" in (x|y) : ;; ')') printf %s ${text} ;; esac; printf e)"`),
      around(text => `"$(: # it's a comment with ) in it\nprintf %s ${text}; printf e)"`),
      around(text => `"\`printf %s ${inBackticks(text)}; printf e\`"`),
      around(text => `"$(x=${text}; printf '%s' "\${x}e")"`),
      around(text => `"$(f() { printf %s "$1"; }; f ${text}; printf e)"`),
      around(text => `"$(cat <<${end(text)}\n$(printf %s ${text}; printf e)\n${end(text)}\n)"`),
      around(text => `"$(cat <<${end(text)} | cat\n\${unset_one:-$(printf %s ${text})}e\n${end(text)}\n)"`),
      around(text => `"$(if [ $((1 + (2 * 3))) = 7 ]; then printf %s ${text}; fi; printf e)"`),
      around(text => `"$(a=(x ${text} y); printf %s "\${a[1]}"; printf e)"`),
      around(text => `"$(while :; do printf %s ${text}; break; done < <(echo ")"); printf e)"`),
    ),
  };
}).word;

describe("a value inside shell inside shell", () => {
  it("is still only data", () => {
    const values = ["it's", '"q" $(x) `y`', "a\nE\nb", "\\ \\\\ *", ") ;; esac # {{v}}"];
    fc.assert(
      fc.property(fc.array(nestedWord, { minLength: 12, maxLength: 12 }), words => {
        const env: Record<string, string> = { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8" };
        const lines: string[] = [];
        values.forEach((value, index) => {
          env[`V_${index}`] = value;
          for (const { text } of words) {
            lines.push(renderShell(`printf '%s\\0' ${text}`, () => `V_${index}`).script);
          }
        });
        const run = spawnSync("/bin/bash", [], { input: lines.join("\n"), env, encoding: "utf8" });
        expect(run.stderr).toBe("");
        const wanted = values.flatMap(value => words.map(({ suffix }) => value + suffix));
        const seen = run.stdout.split("\0").slice(0, -1);
        seen.forEach((text, index) => {
          const word = words[index % words.length]?.text;
          expect({ word, text }).toEqual({ word, text: wanted[index] });
        });
        expect(seen).toHaveLength(wanted.length);
      }),
      { numRuns: runs(4, 120) },
    );
  });
});

describe("a script without placeholders", () => {
  it("is left exactly as written", () => {
    const script = "docker ps --format '{{.Names}}' # {{ x }} ${{ github.ref }}\ncat <<'E'\n{{#if}}\nE\n";
    expect(renderShell(script, () => "V").script).toBe(script);
  });
});

describe("any shell text at all", () => {
  it("is scanned to its end and keeps every character outside placeholders", () => {
    const piece = fc.constantFrom(
      ..."'\"`$(){}[]<>|&;#\\ \n\t=!a0".split(""),
      "$(",
      "${",
      "$((",
      "((",
      "<<E\n",
      "<<'E'\n",
      "\nE\n",
      "case x in",
      "esac",
      ";;",
      "{{v}}",
      "\\{{v}}",
      "{{",
      "}}",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
        const { script, uses } = renderShell(pieces.join(""), () => "RECIPE_VAR_v");
        const expansions = script.split("${RECIPE_VAR_v-}").length - 1;
        expect(uses.length).toBeGreaterThanOrEqual(expansions === 0 ? 0 : 1);
        const ordinary = (text: string) =>
          text.replaceAll(/\{\{[A-Za-z0-9_-]+\}\}|\$\{RECIPE_VAR_v-\}|['"\\$]|RECIPE_TEXT_\d+|E/g, "");
        expect(ordinary(script)).toBe(ordinary(pieces.join("")));
      }),
      { numRuns: runs(2000) },
    );
  });

  it("nested beyond reason is refused, not a crash", () => {
    expect(() => renderShell(`{{v}}${"$(".repeat(100_000)}`, () => "V")).toThrow("nested deeper than");
  });
});
