import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { forEachChild, parse, type SyntaxNode } from "unbash";
import { describe, expect, it } from "vitest";
import { parseShell } from "../../src/shell/syntax/parse.ts";
import { ADVERSARIAL, ORDINARY, REFUSED } from "./corpus.ts";
import { read, spell } from "./reading.ts";

const VALID = [...ORDINARY, ...ADVERSARIAL];

/** One bash process reads all commands, base64 in lines, and says of each whether `bash -n` takes it. */
function askBash(commands: readonly string[]): readonly boolean[] {
  const script =
    'shopt -s extglob; while read -r line; do code=$(base64 -d <<< "$line"; printf x); if bash -O extglob -n <<< "${code%x}" 2>/dev/null; then echo 1; else echo 0; fi; done';
  const input = commands.map(command => Buffer.from(command).toString("base64")).join("\n");
  const { stdout, status } = spawnSync("bash", ["-c", script], { input: `${input}\n`, encoding: "utf8" });
  expect(status).toBe(0);
  return stdout
    .trim()
    .split("\n")
    .map(line => line === "1");
}

/** Names of simple commands in the tree the analysis walks; expansions count as "dynamic". */
function ourNames(command: string): readonly string[] {
  const names: string[] = [];
  const visit = (node: SyntaxNode) => {
    if (node.type === "Command" && node.name !== undefined) {
      const isPlain =
        node.name.parts?.every(
          part =>
            ["Literal", "SingleQuoted", "AnsiCQuoted"].includes(part.type) ||
            (part.type === "DoubleQuoted" && part.parts.every(inner => inner.type === "Literal")),
        ) ?? true;
      names.push(isPlain ? node.name.value : "dynamic");
    }
    forEachChild(node, visit);
  };
  visit(parse(command));
  return names.sort();
}

interface MvdanPart {
  readonly Value?: string;
  readonly Parts?: readonly MvdanPart[];
}

const { syntax } = createRequire(import.meta.url)("mvdan-sh");

function theirNames(command: string): readonly string[] {
  const names: string[] = [];
  const parser = syntax.NewParser(syntax.Variant(syntax.LangBash));
  syntax.Walk(parser.Parse(command, "x"), (node: unknown) => {
    if (node === null) return true;
    const kind = syntax.NodeType(node);
    if (kind === "CallExpr") {
      const [first] = (node as { Args: readonly { Parts: readonly MvdanPart[] }[] }).Args;
      if (first !== undefined) names.push(spellParts(first.Parts) ?? "dynamic");
    } else if (kind === "DeclClause") names.push((node as { Variant: MvdanPart }).Variant.Value ?? "dynamic");
    else if (kind === "LetClause") names.push("let");
    return true;
  });
  return names.sort();
}

function spellParts(parts: readonly MvdanPart[]): string | undefined {
  let name = "";
  for (const part of parts) {
    const kind = syntax.NodeType(part);
    if (kind === "Lit")
      name += (part.Value ?? "").replace(/\\(\n|.)/gs, (_, character: string) =>
        character === "\n" ? "" : character,
      );
    else if (kind === "SglQuoted") name += part.Value ?? "";
    else if (kind === "DblQuoted") {
      const inner = spellParts(part.Parts ?? []);
      if (inner === undefined) return undefined;
      name += inner;
    } else return undefined;
  }
  return name;
}

/** Where mvdan-sh does not follow bash, or spells a name differently, the names were settled by hand. */
const SETTLED: Readonly<Record<string, readonly string[]>> = {
  "$'\\x72\\x6d' -rf /": ["rm"],
  "{rm,-rf,/}": ["dynamic"],
  "/bin/r? -rf /": ["dynamic"],
  "/???/r[m] -rf /": ["dynamic"],
  // The parser cuts the word in front of `<(`; the walk puts it together again (see the next test).
  "BASH_ENV=<(echo rm -rf /) bash -c :": ["dynamic", "echo"],
  "[[ a == @(b|$(rm -rf /)) ]]": ["rm"],
  "echo ${x:$(rm -rf /):1} ${x[$(rm -rf /)]} ${#x[$(rm -rf /)]}": ["echo", "rm", "rm", "rm"],
  "! ! rm -rf /": ["rm"],
  "time ! rm -rf /": ["rm"],
  "((rm -rf /) )": ["rm"],
  "echo $((rm -rf /) )": ["echo", "rm"],
  "rm -rf `echo \\`echo \\\\\\`echo /\\\\\\`\\``": ["echo", "echo", "echo", "rm"],
  "echo ${x^^[a-z]} ${x,,} ${x^} ${x~~}": ["echo"],
};

describe("the parser against others", () => {
  it("has a corpus worth the name", () => {
    expect(VALID.length).toBeGreaterThanOrEqual(300);
    expect(new Set([...VALID, ...REFUSED]).size).toBe(VALID.length + REFUSED.length);
  });

  it("accepts what bash accepts", () => {
    const verdicts = askBash(VALID);
    expect(VALID.filter((_, index) => verdicts[index] !== true)).toEqual([]);
    expect(VALID.filter(command => parseShell(command).problems.length > 0)).toEqual([]);
  });

  it("refuses what bash refuses", () => {
    const verdicts = askBash(REFUSED);
    expect(REFUSED.filter((_, index) => verdicts[index] === true)).toEqual([]);
    expect(REFUSED.filter(command => parseShell(command).problems.length === 0)).toEqual([]);
  });

  it.each(VALID)("finds the same commands as mvdan-sh: %j", command => {
    expect(ourNames(command)).toEqual(SETTLED[command] ?? theirNames(command));
  });

  it("settles by hand only what is in the corpus", () => {
    expect(Object.keys(SETTLED).filter(command => !VALID.includes(command))).toEqual([]);
  });

  it("puts words together that touch a process substitution", () => {
    const [invocation] = read("A=<(echo x) bash --file=<(echo y)z").invocations.filter(
      one => one.program === "bash",
    );
    expect(invocation?.environment.map(({ name, value }) => `${name}=${spell(value)}`)).toEqual([
      "A=/dev/fd/65",
    ]);
    expect(invocation?.argv.map(spell)).toEqual(["bash", "--file=/dev/fd/64z"]);
  });
});
