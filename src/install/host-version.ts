import { stripVTControlCharacters } from "node:util";
import { coerce, gte } from "semver";
import { HOSTS, type HostId } from "../hosts/index.ts";
import type { System } from "../system/index.ts";
import { runProgram } from "./run-program.ts";
import { findHostProgram, INSTALLABLE_HOSTS, type RegistrationTarget } from "./targets.ts";

/** Agents are programs of many megabytes; on a busy machine even their version takes seconds. */
const TIMEOUT_MS = 5_000;
const MAX_LINE = 200;

/** The first line that a program says about its version, without colours; undefined when it says none in time. */
export async function askVersion(
  system: System,
  program: string,
  flag = "--version",
  timeoutMs = TIMEOUT_MS,
): Promise<string | undefined> {
  const { code, stdout, stderr } = await runProgram(system, [program, flag], { timeoutMs });
  // Pi tells its version on stderr.
  const [line = ""] = stripVTControlCharacters(stdout.trim() === "" ? stderr : stdout)
    .trim()
    .split("\n");
  return code !== 0 || line.trim() === "" ? undefined : line.trim().slice(0, MAX_LINE);
}

/** Which hosts can be told in their own configuration that a failing hook refuses. */
export async function findClosedHosts(system: System): Promise<(target: RegistrationTarget) => boolean> {
  const known = await Promise.all(
    INSTALLABLE_HOSTS.map(async host => {
      const since = HOSTS[host].registration?.layout.closedMemberSince;
      return since === "any" || (since !== undefined && (await isAtLeast(system, host, since))) ? [host] : [];
    }),
  );
  return target => known.flat().includes(target.owner);
}

/** Whether the installed host is at least of that version; false when it cannot be told. */
async function isAtLeast(system: System, host: HostId, version: string): Promise<boolean> {
  const program = findHostProgram(system, host);
  const answer = program === undefined ? undefined : await askVersion(system, program);
  const found = answer === undefined ? null : coerce(answer);
  return found !== null && gte(found, version);
}
