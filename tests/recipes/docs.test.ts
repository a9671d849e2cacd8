import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as library from "../../src/exports/recipes.ts";
import { buildCli } from "./built-cli.ts";
import { recipeMachine, scriptedAgent } from "./recipe-machine.ts";

const page = readFileSync(new URL("../../docs/recipes.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(match => ({
  language: match[1] ?? "",
  content: match[2] ?? "",
}));
const recipes = blocks
  .filter(({ language }) => language === "yaml")
  .map(({ content }) => {
    const [, name = "", kind = "recipe"] = /^# file: (\S+)(?: (\w+))?\n/.exec(content) ?? [];
    return { name, kind, content: content.replace(/^.*\n/, "") };
  });
const sessions = blocks.filter(({ language }) => language === "console").map(({ content }) => content);
const cli = buildCli();

/** A machine with every file of the page, `amplihack` on its path and an agent that answers the example. */
function documentedMachine() {
  const machine = recipeMachine();
  for (const { name, content } of recipes) machine.write(name, content);
  const bin = join(machine.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "amplihack"), `#!/bin/sh\nexec "${process.execPath}" "${cli.path}" "$@"\n`);
  chmodSync(join(bin, "amplihack"), 0o755);
  machine.env["PATH"] = `${bin}:${machine.env["PATH"]}`;
  scriptedAgent(machine, `echo '{"risks": ["scope", "time", "trust"]}'`);
  return machine;
}

/** `…` in a line stands for any text; a line that is only `…` for any lines. */
function matches(expected: readonly string[], actual: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first === "…")
    return actual.some((_, index) => matches(rest, actual.slice(index))) || rest.length === 0;
  const [line, ...others] = actual;
  if (line === undefined) return false;
  const pattern = first
    .split("…")
    .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${pattern}$`).test(line) && matches(rest, others);
}

const linesOf = (text: string): string[] => text.replace(/\n+$/, "").split("\n");

describe("the page about recipes", () => {
  it.each(recipes.filter(({ kind }) => kind !== "data"))("shows $name, which is $kind", ({ name, kind }) => {
    const machine = documentedMachine();
    const { errors } = library.validateRecipe({ recipe: name }, machine.system);
    expect(errors.length === 0).toBe(kind !== "invalid");
  });

  it.each(sessions.map(session => [session.split("\n")[0], session]))("%s", (_, session) => {
    const machine = documentedMachine();
    let runId = "";
    for (const part of session.split(/^\$ /m).slice(1)) {
      const [command = "", ...expected] = linesOf(part);
      const end = spawnSync("/bin/bash", ["-c", command], {
        cwd: machine.project,
        env: { ...machine.env, RUN_ID: runId },
        encoding: "utf8",
      });
      runId = /--resume (\S+)/.exec(end.stdout)?.[1] ?? runId;
      const printed = command.includes("--format json")
        ? [JSON.stringify(JSON.parse(end.stdout)).replaceAll('":"', '": "')]
        : linesOf(end.stdout);
      if (expected.length > 0 && !matches(expected, printed))
        expect(printed.join("\n")).toBe(expected.join("\n"));
    }
  });

  it("names functions that the library has", () => {
    const [, names = ""] = /import \{ (.*) \} from "amplihack\/recipes"/.exec(page) ?? [];
    expect(names.split(", ").every(name => Object.hasOwn(library, name))).toBe(true);
    const { exports } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      exports: Record<string, unknown>;
    };
    expect(exports["./recipes"]).toEqual({
      types: "./dist/types/exports/recipes.d.ts",
      default: "./dist/recipes/index.js",
    });
    expect(exports["./schemas/*.json"]).toBe("./schemas/*.json");
  });

  it("shows calls that do what they say", async () => {
    const machine = documentedMachine();
    expect(library.parseRecipe("name: r\nsteps: [{id: a, command: echo hi}]\n")).toMatchObject({
      recipe: { name: "r" },
      errors: [],
    });
    expect(library.evaluateCondition("count > 2", { count: 3 })).toEqual({ ok: true, value: true });
    expect(library.renderTemplate("Hello, {{who}}", { who: "Ada" }).value).toBe("Hello, Ada");
    expect(library.validateRecipe({ recipe: "greet.yaml" }, machine.system).isValid).toBe(true);
    const { document, exitCode } = await library.runRecipe(
      { recipe: "greet.yaml", context: { who: "Ada" } },
      machine.system,
    );
    expect({ document, exitCode }).toMatchObject({ exitCode: 0, document: { status: "SUCCESS" } });
  });
});
