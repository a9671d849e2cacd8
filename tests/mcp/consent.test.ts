import { spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readGiven } from "../../src/hooks/program/grants.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { connect, textOf } from "./connected.ts";

const recipe = (command: string) => `name: r\nsteps: [{id: a, command: "${command}"}]\n`;
const yes = { action: "accept", content: { run: true } } as const;

/** Ways in which the file behind a name becomes another. */
const SWAPS: Readonly<Record<string, (path: string, other: string) => void>> = {
  "in place": path => writeFileSync(path, recipe("echo swapped")),
  "by a rename": (path, other) => renameSync(other, path),
  "by a link": (path, other) => {
    rmSync(path);
    symlinkSync(other, path);
  },
  "by a hard link": (path, other) => {
    rmSync(path);
    linkSync(other, path);
  },
  "by taking it away": path => rmSync(path),
};

describe("a recipe that a person is asked about", () => {
  it.each(Object.keys(SWAPS))("does not run when it is swapped %s while the question is open", async how => {
    const connected = await connect({
      answer: () => {
        SWAPS[how]?.(path, other);
        return yes;
      },
    });
    const path = join(connected.project, "r.yaml");
    const other = join(connected.project, "other.yaml");
    writeFileSync(path, recipe("echo asked"));
    writeFileSync(other, recipe("echo swapped"));
    const result = await connected.call("recipe_run", { recipe: path });
    expect(result.isError).toBe(true);
    expect(textOf(result)).not.toContain('"output": "swapped"');
    expect(textOf(result)).toMatch(/changed since you were asked|not found|no recipe|does not exist/i);
  });

  it("runs when it is as it was", async () => {
    const { call, project } = await connect({ answer: () => yes });
    writeFileSync(join(project, "r.yaml"), recipe("echo asked"));
    expect(textOf(await call("recipe_run", { recipe: join(project, "r.yaml") }))).toContain("asked");
  });

  it("is told to the next session, whoever said yes, and not where nobody did", async () => {
    const { call, home, project, context } = await connect({ answer: () => answers.shift() ?? yes });
    const answers: (typeof yes | { readonly action: "decline" })[] = [{ action: "decline" }, yes];
    writeFileSync(join(project, "r.yaml"), recipe("echo asked"));
    const stateHome = join(home, ".amplihack");
    await call("recipe_run", { recipe: join(project, "r.yaml") });
    expect(readGiven(context.system, stateHome)).toEqual([]);
    await call("recipe_run", { recipe: join(project, "r.yaml") });
    expect(readGiven(context.system, stateHome)).toMatchObject([
      { command: expect.stringContaining("amplihack recipe run"), host: "the MCP client test client" },
    ]);
  });

  it("is asked about in words that show, whatever stands in its name", async () => {
    const { call, project, questions } = await connect({ answer: () => ({ action: "decline" }) });
    const path = join(project, "a\u202eb\u200b\nc.yaml");
    writeFileSync(path, recipe("echo asked"));
    await call("recipe_run", { recipe: path });
    expect(questions.join()).toContain("a\\u202eb\\u{200b}\\nc.yaml");
    expect(questions.join()).not.toMatch(/[\u202e\u200b]/);
  });

  it.each(["desktop", "service"])("is not permitted by a client where consent is %s", async consent => {
    const { call, home, project, questions } = await connect({ answer: () => yes });
    mkdirSync(join(home, ".amplihack"), { recursive: true });
    writeFileSync(join(home, ".amplihack", "config.jsonc"), JSON.stringify({ consent }), { mode: 0o600 });
    writeFileSync(join(project, "r.yaml"), recipe("echo asked"));
    const result = await call("recipe_run", { recipe: join(project, "r.yaml") });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("amplihack guard allow-once");
    expect(questions).toEqual([]);
  });

  it("is not asked about where the question would not reach a person", async () => {
    const { call, project, questions } = await connect({ answer: () => yes, isUnheard: true });
    writeFileSync(join(project, "r.yaml"), recipe("echo asked"));
    const result = await call("recipe_run", { recipe: join(project, "r.yaml") });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("amplihack guard allow-once");
    expect(questions).toEqual([]);
  });
});

const TREE = fileURLToPath(new URL("../../src/hooks/program/process-tree.ts", import.meta.url));

/** Bundled, and asked by a process below a chain of processes with these names. */
async function isStartedByHostBelow(chain: readonly string[], isRecorded: boolean): Promise<boolean> {
  const folder = temporaryDirectory();
  const { build } = await import("esbuild");
  const probe = join(folder, "probe.mjs");
  await build({
    stdin: {
      contents: `
import { renameSync, writeFileSync } from "node:fs";
import { isStartedByHost, rememberHost } from ${JSON.stringify(TREE)};
import { createNodeSystem } from ${JSON.stringify(TREE.replace("hooks/program/process-tree.ts", "system/node.ts"))};
const system = createNodeSystem();
if (${isRecorded}) rememberHost(system, ${JSON.stringify(folder)});
writeFileSync(${JSON.stringify(join(folder, "answer.new"))}, String(isStartedByHost(system, ${JSON.stringify(folder)})));
renameSync(${JSON.stringify(join(folder, "answer.new"))}, ${JSON.stringify(join(folder, "answer"))});`,
      resolveDir: folder,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    outfile: probe,
    logLevel: "silent",
    packages: "external",
  });
  const bin = join(folder, "bin");
  mkdirSync(bin);
  // Each starts the next by its own name; the last starts the probe.
  const starter = join(folder, "start.cjs");
  writeFileSync(
    starter,
    `const { spawnSync } = require("node:child_process");
const [next, ...rest] = process.argv.slice(2);
const words = next === undefined ? [${JSON.stringify(probe)}] : [${JSON.stringify(starter)}, ...rest];
spawnSync(next ?? process.execPath, words, { env: {} });`,
  );
  for (const name of new Set(chain)) symlinkSync(process.execPath, join(bin, name));
  const [first, ...others] = chain.map(name => join(bin, name));
  // Left alone by what starts it: who runs the tests must not matter.
  spawnSync("setsid", ["-f", "env", "-i", first ?? "", starter, ...others], { stdio: "ignore" });
  const answer = join(folder, "answer");
  while (!existsSync(answer)) await new Promise(resolve => setTimeout(resolve, 20));
  return readFileSync(answer, "utf8") === "true";
}

describe("a server whose client may ask", () => {
  it.each([
    ["a host that runs our hooks", ["editor"], true, true],
    ["a program that nobody knows", ["client"], false, false],
  ])("is started by %s", async (_, chain, isRecorded, expected) => {
    expect(await isStartedByHostBelow(chain, isRecorded)).toBe(expected);
  });

  it("is not started by a program below an agent", async () => {
    expect(await isStartedByHostBelow(["claude", "client"], false)).toBe(false);
    expect(await isStartedByHostBelow(["claude", "client"], true)).toBe(false);
    expect(await isStartedByHostBelow(["claude", "claude"], false)).toBe(false);
  });
});
