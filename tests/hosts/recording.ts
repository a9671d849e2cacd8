import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { System } from "../../src/system/system.ts";
import { type Comparison, compareEngines } from "../../src/verify/compare.ts";
import type { TemporaryUser } from "../../src/verify/live/live.ts";
import { openSandbox } from "../../src/verify/sandbox.ts";

/** One call of our hook program by a real host. */
export interface RecordedCall {
  /** subcommand and options */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** what the project and the transcript held before the call, by path */
  readonly files: Readonly<Record<string, string>>;
  readonly stdout: string;
  readonly exitCode: number;
}

const SANDBOX = "{{SANDBOX}}";
const TIMEOUT_MS = 30_000;
/** Says what was recorded, whatever it is asked. */
const PLAYBACK = ["/bin/sh", "-c", 'cat > /dev/null; cat "$1"; exit "$2"', "playback"] as const;
/** Hosts start hooks in the project; here home and project lie side by side in the sandbox, as they did then. */
const IN_PROJECT = ["/bin/sh", "-c", 'cd project && exec "$@"', "candidate"] as const;

/** In the order in which they were made, with the places of the temporary user taken out. */
export function readCalls(folder: string, user: TemporaryUser): readonly RecordedCall[] {
  const neutral = (text: string) => text.replaceAll(dirname(user.home), SANDBOX);
  return readdirSync(folder)
    .filter(name => name.endsWith(".json"))
    .toSorted()
    .map(name => JSON.parse(neutral(readFileSync(join(folder, name), "utf8"))) as RecordedCall);
}

/**
 * Asks a program again for all that was recorded, in order and in one sandbox, so that what hooks remember carries
 * over; and compares its answers with those the host got.
 */
export async function replay(
  system: System,
  calls: readonly RecordedCall[],
  candidate: readonly string[],
  scratch: string,
): Promise<readonly Comparison[]> {
  const sandboxes = { reference: openSandbox({}), candidate: openSandbox({}) };
  const results: Comparison[] = [];
  try {
    const { path, fillIn } = sandboxes.candidate;
    mkdirSync(join(path, "home"));
    const seed = { "project/.git/HEAD": "ref: refs/heads/work\n", "project/.git/config": "" };
    for (const [name, text] of Object.entries(seed)) write(join(path, name), text);
    for (const [index, call] of calls.entries()) {
      for (const [name, text] of Object.entries(call.files)) write(fillIn(name), fillIn(text));
      const answer = join(scratch, `answer-${index}`);
      writeFileSync(answer, call.stdout);
      const [subcommand = "", ...args] = call.args;
      const engines = {
        reference: { words: [...PLAYBACK, answer, String(call.exitCode)] },
        candidate: { words: [...IN_PROJECT, ...candidate] },
      };
      const input = {
        name: `call ${index}`,
        event: subcommand,
        subcommand,
        input: system.text.encode(call.input),
        env: { ...call.env, HOME: `${SANDBOX}/home` },
        args,
      };
      results.push(await compareEngines(system, engines, input, { timeoutMs: TIMEOUT_MS }, sandboxes));
    }
  } finally {
    sandboxes.reference.remove();
    sandboxes.candidate.remove();
  }
  return results;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
