import { readJsonc } from "../../config/index.ts";
import type { Json } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";

/** Claude Code keeps more than settings in one of them. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** A JSON file of another program; undefined where there is none that can be read. */
export function readSettingsFile(system: Pick<System, "files" | "text">, path: string): Json | undefined {
  if (system.files.follow(path)?.kind !== "file") return undefined;
  const read = readJsonc(system.text.decode(system.files.read(path, MAX_FILE_BYTES)).text);
  return read.ok ? read.value : undefined;
}
