import { wrappedCommand } from "../../programs/own-wrapper.ts";
import { readText } from "../../state/index.ts";
import type { UserDirectories } from "../../state/user-directories.ts";
import type { System } from "../../system/system.ts";
import { chooseEngine, describeEngine, type HookEngine } from "../hook-engine.ts";
import type { Package } from "../package.ts";
import { hookProgramPath } from "../places.ts";
import { describeProblem } from "../problem.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";

const PROGRAM_BYTES = 256 * 1024 * 1024;
const ID = "hook-engine";

/** Which program answers the hosts, and whether an installation would still choose it. */
export function checkHookProgram(system: System, places: UserDirectories, source: Package): DoctorCheck {
  let wanted: HookEngine;
  try {
    wanted = chooseEngine(system, source);
  } catch (error) {
    return fail(ID, describeProblem(error), "unset the variable, or install amplihack again");
  }
  const path = hookProgramPath(places);
  const staged = stagedEngine(system, path);
  if (staged === undefined) return warn(ID, `there is no hook program at ${path} yet`, "amplihack install");
  const message = `hook program: ${describeEngine(staged)}`;
  if (wanted.skipped !== undefined) return warn(ID, wanted.skipped.why, wanted.skipped.fix);
  return staged.kind === wanted.kind
    ? pass(ID, message)
    : warn(ID, `${message}; an installation would choose: ${describeEngine(wanted)}`, "amplihack install");
}

/** What lies at the place that hosts start: a copy of the native program, or a wrapper that names another. */
function stagedEngine(system: System, path: string): HookEngine | undefined {
  if (system.files.follow(path)?.kind !== "file") return undefined;
  const command = wrappedCommand(readText(system, path, PROGRAM_BYTES) ?? "");
  const program = command?.at(-1);
  if (command === undefined || program === undefined) return { kind: "native", program: path };
  return { kind: command.length > 1 ? "node" : "given", program };
}
