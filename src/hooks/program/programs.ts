import { runGit } from "../../history/index.ts";
import { programPath, programToStart } from "../../state/index.ts";
import { childEnvironment, describeEnd, type System } from "../../system/index.ts";

/** What a bounded run of another program gave; `failed` tells why in a few words, never its output. */
export type ProgramOutput =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failed: string };

export interface ProgramCall {
  readonly cwd: string;
  readonly timeoutMs: number;
}

const OUTPUT_LIMIT = 1024 * 1024;

/** Asks git something that changes nothing. */
export async function askGit(
  system: Pick<System, "env" | "files" | "processes" | "text">,
  args: readonly string[],
  call: ProgramCall,
): Promise<ProgramOutput> {
  const { isOk, text, code, problem } = await runGit(system, args, call);
  if (isOk) return { ok: true, text };
  return { ok: false, failed: code === undefined || code === 0 ? problem : `exit ${code}` };
}

/** Asks GitHub's own program. */
export async function askGitHub(
  system: Pick<System, "env" | "files" | "processes" | "text">,
  args: readonly string[],
  call: ProgramCall,
): Promise<ProgramOutput> {
  if (call.timeoutMs <= 0) return { ok: false, failed: "no time left" };
  const { done } = system.processes.start({
    argv: [programToStart(system, "gh", call.cwd), ...args],
    cwd: call.cwd,
    env: childEnvironment(system, {
      PATH: programPath(system, call.cwd),
      GH_PROMPT_DISABLED: "1",
      NO_COLOR: "1",
    }),
    input: new Uint8Array(0),
    timeoutMs: call.timeoutMs,
    limits: { stdoutBytes: OUTPUT_LIMIT, tailBytes: 0, stderrBytes: 1024, drainBytes: OUTPUT_LIMIT },
  });
  const { end, stdout, stdoutTruncated } = await done;
  if (end.kind !== "exit" || end.code !== 0) return { ok: false, failed: `it ${describeEnd(end)}` };
  if (stdoutTruncated) return { ok: false, failed: "too much output" };
  return { ok: true, text: system.text.decode(stdout).text };
}
