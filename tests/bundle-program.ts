import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll } from "vitest";
import { buildConstants } from "../scripts/build-constants.mjs";

const PACKAGES = fileURLToPath(new URL("../node_modules", import.meta.url));

/**
 * Bundles a TypeScript entry as the hook programs are bundled, CommonJS in one file, and gives its path. For
 * tests that need a process of their own. Call it at the top of a test file or in `describe`. Packages with
 * native parts are `external`: the program then lies where they are found.
 */
export function bundleProgram(entry: URL, external: readonly string[] = []): string {
  const folder = mkdtempSync(join(external.length === 0 ? tmpdir() : PACKAGES, ".amplihack-program-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const source = fileURLToPath(entry);
  const outfile = join(folder, `${basename(source, ".ts")}.cjs`);
  buildSync({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    mainFields: ["module", "main"],
    define: buildConstants(),
    logLevel: "warning",
    external: [...external],
  });
  return outfile;
}
