import { wrappedCommand } from "../../programs/index.ts";
import { errorName, errorText, STOCK_HOOKS } from "../../protocol/index.ts";
import { Problem, readText, type UserDirectories } from "../../state/index.ts";
import { dirname, join, type System } from "../../system/index.ts";
import { compileFile, readCache } from "../../system/node.ts";
import { chooseEngine, describeEngine, type HookEngine } from "../hook-engine.ts";
import type { Package } from "../package.ts";
import { hookProgramPath } from "../places.ts";
import { repairCommand } from "../repair-command.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";

const PROGRAM_BYTES = 256 * 1024 * 1024;
const ID = "hook-engine";

/** Which program answers the hosts, and whether an installation would still choose it. */
export function checkHookProgram(system: System, places: UserDirectories, source: Package): DoctorCheck {
  let wanted: HookEngine;
  try {
    wanted = chooseEngine(system, source);
  } catch (error) {
    const fix = error instanceof Problem ? error.fix : undefined;
    return fail(ID, errorText(error), fix ?? "unset the variable, or install amplihack again");
  }
  const path = hookProgramPath(places);
  const staged = stagedEngine(system, path);
  if (staged === undefined) return warn(ID, `there is no hook program at ${path} yet`, "amplihack install");
  const message = `hook program: ${describeEngine(staged)}`;
  const broken = staged.kind === "node" ? findBroken(system, staged.program) : undefined;
  if (broken !== undefined) return fail(ID, broken, repairOf(staged.program, places, source));
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

/** What brings the hooks of an installation back to work: its files made again, or else installing. */
export function findRepair(system: System, places: UserDirectories, source: Package): string {
  const staged = stagedEngine(system, hookProgramPath(places));
  if (staged?.kind !== "node" || findBroken(system, staged.program) === undefined) return "amplihack install";
  return repairOf(staged.program, places, source);
}

function repairOf(program: string, { stateHome }: UserDirectories, { version }: Package): string {
  return repairCommand(program, version, stateHome) ?? "install amplihack again";
}

/** The first file of a hook program on Node that is missing, or is no code: cut off, or written over. */
function findBroken(system: System, program: string): string | undefined {
  const entries = STOCK_HOOKS.map(({ name }) => join(dirname(program), "hook-entries", `${name}.cjs`));
  for (const file of [program, ...entries]) {
    if (system.files.follow(file)?.kind !== "file")
      return `${file} is missing, and hooks cannot run without it`;
    try {
      compileFile(file, readCache(file));
    } catch (error) {
      return `${file} cannot be run (${errorName(error)}): it is not whole`;
    }
  }
  return undefined;
}
