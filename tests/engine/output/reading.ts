import { DEFAULT_LIMITS, type Limits } from "../../../src/engine/options.ts";
import { interpretClaude } from "../../../src/handlers/claude-output.ts";
import type { HandlerVerdict, RawResult } from "../../../src/handlers/result.ts";
import { captureText } from "../../../src/handlers/result.ts";
import { describeEvent, type Effect } from "../../../src/protocol/index.ts";
import { utf8 } from "../../../src/system/utf8.ts";

export interface Said {
  readonly stdout?: string | Uint8Array;
  readonly stderr?: string;
  readonly code?: number;
  readonly end?: RawResult["end"];
  readonly limits?: Partial<Limits>;
}

/** What a process printed and how it ended, as the runner hands it on: cut to its limits and decoded. */
export function rawResult({ stdout = "", stderr = "", code = 0, end, limits = {} }: Said): RawResult {
  const { stdoutBytes, tailBytes } = { ...DEFAULT_LIMITS, ...limits };
  const bytes = typeof stdout === "string" ? utf8.encode(stdout) : stdout;
  const isTruncated = bytes.length > stdoutBytes;
  const rest = bytes.subarray(stdoutBytes);
  const tail = rest.subarray(Math.max(0, rest.length - tailBytes));
  return {
    end: end ?? { kind: "exit", code },
    stdout: captureText(utf8, bytes.subarray(0, stdoutBytes), isTruncated, tail),
    stderr,
    diagnostics: [],
  };
}

export function readClaude(event: string, said: Said): HandlerVerdict {
  const limits = { ...DEFAULT_LIMITS, ...said.limits };
  return interpretClaude(rawResult(said), { event: describeEvent(event), limits });
}

export function codesOf({ effect }: HandlerVerdict): string[] {
  return (effect.diagnostics ?? []).map(({ code }) => code);
}

export function withoutDiagnostics({ diagnostics: _, ...rest }: Effect): Effect {
  return rest;
}
