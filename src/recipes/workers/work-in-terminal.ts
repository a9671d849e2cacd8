import { Problem } from "../../state/index.ts";
import { resolve, type System } from "../../system/index.ts";
import { isDirectory } from "../find/look.ts";
import { formatSeconds } from "../progress/plain-progress.ts";
import { Interruption, listenForSignals } from "../run/interruption.ts";
import { EXIT_CODES } from "../run/result.ts";
import { SHOWN_ID_LENGTH } from "../run-in-terminal.ts";
import { type WorkerOptions, type WorkerReport, workOnQueue } from "./worker.ts";

/** Works on a queue until a signal, and says on one line each what happens. */
export async function workInTerminal(
  system: System,
  options: Omit<WorkerOptions, "workingDir"> & { readonly workingDir: string | undefined },
  note: (text: string) => void,
): Promise<number> {
  const workingDir = resolve(system.files.workingDirectory() ?? "/", options.workingDir ?? ".");
  if (!isDirectory(system.files, workingDir))
    throw new Problem(`the working directory does not exist: ${workingDir}`, {
      kind: "usage",
      fix: "make it, or name another one with --working-dir",
      exitCode: EXIT_CODES.badArguments,
    });
  const stopping = new Interruption();
  const signals = listenForSignals(stopping);
  try {
    await workOnQueue(
      system,
      { ...options, workingDir },
      stopping,
      reportTo(note, options.queue, workingDir),
    );
  } finally {
    signals.dispose();
  }
  return 0;
}

function reportTo(note: (text: string) => void, queue: string, workingDir: string): WorkerReport {
  const short = (runId: string): string => runId.slice(0, SHOWN_ID_LENGTH);
  return {
    ready: name => note(`${name} waits for runs of the queue ${queue}, working in ${workingDir}\n`),
    started: runId => note(`▶ ${short(runId)}\n`),
    ended: (runId, { status, durationMs }) =>
      note(
        `  ${status === "FAILURE" || status === "ERROR" ? "✗" : "✓"} ${short(runId)} (${formatSeconds(durationMs / 1000)})\n`,
      ),
    left: (runId, why) =>
      note(`  ⊘ ${short(runId)} ${why === "cancelled" ? "was cancelled" : "goes on elsewhere"}\n`),
    tookOver: count => note(`Returned ${count} of a worker that is gone to the queue\n`),
    cutOff: () =>
      note(
        "The database does not answer. The running steps were ended; other workers go on with their runs.\n",
      ),
  };
}
