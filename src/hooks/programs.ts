import { childEnvironment } from "../system/child-environment.ts";
import type { System } from "../system/system.ts";

/** What a bounded run of another program gave; `failed` tells why in a few words, never its output. */
export type ProgramOutput =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failed: string };

export interface ProgramCall {
  readonly cwd: string;
  readonly timeoutMs: number;
}

const OUTPUT_LIMIT = 1024 * 1024;

/** Asks git something that changes nothing. Configured helper programs of the repository are kept out. */
export function askGit(
  system: Pick<System, "env" | "processes" | "text">,
  args: readonly string[],
  call: ProgramCall,
): Promise<ProgramOutput> {
  return ask(system, ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", ...args], call, {
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
  });
}

/** Asks GitHub's own program. */
export function askGitHub(
  system: Pick<System, "env" | "processes" | "text">,
  args: readonly string[],
  call: ProgramCall,
): Promise<ProgramOutput> {
  return ask(system, ["gh", ...args], call, { GH_PROMPT_DISABLED: "1", NO_COLOR: "1" });
}

async function ask(
  system: Pick<System, "env" | "processes" | "text">,
  argv: readonly [string, ...string[]],
  call: ProgramCall,
  changes: Readonly<Record<string, string>>,
): Promise<ProgramOutput> {
  if (call.timeoutMs <= 0) return { ok: false, failed: "no time left" };
  const { done } = system.processes.start({
    argv,
    cwd: call.cwd,
    env: childEnvironment(system, changes),
    input: new Uint8Array(0),
    timeoutMs: call.timeoutMs,
    limits: { stdoutBytes: OUTPUT_LIMIT, tailBytes: 0, stderrBytes: 1024, drainBytes: OUTPUT_LIMIT },
  });
  const { end, stdout, stdoutTruncated } = await done;
  switch (end.kind) {
    case "exit":
      if (end.code !== 0) return { ok: false, failed: `exit ${end.code}` };
      if (stdoutTruncated) return { ok: false, failed: "too much output" };
      return { ok: true, text: system.text.decode(stdout).text };
    case "signal":
      return { ok: false, failed: end.signal };
    case "not-started":
      return { ok: false, failed: end.code === "ENOENT" ? `${argv[0]} not found` : end.code };
    default:
      return { ok: false, failed: end.kind };
  }
}
