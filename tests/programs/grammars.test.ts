import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { findProgram } from "../../src/programs/model/registry.ts";
import { type OptionGrammar, words } from "../../src/shell/options.ts";

/** Programs of GNU and the like whose `--help` is a list of options, one a line. */
const PROGRAMS = words(`
  rm rmdir cp mv ln install tee truncate touch mkdir chmod chown shred sort shuf head tail cut tr tac base64 mktemp split
  dirname basename realpath readlink seq od uniq env nice nohup stdbuf timeout chroot xargs grep sed tar gzip zip wget
`);

type Kind = "flag" | "value" | "optional";

/** Kinds by long name, as the record has them. */
function kindsOf(grammar: OptionGrammar): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>();
  const lists = [
    [grammar.flags, "flag"],
    [grammar.optional, "optional"],
    [grammar.values, "value"],
  ] as const;
  for (const [list, kind] of lists)
    for (const token of words(list ?? ""))
      if (!token.startsWith("-"))
        for (const name of token.replace(/=.*/, "").split("|")) if (name.length > 1) kinds.set(name, kind);
  return kinds;
}

/** Kinds by long name, as the program prints them; undefined where it is not installed. */
function printedKinds(program: string): ReadonlyMap<string, Kind> | undefined {
  const { stdout, status } = spawnSync(program, ["--help"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" },
    timeout: 30_000,
  });
  if (status !== 0 || !/(?:GNU|Usage:)/.test(stdout)) return undefined;
  const kinds = new Map<string, Kind>();
  const pattern = /^ {1,8}(?:-\S,? +)?--([a-z][a-z0-9-]+)(\[=[^\]\s]+\]|=[^\s,]+)?(?=[\s,]|$)/gm;
  for (const [, name = "", value = ""] of stdout.matchAll(pattern))
    kinds.set(name, value === "" ? "flag" : value.startsWith("[") ? "optional" : "value");
  return kinds.size === 0 ? undefined : kinds;
}

describe("option grammars", () => {
  it.each(PROGRAMS)("of %s say what the installed program says of its long options", program => {
    const grammar = findProgram(program)?.options;
    const printed = printedKinds(program);
    if (grammar === undefined || printed === undefined) return;
    const wrong = [...kindsOf(grammar)].filter(([name, kind]) => {
      const real = printed.get(name);
      // Whether a glued value is possible differs between versions; whether the next word is taken must be right.
      return real !== undefined && (real === "value") !== (kind === "value");
    });
    expect(wrong.map(([name, kind]) => `--${name} is a ${kind} here, a ${printed.get(name)} there`)).toEqual(
      [],
    );
  });
});
