import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A fresh directory that is removed when the test ends. Its path has no symlinks in it. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "amplihack-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
