#!/usr/bin/env node
import { writeSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorText } from "../protocol/index.ts";
import { version } from "../version.ts";
import { findCommand } from "./load-entry.ts";

const dist = join(__dirname, "..");
const argv = process.argv.slice(2);

/** The version is asked for by scripts at every start; it loads nothing. */
function isVersionQuestion(): boolean {
  return argv.length === 1 && (argv[0] === "-V" || argv[0] === "--version");
}

async function start(): Promise<void> {
  const run = findCommand(__dirname, argv[0] ?? "status");
  if (run !== undefined) {
    process.exitCode = await run(argv, join(dist, "commands"));
    return;
  }
  const { runProgram } = (await import(
    pathToFileURL(join(dist, "cli", "program.js")).href
  )) as typeof import("../cli/program.ts");
  process.exitCode = await runProgram(argv, join(dist, "commands"));
}

if (isVersionQuestion()) writeSync(1, `amplihack ${version}\n`);
else
  start().catch((error: unknown) => {
    writeSync(2, `Error: amplihack could not start: ${errorText(error)}\n`);
    process.exitCode = 1;
  });
