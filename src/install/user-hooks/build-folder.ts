import {
  type BuiltFile,
  buildFolder,
  MANIFEST_VERSION,
  type Manifest,
  manifestFile,
} from "../../hooks/user/manifest.ts";
import { indexFile, indexText } from "../../hooks/user/wanted-index.ts";
import { removeIfThere } from "../../state/absent-files.ts";
import { writeAtomically } from "../../system/atomic-write.ts";
import { join } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";

/** A run may have read the manifest before this one: what it names is kept for a while. */
const KEPT_MS = 60 * 60 * 1000;

export function writeManifest(system: System, stateHome: string, manifest: Manifest): void {
  const text = `${JSON.stringify({ version: MANIFEST_VERSION, ...manifest })}\n`;
  const write = (path: string, content: string) =>
    writeAtomically(system, path, system.text.encode(content), { mode: 0o600 });
  write(manifestFile(stateHome), text);
  write(indexFile(stateHome), indexText(manifest, text.length));
}

/** Compiled files that no manifest has named for an hour. */
export function removeOldCode(system: System, stateHome: string, { files }: Manifest): void {
  const folder = buildFolder(stateHome);
  const used = new Set(files.map(({ code }: BuiltFile) => code));
  for (const name of system.files.list(folder)) {
    if (!/^[0-9a-f]{32}\.m?js$/.test(name) || used.has(name)) continue;
    const path = join(folder, name);
    const facts = system.files.inspect(path);
    if (facts !== undefined && system.clock.nowMs() - facts.modifiedMs > KEPT_MS)
      removeIfThere(system.files, path);
  }
}
