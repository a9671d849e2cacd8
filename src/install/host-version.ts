import { coerce, gte } from "semver";
import type { System } from "../system/system.ts";
import { runProgram } from "./run-program.ts";
import { findHostProgram, type InstallableHost } from "./targets.ts";

const TIMEOUT_MS = 2_000;
const LONGEST_LINE = 200;

/** The first line that a program says about its version, without colours; undefined when it says none in time. */
export async function askVersion(
  system: System,
  program: string,
  flag = "--version",
  timeoutMs = TIMEOUT_MS,
): Promise<string | undefined> {
  const { code, stdout, stderr } = await runProgram(system, [program, flag], { timeoutMs });
  // Pi tells its version on stderr.
  const [line = ""] = stripColours(stdout.trim() === "" ? stderr : stdout)
    .trim()
    .split("\n");
  return code !== 0 || line.trim() === "" ? undefined : line.trim().slice(0, LONGEST_LINE);
}

export function stripColours(text: string): string {
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "");
}

/** Whether the installed host is at least of that version; false when it cannot be told. */
export async function isAtLeast(system: System, host: InstallableHost, version: string): Promise<boolean> {
  const program = findHostProgram(system, host);
  const said = program === undefined ? undefined : await askVersion(system, program);
  const found = said === undefined ? null : coerce(said);
  return found !== null && gte(found, version);
}
