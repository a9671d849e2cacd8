/**
 * Stands in for our hook program, asks it, and keeps what was asked and answered, with what the project and the
 * transcript held at that moment: `node recording-hook.cjs FOLDER PROJECT PROGRAM SUBCOMMAND … < payload`.
 */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { RecordedCall } from "../recording.ts";

const [folder = "", project = "", program = "", ...args] = process.argv.slice(2);
const HOST_MARKS = /^(?:CLAUDE|COPILOT_|GEMINI_|OPENCODE|PI_CODING_AGENT|CODEX_)/;
const TRANSCRIPT_PATH = /("transcript_?[pP]ath":")([^"]+)(")/;

const order = String(process.hrtime.bigint()).padStart(24, "0");
const copy = join(folder, "transcripts", `${order}.jsonl`);
const input = readFileSync(0, "utf8").replace(TRANSCRIPT_PATH, freezeTranscript);
const files = { ...projectFiles(), ...(existsSync(copy) ? { [copy]: readFileSync(copy, "utf8") } : {}) };
const ran = spawnSync(process.execPath, [program, ...args], { input, encoding: "utf8" });
const record: RecordedCall = {
  args,
  env: Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      HOST_MARKS.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  ),
  input,
  files,
  stdout: ran.stdout,
  exitCode: ran.status ?? -1,
};
if (args[0] !== "--version")
  writeFileSync(join(folder, `${order}-${process.pid}.json`), JSON.stringify(record));
process.stdout.write(ran.stdout);
process.stderr.write(ran.stderr);
process.exitCode = ran.status ?? 1;

function projectFiles(): Readonly<Record<string, string>> {
  const names = existsSync(project) ? readdirSync(project) : [];
  const paths = names.map(name => join(project, name)).filter(path => statSync(path).isFile());
  return Object.fromEntries(paths.map(path => [path, readFileSync(path, "utf8")]));
}

/** Hosts go on writing while a hook runs; ours is given a copy, so that it sees now what it sees when replayed. */
function freezeTranscript(found: string, before: string, path: string, after: string): string {
  if (!existsSync(path)) return found;
  mkdirSync(join(folder, "transcripts"), { recursive: true });
  copyFileSync(path, copy);
  return before + copy + after;
}
