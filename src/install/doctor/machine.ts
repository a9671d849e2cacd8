import { gte } from "semver";
import { findOwner, isNewer } from "../../launcher/index.ts";
import { wrappedCommand } from "../../programs/index.ts";
import { errorText } from "../../protocol/index.ts";
import { readText, type UserDirectories } from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";
import { inspectCodeCaches } from "../code-cache.ts";
import { findOnPath } from "../find-program.ts";
import { askVersion } from "../host-version.ts";
import type { Package } from "../package.ts";
import { programFolder, versionStampPath } from "../places.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";
import { checkHistory } from "./history.ts";
import { checkHookProgram } from "./hook-program.ts";
import { checkTeamMemory } from "./team-memory.ts";

const OLDEST_NODE = "20.19.0";
const PROGRAM_BYTES = 256 * 1024 * 1024;

/** What the machine must offer, apart from hosts. */
export async function checkMachine(
  system: System,
  places: UserDirectories,
  source: Package,
  nodeVersion: string,
): Promise<readonly DoctorCheck[]> {
  return [
    checkVersion(system, places, source),
    gte(nodeVersion, OLDEST_NODE)
      ? pass("node", `Node ${nodeVersion}`)
      : fail("node", `Node ${nodeVersion} is older than ${OLDEST_NODE}`, "install a newer Node"),
    ...(await Promise.all([
      checkTool(system, "git", message => fail("git", message, "install git")),
      checkTool(system, "tmux", message => warn("tmux", `${message} (optional)`)),
    ])),
    checkStateDirectory(system, places),
    checkHistory(system, places),
    ...checkTeamMemory(system, places),
    checkCommandOnPath(system, source),
    checkHookProgram(system, places, source),
    checkCode(system, source),
  ];
}

function checkVersion(system: System, places: UserDirectories, { version, root }: Package): DoctorCheck {
  const stamp = readText(system, versionStampPath(places), 1_000);
  if (stamp === undefined || stamp === version) return pass("version", `amplihack ${version}`);
  if (isNewer(stamp, version)) {
    // As after `amplihack update` by a copy that npm owns: to install again from here would go back.
    const owner = findOwner(join(root, "dist/bin/amplihack.cjs"), places.stateHome);
    const fix =
      "command" in owner ? owner.command(stamp) : `${join(programFolder(places), "amplihack")} doctor`;
    return warn("version", `amplihack ${version}, but the hooks are of the newer ${stamp}`, fix);
  }
  return warn("version", `amplihack ${version}, but ${stamp} is installed`, "amplihack install");
}

async function checkTool(
  system: System,
  name: string,
  missing: (message: string) => DoctorCheck,
): Promise<DoctorCheck> {
  const program = findOnPath(system, name);
  if (program === undefined) return missing(`${name} was not found on PATH`);
  const flag = name === "tmux" ? "-V" : "--version";
  const version = await askVersion(system, program, flag);
  return pass(name, version ?? `${name} at ${program}`);
}

function checkStateDirectory(system: System, { stateHome }: UserDirectories): DoctorCheck {
  const probe = join(stateHome, `.probe-${system.random.hex(16)}`);
  const isNew = system.files.inspect(stateHome) === undefined;
  if (isNew) return pass("state-directory", `${stateHome} is not there yet`);
  try {
    system.files.createExclusive(probe, new Uint8Array(0), 0o600);
    system.files.remove(probe);
    return pass("state-directory", `${stateHome} can be written`);
  } catch (error) {
    return fail(
      "state-directory",
      `${stateHome} cannot be written: ${errorText(error)}`,
      `chown or chmod ${stateHome}`,
    );
  }
}

/** The first `amplihack` on PATH: this very program, or a wrapper that leads to it. */
function checkCommandOnPath(system: System, { root }: Package): DoctorCheck {
  const found = findOnPath(system, "amplihack");
  if (found === undefined)
    return warn("path", "amplihack is not on PATH", "amplihack install, then add ~/.local/bin to PATH");
  const script = join(root, "dist", "bin", "amplihack.cjs");
  const isThis = (path: string): boolean => {
    if (system.files.realPath(path) === safeRealPath(system, script)) return true;
    const next = wrappedCommand(readText(system, path, PROGRAM_BYTES) ?? "")?.at(-1);
    return next !== undefined && system.files.follow(next) !== undefined && isThis(next);
  };
  return isThis(found)
    ? pass("path", `amplihack on PATH is this one: ${found}`)
    : warn(
        "path",
        `another amplihack comes first on PATH: ${found}`,
        `put ~/.local/bin first on PATH, or remove ${found}`,
      );
}

function safeRealPath({ files }: System, path: string): string | undefined {
  return files.follow(path) === undefined ? undefined : files.realPath(path);
}

/** Without it hooks work, a little slower. */
function checkCode(system: System, { root }: Package): DoctorCheck {
  const folder = join(root, "dist", "bin");
  const state =
    system.files.follow(join(folder, "hook-entries")) === undefined
      ? "fresh"
      : inspectCodeCaches(system, folder);
  if (state === "fresh") return pass("compiled-code", "the compiled code of the hooks is current");
  const why = state === "stale" ? "was made by another Node" : "cannot be written next to the package";
  return warn(
    "compiled-code",
    `the compiled code of the hooks ${why}; they start a little slower`,
    "amplihack install",
  );
}
