import { tmpdir } from "node:os";
import { HOSTS } from "../../hosts/index.ts";
import { isJsonObject, memberAt, readJson } from "../../protocol/index.ts";
import { DOCTOR_SESSION } from "../../state/index.ts";
import { describeEnd, join, type System } from "../../system/index.ts";
import type { FoundRegistration, OwnEntry } from "../registrations.ts";
import { removeTree } from "../remove-tree.ts";
import { runProgram, trialEnvironment } from "../run-program.ts";
import type { RegistrationTarget } from "../targets.ts";
import { type DoctorCheck, fail, pass } from "./check.ts";

/** What hosts give a hook before a tool: one that is slow on a busy machine still works. */
const TIMEOUT_MS = 10_000;
const MAX_AT_ONCE = 4;

/**
 * Starts every registered hook as its host would, with an ordinary event, in a home and a project that are thrown
 * away. A hook that answers here can still be passed over by its host: that is what `doctor --live` is for.
 */
export async function probeHooks(
  system: System,
  registrations: readonly FoundRegistration[],
  { fix, timeoutMs = TIMEOUT_MS }: { readonly fix: string; readonly timeoutMs?: number | undefined },
): Promise<readonly DoctorCheck[]> {
  const home = join(tmpdir(), `amplihack-probe-${system.random.hex(16)}`);
  const project = join(home, "project");
  system.files.makeDirectory(join(project, ".claude"), 0o700);
  try {
    const waiting = registrations.flatMap(({ target, entries }) =>
      entries.filter(({ kind }) => kind === "program").map(entry => ({ target, entry })),
    );
    const problems = new Map<RegistrationTarget, string[]>();
    await inTurns(waiting, async ({ target, entry }) => {
      const problem = await probe(system, target, entry, { home, project, timeoutMs });
      if (problem !== undefined) problems.set(target, [...(problems.get(target) ?? []), problem]);
    });
    return registrations
      .filter(({ entries }) => entries.some(({ kind }) => kind === "program"))
      .map(({ target, entries }) => summarise(target, entries.length, problems.get(target) ?? [], fix));
  } finally {
    removeTree(system, home);
  }
}

function summarise(
  target: RegistrationTarget,
  count: number,
  problems: readonly string[],
  fix: string,
): DoctorCheck {
  const id = `probe.${target.host}.${target.scope}`;
  const [first] = problems;
  if (first === undefined) return pass(id, `${target.host}: ${count} hooks were started and answered`);
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return fail(id, `${target.host}: ${first}${more}`, fix);
}

async function inTurns<T>(tasks: readonly T[], run: (task: T) => Promise<void>): Promise<void> {
  const queue = [...tasks];
  const worker = async (): Promise<void> => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) await run(task);
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, worker));
}

async function probe(
  system: System,
  { registration, owner }: RegistrationTarget,
  { event, program, words }: OwnEntry,
  {
    home,
    project,
    timeoutMs,
  }: { readonly home: string; readonly project: string; readonly timeoutMs: number },
): Promise<string | undefined> {
  const { code, end, stdout, stderr } = await runProgram(system, [program, ...words], {
    timeoutMs,
    input: JSON.stringify(payloadFor(event, project, registration.isShared === true)),
    cwd: project,
    env: trialEnvironment(system, home),
  });
  const name = `${words[0] ?? "the hook"} on ${event}`;
  if (code !== 0) return `${name} ${describeEnd(end)}`;
  const answer = readJson(stdout, { recover: false, maxDepth: 50 });
  const isText = HOSTS[owner].encode !== undefined;
  const isAnswer = isText || stdout.trim() === "" || (answer.ok && isJsonObject(answer.value));
  if (!isAnswer) return `${name} answered something that is no JSON object`;
  const telemetry = readJson(stderr.trim().split("\n").at(-1) ?? "", { recover: false, maxDepth: 20 });
  const isBroken = telemetry.ok && memberAt(telemetry.value, "result") === "panic";
  return isBroken ? `${name} broke` : undefined;
}

/** An ordinary event with the members of many hosts; each reads its own. */
function payloadFor(event: string, cwd: string, isShared: boolean): Readonly<Record<string, unknown>> {
  const common = {
    session_id: DOCTOR_SESSION,
    cwd,
    hook_event_name: event,
    tool_name: "Bash",
    tool_input: { command: "true" },
    tool_response: { stdout: "" },
    prompt: "hello",
  };
  if (isShared) return common;
  return {
    ...common,
    agent_action_name: event,
    tool_info: { command_line: "true", cwd },
    tool_call: { name: "run_commands", input: { commands: ["true"] } },
    tool_result: { name: "run_commands", input: { commands: ["true"] }, output: "" },
    input: { tool: "bash", sessionID: DOCTOR_SESSION, callID: "1" },
    output: { args: { command: "true" }, parts: [] },
    toolName: "bash",
    toolCallId: "1",
  };
}
