import { appendJsonLine } from "../../state/index.ts";
import { join } from "../../system/paths.ts";
import { hasErrorCode, type System } from "../../system/system.ts";
import type { Observer } from "./events.ts";

const MAX_NAME_LENGTH = 64;
const MAX_NAMES = 1000;

/** Makes a new audit file in the directory; throws when it cannot. */
export function createAuditLog(
  system: System,
  directory: string,
  recipeName: string,
  runId: string,
): { readonly path: string; readonly observe: Observer } {
  const path = createFile(system, directory, recipeName);
  return {
    path,
    observe(event) {
      if (event.kind !== "step_end") return;
      const { status, duration, error, output, exit_code } = event.result;
      appendJsonLine(system, path, {
        step_id: event.step.id,
        status,
        duration_ms: Math.round(duration * 1000),
        error: error === "" ? null : error,
        output_len: output.length,
        run_id: runId,
        exit_code: exit_code ?? null,
        ...(event.step.depth === 0 ? {} : { path: event.step.path }),
      });
    },
  };
}

function createFile({ files, clock }: System, directory: string, recipeName: string): string {
  const safe = recipeName.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_NAME_LENGTH);
  const base = `${safe}-${Math.floor(clock.nowMs() / 1000)}`;
  files.makeDirectory(directory, 0o700);
  for (let attempt = 0; ; attempt++) {
    const path = join(directory, attempt === 0 ? `${base}.jsonl` : `${base}-${attempt}.jsonl`);
    try {
      files.createExclusive(path, new Uint8Array(0), 0o600);
      return path;
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST") || attempt === MAX_NAMES) throw error;
    }
  }
}
