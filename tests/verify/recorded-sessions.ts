import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";

const AMPLIHACK = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
const TRANSCRIPTS = fileURLToPath(new URL("../fixtures/transcripts/", import.meta.url));
/** Sessions recorded in the real Claude Code, by name. */
export const SESSIONS = readdirSync(TRANSCRIPTS)
  .filter(name => name.endsWith(".jsonl"))
  .map(name => name.replace(".jsonl", ""));

/** A reference that was recorded: it gives one line after the other, whatever it is asked. */
const RECORDED = `#!/bin/sh
cat > /dev/null
echo >> "$HOME/asked"
sed -n "$(wc -l < "$HOME/asked")p" "$1"
`;

/** Plays a session to a program and compares its answers with the recorded ones. */
export function compareSession(
  name: string,
  candidate: readonly string[],
  change = (answers: string) => answers,
) {
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

export function expectAsRecorded(name: string, candidate: readonly string[]): void {
  const { code, stderr, result } = compareSession(name, candidate);
  const answers = readFileSync(join(TRANSCRIPTS, "answers", `${name}.jsonl`), "utf8");
  const unlike = result.cases.filter((one: { status: string }) => one.status !== "match");
  expect({ code, stderr, unlike }).toEqual({ code: 0, stderr: "", unlike: [] });
  expect([result.matched, result.total]).toEqual([result.total, answers.trimEnd().split("\n").length]);
}
