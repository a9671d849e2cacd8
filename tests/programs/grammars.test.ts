import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { findMissing } from "../../src/programs/model/completeness.ts";
import { allPrograms, findProgram } from "../../src/programs/model/registry.ts";
import { completeGitCommand, completeGitCommands } from "../../src/programs/records/git-complete.ts";
import type { Invocation } from "../../src/shell/facts.ts";
import { type OptionGrammar, parseOptions, words } from "../../src/shell/options.ts";
import { text } from "../../src/shell/value.ts";

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
    if (!kinds.has(name))
      kinds.set(name, value === "" ? "flag" : value.startsWith("[") ? "optional" : "value");
  return kinds.size === 0 ? undefined : kinds;
}

/** Every option that a program prints in its help, short and long. */
function printedNames(program: string): readonly string[] | undefined {
  const { stdout, status } = spawnSync(program, ["--help"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" },
    timeout: 30_000,
  });
  if (status !== 0 || stdout === "") return undefined;
  const lines = stdout.split("\n").filter(line => /^ {1,8}-/.test(line));
  const names = lines.flatMap(line => {
    const [options = ""] = /^ +(?:--?[A-Za-z0-9][\w-]*(?:[ =[][^\s,]*)?(?:, *)?)+/.exec(line) ?? [];
    return [...options.matchAll(/(?:^|[ ,])--?([A-Za-z0-9][\w-]*)/g)].map(([, name = ""]) => name);
  });
  return names.length === 0 ? undefined : names;
}

const COMPLETE = allPrograms().filter(
  record => record.complete !== undefined && record.options !== undefined,
);
const onlyOf = (record: (typeof COMPLETE)[number]) =>
  typeof record.complete === "object" ? record.complete.only : undefined;
const namesOf = (records: typeof COMPLETE) =>
  records
    .flatMap(record =>
      words((typeof record.complete === "object" ? record.complete.names : undefined) ?? record.names),
    )
    .filter(name => !words("bash sh dash git type").includes(name));
const COMPLETE_NAMES = namesOf(COMPLETE.filter(record => onlyOf(record) === undefined));
const PARTLY_NAMES = namesOf(COMPLETE.filter(record => onlyOf(record) !== undefined));

/** A program with these words and nothing around it. */
function started(name: string, word: string): Invocation {
  return { program: name, argv: [text(name), text(word)], environment: [] } as unknown as Invocation;
}

describe("complete records", () => {
  it.each(COMPLETE_NAMES)("know every option of %s", name => {
    const printed = printedNames(name);
    const grammar = findProgram(name)?.options;
    if (printed === undefined || grammar === undefined) return;
    const argv = (option: string) => [text(name), text(option.length === 1 ? `-${option}` : `--${option}`)];
    const missing = printed.filter(
      option =>
        // Placeholders of ranges and numbers.
        !/^(?:\d.*|NUM|M)$/.test(option) &&
        parseOptions(argv(option), { ...grammar, abbreviates: false }).options.some(
          ({ isInGrammar }) => !isInGrammar,
        ),
    );
    expect(missing).toEqual([]);
  });

  it.each(PARTLY_NAMES)("know the options of %s that they tell of, and no other passes", name => {
    const printed = printedNames(name);
    const record = findProgram(name);
    if (printed === undefined || record === undefined) return;
    const told = words(onlyOf(record) ?? "");
    const spelt = (option: string) => (option.length === 1 ? `-${option}` : `--${option}`);
    const options = (option: string) =>
      parseOptions([text(name), text(spelt(option))], record.options ?? {}).options;
    const isTold = (option: string) =>
      options(option).every(one => one.isInGrammar && told.includes(one.name));
    const silent = printed
      .filter(option => !/^\d/.test(option) && !isTold(option))
      .filter(option => findMissing(started(name, spelt(option)), []).every(({ kind }) => kind !== "option"));
    expect(silent).toEqual([]);
  });

  it.each(completeGitCommands())("know every option of git %s", subcommand => {
    const { stdout } = spawnSync("git", [subcommand, "--git-completion-helper-all"], { encoding: "utf8" });
    const printed = stdout.split(/\s+/).flatMap(word => /^--([a-z0-9][\w-]*)/.exec(word)?.[1] ?? []);
    const { known, except } = completeGitCommand(subcommand) ?? { known: new Set<string>(), except: [] };
    const isTold = (name: string) => known.has(name) || except.includes(name);
    expect(printed.filter(name => !isTold(name) && !isTold(name.replace(/^no-/, "")))).toEqual([]);
  });
});

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
