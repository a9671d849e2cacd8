import {
  type BuiltFile,
  buildFolder,
  indexFile,
  indexText,
  MANIFEST_VERSION,
  type Manifest,
  manifestFile,
} from "../../hooks/index.ts";
import { removeIfThere } from "../../state/index.ts";
import { join, type System, writeAtomically } from "../../system/index.ts";

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
