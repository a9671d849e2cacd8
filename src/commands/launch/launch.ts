import { spawnSync } from "node:child_process";
import { join } from "node:path";
import {
  askYesOrNo,
  type CommandInvocation,
  ownProgram,
  type Terminal,
  usageError,
} from "../../cli/index.ts";
import type { AgentName } from "../../hosts/index.ts";
import {
  canRestart,
  checkPlatform,
  describeEnvironment,
  describePlan,
  isNonInteractive,
  type LaunchConsole,
  type LaunchRequest,
  loadCheckout,
  loadOffer,
  loadReleases,
  offerInstall,
  planLaunch,
  readUpdateSettings,
  readVariables,
  runChild,
  runPlan,
  startUpdateCheck,
  type UpdateCheck,
  whySkipped,
} from "../../launcher/index.ts";
import { errorText } from "../../protocol/index.ts";
import { Problem, programToStart } from "../../state/index.ts";
import { quoteWord, resolve, type System } from "../../system/index.ts";
import { version } from "../../version.ts";

/** What is known about newer versions while a launch is prepared. */
interface UpdateNotice {
  /** Tells of a newer version. When the person takes it and it was started instead, its exit code. */
  tell(): Promise<number | undefined>;
  close(): void;
}

function startUpdateNotice(
  system: System,
  request: LaunchRequest,
  console: LaunchConsole,
): UpdateNotice | undefined {
  const { stateHome, update } = readUpdateSettings(system, request.directory);
  if (!update.check || update.source === undefined) return undefined;
  const isDebug = (system.env.get("AMPLIHACK_DEBUG") ?? "") !== "";
  const check = startUpdateCheck(system, stateHome, update.source, error => {
    if (isDebug) console.warn(`the update check failed: ${errorText(error)}`);
  });
  return { tell: () => tell(system, request, console, stateHome, check), close: () => check.cancel() };
}

async function tell(
  system: System,
  request: LaunchRequest,
  console: LaunchConsole,
  stateHome: string,
  check: UpdateCheck,
): Promise<number | undefined> {
  const latest = check.latest();
  if (latest === undefined) return undefined;
  const [{ isNewer }, { offerUpdate }] = await Promise.all([loadReleases(), loadOffer()]);
  if (!isNewer(latest, version) || !(await offerUpdate(version, latest, console))) return undefined;
  const { status } = spawnSync(process.execPath, [request.self, "update", "--version", latest], {
    stdio: ["inherit", 2, 2],
  });
  if (status !== 0) {
    console.warn(`the update did not succeed; this is still ${version}`);
    return undefined;
  }
  const argv = process.argv.slice(2);
  const program = join(stateHome, "versions", latest, "dist", "bin", "amplihack.cjs");
  if (!canRestart(argv)) {
    console.warn(`updated; now run: ${["amplihack", ...argv].map(quoteWord).join(" ")}`);
    return 0;
  }
  check.cancel();
  const end = await runChild({
    program: process.execPath,
    args: [program, ...argv],
    cwd: system.files.workingDirectory() ?? "/",
    env: readVariables(system),
    isInteractive: true,
    stty: programToStart(system, "stty"),
    warn: console.warn,
  });
  return end.exitCode;
}

/** A launch command: reads its options, plans, shows or runs the plan. */
export async function launch(agent: AgentName, invocation: CommandInvocation): Promise<number> {
  const { options, terminal } = invocation;
  const isTrial = options["dry-run"] === true || options["print-env"] === true;
  try {
    checkPlatform(process.platform);
    const { system, directory } = await startIn(invocation, isTrial);
    const console = toConsole(terminal);
    const request = toLaunchRequest(agent, invocation, directory);
    const notice = isTrial ? undefined : await openUpdateNotice(system, invocation, console, request);
    const plan = await planLaunch(system, request, console.warn);
    if (options["print-env"] === true) terminal.print(describeEnvironment(plan));
    if (options["dry-run"] === true) terminal.print(describePlan(plan));
    if (isTrial) return 0;
    const isSilent = options["subprocess-safe"] === true;
    offerInstall(system, plan, isSilent ? { note: console.note, warn: console.warn } : console, ownProgram());
    const restarted = await notice?.tell();
    if (restarted !== undefined) return restarted;
    return await runPlan(system, plan, console.warn).finally(() => notice?.close());
  } catch (error) {
    throw isTrial && error instanceof Problem ? asOfTrial(error) : error;
  }
}

/** The check for a newer version, which runs in the background; undefined when it is switched off. */
async function openUpdateNotice(
  system: System,
  { options }: CommandInvocation,
  console: LaunchConsole,
  request: LaunchRequest,
): Promise<UpdateNotice | undefined> {
  const skipped = whySkipped(system, {
    isUnwanted: options["skip-update-check"] === true,
    isDelegated: request.isDelegated,
  });
  if (skipped === "told") console.note("skipping update check (subprocess-safe / no TTY)");
  if (skipped !== undefined) return undefined;
  return startUpdateNotice(system, request, console);
}

/** A trial has its own two codes; a launch those of launchers. */
function asOfTrial(problem: Problem): Problem {
  const { kind, causes, fix, message } = problem;
  if (kind === "usage") return problem;
  return new Problem(message, { kind, causes, fix });
}

/** The system as seen from the directory to start in. */
async function startIn(
  { options, system, terminal }: CommandInvocation,
  isTrial: boolean,
): Promise<{ system: System; directory: string }> {
  const here = system.files.workingDirectory();
  if (here === undefined) throw new Problem("the working directory no longer exists", { kind: "cwd" });
  const wanted = options["cwd"];
  let directory = typeof wanted === "string" ? resolve(here, wanted) : here;
  if (system.files.follow(directory)?.kind !== "directory") {
    throw new Problem(`--cwd: ${directory} is not a folder`, { kind: "usage", exitCode: 2 });
  }
  const repository = options["checkout-repo"];
  if (typeof repository === "string") {
    const { checkOut, parseRepository } = await loadCheckout();
    const parsed = parseRepository(repository);
    if (isTrial) terminal.note(`amplihack: would start in a clone of ${parsed.owner}/${parsed.name}\n`);
    else directory = checkOut(system, parsed, directory, !isNonInteractive(system));
  }
  if (directory === here) return { system, directory };
  return { system: { ...system, files: { ...system.files, workingDirectory: () => directory } }, directory };
}

function toLaunchRequest(
  agent: AgentName,
  { options, rest }: CommandInvocation,
  directory: string,
): LaunchRequest {
  const has = (name: string): boolean => options[name] === true;
  if (has("reflection") && has("no-reflection")) {
    throw usageError("--reflection and --no-reflection exclude each other", `amplihack ${agent} --help`);
  }
  return {
    agent,
    args: rest,
    directory,
    self: ownProgram(),
    resumes: has("resume"),
    continues: has("continue") || has("continue-session"),
    skipsPermissions: has("skip-permissions"),
    reflects: has("reflection") ? true : has("no-reflection") ? false : undefined,
    isDelegated: has("subprocess-safe"),
    usesShims: has("shims"),
    isStrictVersion: has("strict-version"),
    allowsUntrustedHooks: has("allow-untrusted-hooks"),
  };
}

function toConsole(terminal: Terminal): LaunchConsole {
  return {
    note: text => terminal.note(`amplihack: ${text}\n`),
    warn: text => terminal.warn(`amplihack: ${text}\n`),
    ...(terminal.isInteractive ? { ask: (question: string) => askYesOrNo(terminal, question) } : {}),
  };
}
