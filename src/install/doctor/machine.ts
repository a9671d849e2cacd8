import { gte } from "semver";
import { isHistoryOn, loadConfig, PROFILE_RULES } from "../../config/index.ts";
import { openHistory } from "../../history/index.ts";
import { findOwner, isNewer } from "../../launcher/index.ts";
import { describeSync, readSyncState, teamOrigin } from "../../memory/index.ts";
import { wrappedCommand } from "../../programs/index.ts";
import { errorName, errorText, STOCK_HOOKS } from "../../protocol/index.ts";
import { loadProtection } from "../../recipes/index.ts";
import { loadSandbox } from "../../sandbox/index.ts";
import { MEMORY_DATABASE, Problem, readText, type UserDirectories } from "../../state/index.ts";
import { dirname, join, type System } from "../../system/index.ts";
import { compileFile, readCache } from "../../system/node.ts";
import { count, sizeText } from "../../text/index.ts";
import { createDisk, findRepository, listRemotes } from "../../workspace/index.ts";
import { inspectCodeCaches } from "../code-cache.ts";
import { findOnPath } from "../find-program.ts";
import { chooseEngine, describeEngine, type HookEngine } from "../hook-engine.ts";
import { hookProgramPath, type Package, programFolder, repairCommand, versionStampPath } from "../package.ts";
import { askVersion } from "../targets.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";

/** Files that Docker, Podman and their likes put into every container. */
const CONTAINER_MARKS = ["/.dockerenv", "/run/.containerenv"];

export function isContainer({ files }: Pick<System, "files">): boolean {
  return CONTAINER_MARKS.some(path => files.follow(path)?.kind === "file");
}

const HISTORY_CHECK = "history";

/** Whether what agents change can be kept, and how much of it is. */
function checkHistory(system: System, places: UserDirectories): DoctorCheck {
  const { stateHome, projectRoot: project } = places;
  const { config } = loadConfig(system, places);
  if (!isHistoryOn(config))
    return pass(
      HISTORY_CHECK,
      "what agents change is not kept: the history is switched off in the configuration",
    );
  const folder = join(stateHome, HISTORY_CHECK);
  try {
    const history = openHistory(system, { stateHome, project }, config.history);
    const obstacle = history.whyNotWritable();
    if (obstacle !== undefined)
      return fail(HISTORY_CHECK, `what agents change cannot be kept: ${obstacle}`, `make ${folder} writable`);
    const { changes, bytes } = history.storeSize();
    return pass(HISTORY_CHECK, `the history can be written: ${count(changes, "change")}, ${sizeText(bytes)}`);
  } catch (error) {
    return fail(HISTORY_CHECK, `the history cannot be read: ${errorText(error)}`, "amplihack history verify");
  }
}

const SANDBOX_CHECK = "sandbox";

/** Whether commands can be bounded here, tried for real. Only who relies on it is warned. */
async function checkSandboxHere(
  system: System,
  places: UserDirectories,
  { root: packageRoot }: Package,
): Promise<DoctorCheck> {
  const { checkSandbox, usableLayers } = await loadSandbox();
  const platform = `${process.platform}-${process.arch}`;
  const { report } = checkSandbox(system, { ...places, packageRoot, platform });
  const layers = report === undefined ? undefined : usableLayers(report);
  if (report !== undefined && layers !== undefined) {
    const details = "details: amplihack sandbox check";
    if (report.by === "bwrap")
      return pass(
        SANDBOX_CHECK,
        `the sandbox works in part, with bwrap: amplihack-sandbox is not installed, so try and autonomy sandbox are not possible; ${details}`,
      );
    const lacking = layers.length < 3 ? `; some of it is open here, ${details}` : "";
    const tries = report.overlay.works ? "changes can be tried" : "changes cannot be tried";
    return pass(SANDBOX_CHECK, `the sandbox works: ${layers.join(", ")}; ${tries}${lacking}`);
  }
  const why =
    report === undefined
      ? "neither amplihack-sandbox nor bwrap is installed"
      : "this machine lacks layers for it";
  const isRelied = loadConfig(system, places).config.autonomy === "sandbox";
  const message = `the sandbox is unavailable: ${why}`;
  return isRelied ? warn(SANDBOX_CHECK, message, "amplihack sandbox check") : pass(SANDBOX_CHECK, message);
}

/** Only a person knows whether the image belongs to this project alone, so the check says how to choose. */
function checkContainer(system: System, places: UserDirectories): readonly DoctorCheck[] {
  if (!isContainer(system)) return [];
  const { rules } = loadConfig(system, places).config.guard;
  const isChosen = Object.keys(PROFILE_RULES.container ?? {}).every(id => rules[id] === "allow");
  const message = isChosen
    ? "a container whose system agents may change, as its profile says"
    : "a container; if its image is only this project's: amplihack install --profile container";
  return [pass("container", message)];
}

const PROGRAM_BYTES = 256 * 1024 * 1024;
const PROGRAM_CHECK = "hook-engine";

/** Which program answers the hosts, and whether an installation would still choose it. */
export function checkHookProgram(system: System, places: UserDirectories, source: Package): DoctorCheck {
  let wanted: HookEngine;
  try {
    wanted = chooseEngine(system, source);
  } catch (error) {
    const fix = error instanceof Problem ? error.fix : undefined;
    return fail(PROGRAM_CHECK, errorText(error), fix ?? "unset the variable, or install amplihack again");
  }
  const path = hookProgramPath(places);
  const staged = stagedEngine(system, path);
  if (staged === undefined)
    return warn(PROGRAM_CHECK, `there is no hook program at ${path} yet`, "amplihack install");
  const message = `hook program: ${describeEngine(staged)}`;
  const broken = staged.kind === "node" ? findBroken(system, staged.program) : undefined;
  if (broken !== undefined) return fail(PROGRAM_CHECK, broken, installRepair(staged.program, places, source));
  if (wanted.skipped !== undefined) return warn(PROGRAM_CHECK, wanted.skipped.why, wanted.skipped.fix);
  return staged.kind === wanted.kind
    ? pass(PROGRAM_CHECK, message)
    : warn(
        PROGRAM_CHECK,
        `${message}; an installation would choose: ${describeEngine(wanted)}`,
        "amplihack install",
      );
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
  return installRepair(staged.program, places, source);
}

function installRepair(program: string, { stateHome }: UserDirectories, { version }: Package): string {
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

const TEAM_MEMORY_CHECK = "memory.team";

/** Whether what is shared reaches the team, by the last sync; none is started. Nothing without a team. */
export function checkTeamMemory(system: System, places: UserDirectories): readonly DoctorCheck[] {
  const { config } = loadConfig(system, places);
  if (config.memory.url === undefined) return [];
  const origin = teamOrigin(config);
  if (origin === undefined)
    return [fail(TEAM_MEMORY_CHECK, "memory.url cannot be used", "amplihack memory sync")];
  const state = readSyncState(system, join(places.stateHome, MEMORY_DATABASE));
  const trouble = describeSync(state, system.clock.nowMs());
  return trouble === undefined
    ? [pass(TEAM_MEMORY_CHECK, `memories are shared with the ${origin}`)]
    : [warn(TEAM_MEMORY_CHECK, trouble, "amplihack memory sync")];
}

const PROTECTION_CHECK = "branch-protection";

/** Whether branches of this project are protected on the server as they were. Nothing without a remote and gh. */
async function checkBranches(
  system: System,
  { projectRoot }: UserDirectories,
): Promise<readonly DoctorCheck[]> {
  const disk = createDisk(system);
  const repository = findRepository(disk, projectRoot);
  const remotes = repository === undefined ? [] : listRemotes(disk, repository);
  if (remotes.length === 0 || findOnPath(system, "gh") === undefined) return [];
  try {
    const { checkProtection } = await loadProtection();
    const reports = await checkProtection(system, { directory: projectRoot });
    return reports.map(({ branch, kind, lines: [first = "", ...more] }) => {
      const rest = more.length > 0 ? ` and ${more.length} more` : "";
      if (kind === "weaker")
        return fail(
          PROTECTION_CHECK,
          `${branch} is protected less than before: ${first}${rest}`,
          `amplihack hygiene branch-protection ${branch}`,
        );
      if (kind === "unknown") return pass(PROTECTION_CHECK, `protection of ${branch} is not known: ${first}`);
      return pass(PROTECTION_CHECK, PROTECTION_WORDS[kind](branch));
    });
  } catch (error) {
    return [warn(PROTECTION_CHECK, errorText(error))];
  }
}

const PROTECTION_WORDS = {
  "as-before": (branch: string) => `${branch} is protected as before`,
  first: (branch: string) => `${branch} is protected, and remembered from now on`,
  none: (branch: string) => `${branch} is not protected on the server`,
};

const OLDEST_NODE = "20.19.0";

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
    await checkSandboxHere(system, places, source),
    ...checkContainer(system, places),
    ...checkTeamMemory(system, places),
    ...(await checkBranches(system, places)),
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
  const why =
    state === "stale" ? "is not there, or of another Node" : "cannot be written next to the package";
  return warn(
    "compiled-code",
    `the compiled code of the hooks ${why}; they start a little slower`,
    "amplihack install",
  );
}
