import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VARIABLE = "AMPLIHACK_TEST_BUILDS";

/** Where test files put what they build and share: inside node_modules, so that packages are found from there. */
export function buildFolder(): string {
  const folder = process.env[VARIABLE];
  if (folder === undefined) throw new Error("tests/build-folder.ts is not among the runner's global setups");
  return folder;
}

/** Lets the folder last as long as the run. */
export default function makeBuildFolder(): () => void {
  const cache = fileURLToPath(new URL("../node_modules/.cache", import.meta.url));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "amplihack-tests-"));
  process.env[VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
