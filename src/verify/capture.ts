import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { redact } from "../guard/redact.ts";
import { readExact } from "./exact-json.ts";

export interface Capture {
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

/** Writes the golden files of one call: the exact input, the whole answer and what else it said. */
export function writeCapture(capture: Capture): readonly string[] {
  if (!NAME.test(capture.name))
    throw new Error(`'${capture.name}' is no name for a case: letters, digits, . _ - only`);
  for (const [what, text] of [
    ["input", capture.inputText],
    ["answer", capture.stdout],
  ] as const) {
    if (redact(text) !== text)
      throw new Error(`the ${what} holds what looks like a secret; take it out before recording`);
  }
  const folder = join(capture.folder, capture.hookName);
  const path = (part: string): string => join(folder, `${capture.name}.${part}.json`);
  const paths = [path("input"), path("expected"), path("meta")];
  const taken = paths.find(existsSync);
  if (taken !== undefined && !capture.isForced)
    throw new Error(`${taken} is already there; add --force to replace it`);
  const answer = capture.stdout.trim() === "" ? "{}" : capture.stdout.trim();
  const read = readExact(answer);
  if (!read.ok) throw new Error(`the answer is no JSON: ${read.problem}; nothing was recorded`);
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
