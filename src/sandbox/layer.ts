import { spawnSync } from "node:child_process";
import { Problem } from "../state/index.ts";
import { decodeName } from "../system/index.ts";

/** What a folder that caught changes holds, and nothing else can read. `emptied`: nothing from below shows in it. */
export interface LayerEntry {
  readonly kind: "deleted" | "emptied" | "directory" | "file" | "link" | "other";
  /** below the folder, without a slash in front */
  readonly path: string;
}

const KINDS: Readonly<Record<string, LayerEntry["kind"]>> = {
  W: "deleted",
  O: "emptied",
  D: "directory",
  F: "file",
  L: "link",
  X: "other",
};
const MAX_BYTES = 1024 * 1024 * 1024;

/** Folders come before what is in them. */
export function readLayer(program: string, folder: string): readonly LayerEntry[] {
  const { stdout, stderr, status } = spawnSync(program, ["--layer", folder], { maxBuffer: MAX_BYTES });
  if (status !== 0)
    throw new Problem(`what the command changed cannot be read: ${String(stderr).trim()}`, {
      kind: "failed",
    });
  const entries: LayerEntry[] = [];
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(0, at);
    const kind = KINDS[String.fromCharCode(stdout[at] ?? 0)] ?? "other";
    entries.push({ kind, path: decodeName(stdout.subarray(at + 1, end)) });
    at = end + 1;
  }
  return entries;
}
