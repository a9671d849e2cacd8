import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/protocol/index.ts";
import {
  type GoldenCase,
  type GoldenRun,
  goldenCases,
  goldenHooks,
  type LeftFile,
  type RunGolden,
} from "./golden-case.ts";
import { differences } from "./matches.ts";
import { runInMemory } from "./run-in-memory.ts";
import { runProgram } from "./run-program.ts";

// Every case says what the specification wants, never what the program happened to say. In memory unless
// GOLDEN_PROGRAM names a program, as words parted by blanks: GOLDEN_PROGRAM="node dist/bin/amplihack-hooks.cjs".

const WANTED: Readonly<Record<string, number>> = {
  pre_tool_use: 200,
  stop: 100,
  post_tool_use: 100,
  user_prompt_submit: 100,
  session_start: 50,
  pre_compact: 50,
  session_stop: 30,
};

const run = chooseRunner(process.env["GOLDEN_PROGRAM"]);

function chooseRunner(words: string | undefined): RunGolden {
  const [program, ...rest] = words?.split(" ").filter(word => word !== "") ?? [];
  if (program === undefined) return runInMemory;
  const resolved = rest.map(word => (word.endsWith("js") ? `${process.cwd()}/${word}` : word));
  return runProgram([program, ...resolved]);
}

for (const hook of goldenHooks()) {
  const cases = goldenCases(hook);
  describe(`${hook} answers as written`, () => {
    it.each(cases.map(golden => [golden.name, golden] as const))("%s", async (_, golden) => {
      expect(complaints(golden, await run(golden))).toEqual([]);
    });
  });
}

describe("the golden set", () => {
  it.each(Object.entries(WANTED))("has enough cases of %s: %d", (hook, wanted) => {
    expect(goldenCases(hook).length).toBeGreaterThanOrEqual(wanted);
  });

  it("lists every corrected fault of the original in BUGS.md", () => {
    const list = readFileSync(join(import.meta.dirname, "BUGS.md"), "utf8");
    const corrected = goldenHooks()
      .flatMap(goldenCases)
      .filter(({ meta }) => meta.reference_bug !== undefined);
    const missing = corrected.filter(
      ({ name, meta }) => !list.includes(`\`${name}\``) || !list.includes(meta.reference_bug ?? ""),
    );
    expect(missing.map(({ hook, name }) => `${hook}/${name}`)).toEqual([]);
  });
});

function complaints(golden: GoldenCase, ended: GoldenRun): readonly string[] {
  const { meta, expected } = golden;
  const found: string[] = [];
  if (ended.exitCode !== (meta.exit_code ?? 0)) found.push(`exit code ${ended.exitCode}`);
  const { stdout } = ended;
  if (stdout !== "" && (!stdout.endsWith("\n") || stdout.trimEnd().includes("\n"))) {
    found.push(`stdout must be one line: ${stdout}`);
  }
  const normal = (text: string) => text.replaceAll(ended.sandbox, "{{SANDBOX}}");
  found.push(
    ...differences(expected, JSON.parse(normal(stdout === "" ? "{}" : stdout)) as Json).map(
      line => `stdout ${line}`,
    ),
  );
  const lines = ended.stderr.trimEnd().split("\n");
  if (!/^\{"hook":/.test(lines.at(-1) ?? ""))
    found.push(`stderr must end with the telemetry line: ${lines.at(-1)}`);
  for (const text of meta.stderr_contains ?? []) {
    if (!ended.stderr.includes(text)) found.push(`stderr lacks ${text}: ${ended.stderr}`);
  }
  for (const text of meta.stderr_lacks ?? []) {
    if (ended.stderr.includes(text)) found.push(`stderr must not hold ${text}`);
  }
  if (meta.asked !== undefined) {
    const asked = JSON.parse(normal(JSON.stringify(ended.asked))) as Json;
    found.push(...differences(meta.asked, asked).map(line => `bridge ${line}`));
  }
  for (const [path, wanted] of Object.entries(meta.leaves ?? {})) {
    found.push(...leftDifferences(wanted, ended.look(path), normal).map(line => `${path} ${line}`));
  }
  return found;
}

function leftDifferences(
  wanted: LeftFile,
  left: ReturnType<GoldenRun["look"]>,
  normal: (text: string) => string,
): readonly string[] {
  if (wanted === null) return left === undefined ? [] : ["must not be there"];
  if (left === undefined) return ["is missing"];
  if ("names" in wanted)
    return "names" in left ? differences([...wanted.names].sort(), [...left.names].sort()) : ["is a file"];
  if ("names" in left) return ["is a directory"];
  const text = normal(left.text);
  if ("text" in wanted) return differences(wanted.text, text);
  if ("json" in wanted) return differences(wanted.json, JSON.parse(text) as Json);
  const lines = text.split("\n").filter(line => line !== "");
  return differences(
    [...wanted.jsonl],
    lines.map(line => JSON.parse(line) as Json),
  );
}
