import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";

interface Case {
  readonly kind: string;
  readonly category: string;
  readonly command: string;
}
interface Row {
  readonly name: string;
  readonly p50: number;
}
interface Outside {
  readSet(set: string, place: string): readonly Case[];
  rowsOf(
    set: string,
    cases: readonly Case[],
    judges: Record<string, (command: string) => boolean>,
  ): readonly Row[];
  bench(given: Record<string, string>): Promise<readonly Row[]>;
}
const { readSet, rowsOf, bench } = (await import(
  pathToFileURL(resolve("tests/bench/outside.mjs")).href
)) as Outside;

/** Made-up sets in the form of the public ones. */
const FILES = {
  "redcode/bash2text/bash_dataset/index5_30_codes_full.json": JSON.stringify([
    { Index: "5_1", Code: "rm -rf ~" },
    { Index: "5_2", Code: "echo made up" },
  ]),
  "redcode/bash2text/bash_dataset/index25_30_codes_full.json": JSON.stringify([{ Code: "left out" }]),
  "redcode/py2text/python_dataset/index2_30_codes_full.json": JSON.stringify([
    { Code: "open('/etc/shadow')" },
  ]),
  "dcg/corpus/git.toml":
    '[[case]]\ncommand = "git reset --hard"\nexpected = "deny"\n\n[[case]]\ncommand = "git status"\nexpected = "allow"\n',
  "tldr/pages/common/made.md":
    "# made\n\n> Made up.\n\n- Show the state:\n\n`made show {{path/to/file}}`\n\n- Delete everything:\n\n`made delete {{all}}`\n",
  "nl2bash.cm": "find . -name x\nrm -r old\n",
  "trajectories/agent-a/one.traj": JSON.stringify({
    trajectory: [{ action: "ls -la" }, { action: "ls -la" }, { action: "cat setup.py" }],
  }),
};

function sets(folder = temporaryDirectory()): string {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
const short = ({ kind, category, command }: Case) => `${kind} / ${category} / ${command}`;

describe("the outside benchmark", () => {
  it("reads each set in its own form, with the categories that were fixed before", () => {
    const folder = sets();
    expect(readSet("redcode", join(folder, "redcode")).map(short)).toEqual([
      "dangerous / 5 delete a file / rm -rf ~",
      "dangerous / 5 delete a file / echo made up",
      "dangerous / 2 open a sensitive file, Python / python3 - <<'REDCODE'\nopen('/etc/shadow')\nREDCODE",
    ]);
    expect(readSet("dcg", join(folder, "dcg")).map(short)).toEqual([
      "dangerous / corpus/git / git reset --hard",
      "ordinary / corpus/git / git status",
    ]);
    expect(readSet("tldr", join(folder, "tldr")).map(short)).toEqual([
      "ordinary / common / made show path/to/file",
    ]);
    expect(readSet("nl2bash", join(folder, "nl2bash.cm")).map(short)).toEqual([
      "ordinary / others / find . -name x",
      "ordinary / destructive / rm -r old",
    ]);
    expect(readSet("trajectories", join(folder, "trajectories")).map(short)).toEqual([
      "ordinary / agent-a / ls -la",
      "ordinary / agent-a / cat setup.py",
    ]);
  });

  it("knows Python by the set's own folders, not by where the checkout lies", () => {
    const folder = sets(join(temporaryDirectory(), "python-work"));
    const commands = (place: string) => readSet("redcode", join(folder, place)).map(({ command }) => command);
    expect(commands("redcode/bash2text")).toEqual(["rm -rf ~", "echo made up"]);
    expect(commands("redcode/py2text")).toEqual(["python3 - <<'REDCODE'\nopen('/etc/shadow')\nREDCODE"]);
  });

  it("leaves out what only has the name of a recording", () => {
    const folder = sets();
    writeFileSync(join(folder, "trajectories/tsconfig.json"), "{ // a comment\n}");
    writeFileSync(join(folder, "trajectories/two.jsonl"), '{"command":"pwd"}\n{"comm\n');
    expect(readSet("trajectories", join(folder, "trajectories")).map(({ command }) => command)).toEqual([
      "ls -la",
      "cat setup.py",
      "pwd",
    ]);
  });

  it("says in one line what a user has to put right", () => {
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [resolve("tests/bench/run.mjs"), "outside", ...words], {
        cwd: process.cwd(),
        encoding: "utf8",
      });
    const results = join(temporaryDirectory(), "results.json");
    const missing = run("--tldr", "/nowhere/at/all", "--results", results);
    expect([missing.status, missing.stderr]).toEqual([
      2,
      "measuring outside …\noutside: --tldr: there is no /nowhere/at/all\n",
    ]);
    expect(run("--results", results).stderr).toContain(
      "no set was named; see docs/maintainers/performance.md",
    );
  });

  it("says what is missing instead of measuring nothing", () => {
    expect(() => readSet("tldr", "/nowhere/at/all")).toThrow("there is no /nowhere/at/all");
    expect(() => readSet("tldr", temporaryDirectory())).toThrow("has the form: pages/<platform>/*.md");
  });

  it("counts stopped and bothered by category and guard", () => {
    const cases = [
      { kind: "dangerous", category: "a", command: "x" },
      { kind: "dangerous", category: "a", command: "y" },
      { kind: "ordinary", category: "b", command: "x" },
    ];
    expect(rowsOf("s", cases, { one: command => command === "x", other: () => false })).toEqual([
      { name: "s, a: stopped by one (2)", p50: 50, unit: "%" },
      { name: "s, a: stopped by other (2)", p50: 0, unit: "%" },
      { name: "s, b: bothered by one (1)", p50: 100, unit: "%" },
      { name: "s, b: bothered by other (1)", p50: 0, unit: "%" },
    ]);
  });

  it("judges with the built guard beside cc-safety-net, and is nothing without a set", async () => {
    expect(await bench({})).toEqual([]);
    const folder = sets();
    execFileSync(
      process.execPath,
      [
        resolve("tests/bench/run.mjs"),
        "outside",
        "--dcg",
        join(folder, "dcg"),
        "--results",
        join(folder, "results.json"),
      ],
      { stdio: "pipe" },
    );
    const { rows } = JSON.parse(readFileSync(join(folder, "results.json"), "utf8")) as {
      rows: readonly Row[];
    };
    expect(rows.map(({ name, p50 }) => [name, p50])).toEqual([
      ["dcg, corpus/git: stopped by amplihack (1)", 100],
      ["dcg, corpus/git: stopped by cc-safety-net (1)", 100],
      ["dcg, corpus/git: bothered by amplihack (1)", 0],
      ["dcg, corpus/git: bothered by cc-safety-net (1)", 0],
    ]);
  });
});
