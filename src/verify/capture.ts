import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "../state/index.ts";
import { redact } from "../text/index.ts";
import { readExact } from "./exact-json.ts";

interface Capture {
  readonly folder: string;
  /** snake case */
  readonly hookName: string;
  readonly name: string;
  readonly input: Uint8Array;
  readonly inputText: string;
  readonly stdout: string;
  readonly exitCode: number;
  readonly durationUs: number;
  readonly isForced: boolean;
}

const NAME = /^[\w][\w.-]{0,99}$/;

export function isCaseName(name: string): boolean {
  return NAME.test(name);
}

/** Writes the golden files of one call: the exact input, the whole answer and what else it said. */
export function writeCapture(capture: Capture): readonly string[] {
  for (const [what, text] of [
    ["input", capture.inputText],
    ["answer", capture.stdout],
  ] as const) {
    if (redact(text) !== text)
      throw refusal(`the ${what} holds what looks like a secret`, "take it out, then record again");
  }
  const folder = join(capture.folder, capture.hookName);
  const path = (part: string): string => join(folder, `${capture.name}.${part}.json`);
  const paths = [path("input"), path("expected"), path("meta")];
  const taken = paths.find(existsSync);
  if (taken !== undefined && !capture.isForced)
    throw refusal(`${taken} is already there`, "add --force to replace it");
  const answer = capture.stdout.trim() === "" ? "{}" : capture.stdout.trim();
  const read = readExact(answer);
  if (!read.ok)
    throw refusal(`the answer is no JSON: ${read.problem}`, "record a program that answers in JSON");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path("input"), capture.input);
  // As it came: parsing and printing it again would round numbers beyond 2^53.
  writeFileSync(path("expected"), `${answer}\n`);
  writeFileSync(
    path("meta"),
    `${JSON.stringify({ exit_code: capture.exitCode, duration_us: capture.durationUs }, null, 2)}\n`,
  );
  return paths;
}

function refusal(message: string, fix: string): Problem {
  return new Problem(`nothing was recorded: ${message}`, { kind: "failed", fix });
}
