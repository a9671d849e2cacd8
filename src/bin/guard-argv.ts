import { runGuardArgv } from "../hooks/index.ts";
import { createNodeSystem } from "../system/node.ts";

export function main(argv: readonly string[], installedIn?: string): void {
  process.exit(runGuardArgv(argv, createNodeSystem(installedIn)));
}
