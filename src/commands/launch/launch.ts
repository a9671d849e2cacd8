import { askYesOrNo, type Invocation, ownProgram, type Terminal, usageError } from "../../cli/index.ts";
import {
  checkPlatform,
  describeEnvironment,
  describePlan,
  isNonInteractive,
  type LaunchConsole,
  type LaunchRequest,
  loadCheckout,
  offerInstall,
  planLaunch,
  runPlan,
  whySkipped,
} from "../../launcher/index.ts";
import { type AgentName, Problem } from "../../state/index.ts";
import { resolve, type System } from "../../system/index.ts";
import type { UpdateNotice } from "./update-notice.ts";

/** A launch command: reads its options, plans, shows or runs the plan. */
export async function launch(agent: AgentName, invocation: Invocation): Promise<number> {
  const { options, terminal } = invocation;
  const isTrial = options["dry-run"] === true || options["print-env"] === true;
  try {
    checkPlatform(process.platform);
    const { system, directory } = await startIn(invocation, isTrial);
    const console = consoleOf(terminal);
    const request = requestOf(agent, invocation, directory);
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

/** The look for a newer version, which goes on beside everything else; undefined when there is none. */
async function openUpdateNotice(
  system: System,
  { options }: Invocation,
  console: LaunchConsole,
  request: LaunchRequest,
): Promise<UpdateNotice | undefined> {
  const skipped = whySkipped(system, {
    isUnwanted: options["skip-update-check"] === true,
    isDelegated: request.isDelegated,
  });
  if (skipped === "told") console.note("skipping update check (subprocess-safe / no TTY)");
  if (skipped !== undefined) return undefined;
  const { startUpdateNotice } = await import("./update-notice.ts");
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
  { options, system, terminal }: Invocation,
  isTrial: boolean,
): Promise<{ system: System; directory: string }> {
  const here = system.files.workingDirectory();
  if (here === undefined) throw new Problem("the working directory no longer exists", { kind: "cwd" });
  const wanted = options["cwd"];
  let directory = typeof wanted === "string" ? resolve(here, wanted) : here;
  if (system.files.follow(directory)?.kind !== "directory") {
    throw new Problem(`--cwd: ${directory} is no directory`, { kind: "usage", exitCode: 2 });
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

function requestOf(agent: AgentName, { options, rest }: Invocation, directory: string): LaunchRequest {
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

function consoleOf(terminal: Terminal): LaunchConsole {
  return {
    note: text => terminal.note(`amplihack: ${text}\n`),
    warn: text => terminal.warn(`amplihack: ${text}\n`),
    ...(terminal.isInteractive ? { ask: (question: string) => askYesOrNo(terminal, question) } : {}),
  };
}
