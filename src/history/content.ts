import { hasErrorCode } from "../system/index.ts";
import type { FileState } from "./change.ts";
import { digestOf, type HistoryContext } from "./context.ts";
import { factsAt } from "./path-state.ts";
import { runGit, withoutTree } from "./run-git.ts";

const GIT_MS = 10_000;

/** The bytes of a file as it was: from the store, from git, or from the disk where it is still the same. */
export async function readContent(
  { store, system }: HistoryContext,
  path: string,
  { content }: FileState,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  if (content.in === "nowhere") return undefined;
  if (content.in === "git") {
    const args = ["cat-file", "--filters", `--path=${path.slice(content.repository.length + 1)}`, content.id];
    const run = await runGit(system, args, { ...withoutTree(content.gitDirectory), timeoutMs: GIT_MS });
    return run.isOk && run.stdout.length <= limitBytes ? run.stdout : undefined;
  }
  try {
    const kept = store.readObject(content.id, limitBytes);
    if (kept !== undefined) return kept;
    if (factsAt(system.files, path)?.kind !== "file" || digestOf(system, path) !== content.id)
      return undefined;
    return system.files.read(path, limitBytes);
  } catch (error) {
    if (hasErrorCode(error, "EFBIG")) return undefined;
    throw error;
  }
}
