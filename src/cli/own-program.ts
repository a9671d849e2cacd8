import { realpathSync } from "node:fs";

/** The file that runs, behind the link by which npm puts it on PATH. */
export function ownProgram(): string {
  return realpathSync(process.argv[1] ?? process.execPath);
}
