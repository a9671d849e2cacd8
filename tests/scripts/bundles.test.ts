import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { STOCK_HOOKS } from "../../src/protocol/index.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const read = (file: string): string => readFileSync(file, "utf8");
const files = readdirSync(dist, { recursive: true, encoding: "utf8" })
  .filter(name => /\.c?js$/.test(name) && !name.startsWith("native"))
  .map(name => join(dist, name));

/** Every file that loading one of the built files loads. What it may load later stands behind `import()`. */
function reachableFrom(entry: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(entry)) return found;
  found.add(entry);
  for (const [, path = ""] of read(entry).matchAll(/(?:\bfrom|\bimport)\s*"(\.[^"]+\.js)"/g))
    reachableFrom(join(dirname(entry), path), found);
  return found;
}

describe("the dashboard's page", () => {
  const holders = files.filter(file => read(file).includes("prefers-color-scheme"));
  const entries = files.filter(file => !file.includes("/chunks/"));

  it("is part of one file", () => {
    expect(holders).toHaveLength(1);
  });

  it("is loaded by no command before it is wanted", () => {
    const carriers = entries.filter(entry => holders.some(holder => reachableFrom(entry).has(holder)));
    expect(carriers.map(entry => relative(dist, entry))).toEqual([]);
  });
});

describe("commands that people type all day", () => {
  /** What they said, the files of ours that were loaded, and what of Node. */
  function typed(
    words: readonly string[],
    program = join(dist, "bin/amplihack.cjs"),
    home = temporaryDirectory(),
  ) {
    const coverage = join(home, "coverage");
    const modules = join(temporaryDirectory(), "modules");
    const atExit = join(dirname(modules), "at-exit.cjs");
    writeFileSync(
      atExit,
      `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(modules)}, process.moduleLoadList.join()));`,
    );
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
      cwd: home,
      env: {
        PATH: process.env["PATH"],
        HOME: home,
        NODE_V8_COVERAGE: coverage,
        NODE_OPTIONS: `--require ${atExit}`,
      },
      encoding: "utf8",
    });
    const [file = ""] = readdirSync(coverage);
    const { result } = JSON.parse(readFileSync(join(coverage, file), "utf8")) as {
      result: readonly { url: string }[];
    };
    const loaded = result.map(({ url }) => url).filter(url => url.includes("/dist/"));
    return {
      said: { status, stdout: stdout.replaceAll(home, "~"), stderr },
      loaded,
      ofNode: read(modules).split(","),
    };
  }

  /** The same, said by the modules that the library is made of. */
  function saidByModules(words: readonly string[]) {
    const program = join(temporaryDirectory(), "modules.mjs");
    writeFileSync(
      program,
      `import { runProgram } from ${JSON.stringify(pathToFileURL(join(dist, "cli/program.js")).href)};
process.argv[1] = ${JSON.stringify(join(dist, "bin/amplihack.cjs"))};
process.exitCode = await runProgram(process.argv.slice(2), ${JSON.stringify(join(dist, "commands"))});`,
    );
    return typed(words, program).said;
  }

  it.each([
    ["status"],
    ["history"],
    ["undo", "--dry-run"],
    ["guard", "test", "rm -rf ~"],
    ["guard", "test", "python3 -c 'import shutil; shutil.rmtree(\"/\")'"],
    ["history", "--nonsense"],
    ["guard", "scan", "--help"],
  ])("are one file, and say what the modules say: %s %s %s", (...words) => {
    const { said, loaded, ofNode } = typed(words);
    expect(said).toEqual(saidByModules(words));
    expect(loaded.filter(url => url.endsWith(".js") || url.endsWith("/lazy-commands.cjs"))).toEqual([]);
    // The program, the command, what judges and what reads code.
    expect(loaded.length).toBeLessThanOrEqual(words[0] === "guard" ? 4 : 2);
    // They take longer to load than the command to run.
    expect(ofNode.filter(name => /child_process|NativeModule (?:net|tty)$/.test(name))).toEqual([]);
  });

  it("are one file for who has built hooks of their own, too", () => {
    const home = temporaryDirectory();
    mkdirSync(join(home, ".amplihack/hooks/.build"), { recursive: true });
    const { said, loaded } = typed(["status"], undefined, home);
    expect(said.status).toBe(0);
    expect(loaded.map(url => basename(url))).toEqual(["amplihack.cjs", "command-status.cjs"]);
  });

  it("analyse nothing where the command to be judged is plainly harmless", () => {
    const { said, loaded } = typed(["guard", "test", "npm test"]);
    expect(said.stdout).toBe("ALLOW\n");
    expect(loaded.map(url => basename(url))).toEqual(["amplihack.cjs", "command-guard.cjs"]);
  });

  it("read a file once, whatever number of its parts they need", () => {
    const { loaded } = typed(["guard", "suggest"]);
    expect(loaded.filter((url, index) => loaded.indexOf(url) !== index)).toEqual([]);
  });

  it.each(["status", "guard", "undo"])("make no tables of what JSON is indented with: %s", name => {
    const bundle = read(join(dist, `bin/hook-entries/command-${name}.cjs`));
    expect(bundle).not.toMatch(/fill\(0\)\.map/);
  });

  it.each([
    ["history", "--all-projects"],
    ["history", "verify"],
    ["guard", "scan", "."],
    ["guard", "programs", "curl"],
    ["guard", "log"],
    ["guard", "suggest"],
  ])("go on with the file that they share, and say what the modules say: %s %s", (...words) => {
    expect(typed(words).said).toEqual(saidByModules(words));
  });
});

describe("what every hook loads when it starts", () => {
  const entries = join(dist, "bin/hook-entries");
  /** A kind of node that the parser of shell text makes. */
  const brings = (name: string): boolean => read(join(entries, `${name}.cjs`)).includes("ArithmeticCommand");

  it("has no parser of shell text: the guard brings one along, and what tries rules of users' hooks", () => {
    const carriers = [...STOCK_HOOKS.map(hook => hook.name), "no-opinion"].filter(brings);
    expect(carriers).toEqual([]);
    expect(["lazy-guard-guard", "lazy-command-rule"].filter(brings)).toHaveLength(2);
  });
});
