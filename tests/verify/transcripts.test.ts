import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { PROGRAMS } from "../hooks/executable.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const AMPLIHACK = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
const TRANSCRIPTS = fileURLToPath(new URL("../fixtures/transcripts/", import.meta.url));
const NAMES = readdirSync(TRANSCRIPTS)
  .filter(name => name.endsWith(".jsonl"))
  .map(name => name.replace(".jsonl", ""));

/** A reference that was recorded: it gives one line after the other, whatever it is asked. */
const RECORDED = `#!/bin/sh
cat > /dev/null
echo >> "$HOME/asked"
sed -n "$(wc -l < "$HOME/asked")p" "$1"
`;

function compare(name: string, candidate: readonly string[], change = (answers: string) => answers) {
  const folder = temporaryDirectory();
  const reference = join(folder, "recorded");
  const answers = join(folder, "answers.jsonl");
  writeFileSync(reference, RECORDED);
  chmodSync(reference, 0o755);
  writeFileSync(answers, change(readFileSync(join(TRANSCRIPTS, "answers", `${name}.jsonl`), "utf8")));
  const words = ["compare", "--transcript", join(TRANSCRIPTS, `${name}.jsonl`), "--format", "json"];
  const engines = ["--reference", `${reference} ${answers}`, "--candidate", candidate.join(" ")];
  const ignored = ["--ignore", "/hookSpecificOutput/permissionDecisionReason"];
  const run = spawnSync(process.execPath, [AMPLIHACK, "hooks", ...words, ...engines, ...ignored], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder },
    encoding: "utf8",
  });
  return { code: run.status, stderr: run.stderr, result: JSON.parse(run.stdout) };
}

describe("sessions recorded in the real Claude Code", () => {
  it("are at least three", () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(3);
  });

  for (const { name: program, argv } of PROGRAMS) {
    it.each(NAMES)(`are answered by the program on ${program} as recorded, call by call: %s`, name => {
      const { code, stderr, result } = compare(name, argv);
      const answers = readFileSync(join(TRANSCRIPTS, "answers", `${name}.jsonl`), "utf8");
      const unlike = result.cases.filter((one: { status: string }) => one.status !== "match");
      expect({ code, stderr, unlike }).toEqual({ code: 0, stderr: "", unlike: [] });
      expect([result.matched, result.total]).toEqual([result.total, answers.trimEnd().split("\n").length]);
    });
  }

  it("show a decision that has changed", () => {
    const { code, result } = compare("refused-commands", PROGRAMS[0]?.argv ?? [], answers =>
      answers.replace('"permissionDecision":"deny"', '"permissionDecision":"ask"'),
    );
    expect([code, result.mismatched]).toEqual([1, 1]);
  });
});
