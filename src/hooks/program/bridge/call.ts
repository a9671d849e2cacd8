import { readJson } from "../../../protocol/index.ts";
import { findStateHome, VARIABLES } from "../../../state/index.ts";
import { childEnvironment, describeEnd, join, type ProcessResult } from "../../../system/index.ts";
import { escapeControls } from "../../../text/index.ts";
import type { HookContext } from "../hook-context.ts";
import {
  BRIDGE_TIMEOUT_MS,
  BRIDGE_VERSION,
  type BridgeAction,
  type BridgeContracts,
  parseBridgeReply,
} from "./contracts.ts";

/** `timeout` and `failed` come with a sentence for the person; neither is ever replaced by an invented reply. */
export type BridgeResult<A extends BridgeAction> =
  | { readonly kind: "reply"; readonly reply: BridgeContracts[A]["reply"] }
  | { readonly kind: "timeout" | "failed"; readonly problem: string };

/** A request without what every request has. */
export type BridgeQuestion<A extends BridgeAction> = Omit<
  BridgeContracts[A]["request"],
  "version" | "action"
>;

const REPLY_BYTES = 1024 * 1024;
const STDERR_BYTES = 4 * 1024;
/** What a child may print beyond what is kept before it is stopped. */
const DRAIN_BYTES = 4 * 1024 * 1024;
/** Kept from the hook's time for what comes after the answer, or after the end of a child that gave none. */
const RESERVE_MS = 1_000;
const LAST_WORDS_MS = 500;
const KILL_AFTER_MS = 3_000;

/**
 * Asks a child process, in JSON, within the time of the contract and of this hook. The child leads its own
 * process group, which is ended with it.
 */
export async function callBridge<A extends BridgeAction>(
  context: HookContext,
  action: A,
  question: BridgeQuestion<A>,
): Promise<BridgeResult<A>> {
  const { system } = context;
  const argv = findBridgeCommand(context, action);
  if (typeof argv === "string") return { kind: "failed", problem: argv };
  const remaining = context.remainingMs();
  const timeoutMs = Math.min(BRIDGE_TIMEOUT_MS[action], remaining - RESERVE_MS);
  if (timeoutMs <= 0) return { kind: "timeout", problem: `no time was left to ask for ${action}` };
  const request = { version: BRIDGE_VERSION, action, ...question };
  const { done } = system.processes.start({
    argv,
    cwd: context.projectRoot,
    env: childEnvironment(system, bridgeVariables(context)),
    input: system.text.encode(`${JSON.stringify(request)}\n`),
    timeoutMs,
    killAfterMs: Math.min(KILL_AFTER_MS, remaining - timeoutMs - LAST_WORDS_MS),
    limits: { stdoutBytes: REPLY_BYTES, tailBytes: 0, stderrBytes: STDERR_BYTES, drainBytes: DRAIN_BYTES },
  });
  const result = await done;
  const said = system.text.decode(result.stderr).text.trim();
  if (said !== "") context.log("DEBUG", `bridge ${action} said: ${escapeControls(said)}`);
  return readResult(context, action, result, timeoutMs);
}

function readResult<A extends BridgeAction>(
  context: HookContext,
  action: A,
  result: ProcessResult,
  timeoutMs: number,
): BridgeResult<A> {
  const failed = (why: string): BridgeResult<A> => ({
    kind: "failed",
    problem: `bridge ${action} failed: ${why}`,
  });
  const { end } = result;
  const limit = timeoutMs < 1000 ? `${Math.round(timeoutMs)} ms` : `${Math.round(timeoutMs / 1000)} s`;
  switch (end.kind) {
    case "timeout":
      return {
        kind: "timeout",
        problem: `bridge ${action} gave no answer within ${limit}`,
      };
    case "exit":
      if (end.code !== 0) return failed(`exit code ${end.code}`);
      break;
    default:
      return failed(`its program ${describeEnd(end)}`);
  }
  if (result.stdoutTruncated) return failed(`its reply is longer than ${REPLY_BYTES} bytes`);
  const read = readJson(context.system.text.decode(result.stdout).text, { recover: false, maxDepth: 32 });
  if (!read.ok)
    return failed(read.problem === "empty" ? "it printed nothing" : "its reply is not one JSON object");
  const parsed = parseBridgeReply(action, read.value);
  if (!parsed.ok) return failed(`its reply is not valid: ${parsed.problem}`);
  if (parsed.warning !== undefined) {
    context.log("WARNING", `bridge ${action}: ${parsed.warning}`);
    context.notify(`bridge ${action}: ${parsed.warning}`);
  }
  return { kind: "reply", reply: parsed.value };
}

/** Nested hooks must see that they are nested, and an agent asked to reflect must not reflect in turn. */
function bridgeVariables({ system }: HookContext): Readonly<Record<string, string | undefined>> {
  return {
    CLAUDECODE: undefined,
    AMPLIHACK_SESSION_DEPTH: String(VARIABLES.AMPLIHACK_SESSION_DEPTH.get(system) + 1),
    AMPLIHACK_NONINTERACTIVE: "1",
    AMPLIHACK_SKIP_REFLECTION: "1",
    AMPLIHACK_SKIP_POWER_STEERING: "1",
  };
}

type Command = readonly [string, ...string[]];

/**
 * A test's command, the configured one, the sibling of the hook program, or the staged one; in this order. A text
 * says why there is none.
 */
function findBridgeCommand(context: HookContext, action: BridgeAction): Command | string {
  const { system, options } = context;
  // Nobody but the program itself says what the team answered.
  const isOwn = action === "question";
  if (!isOwn && VARIABLES.AMPLIHACK_TESTING.get(system)) {
    const given = system.env.get("AMPLIHACK_TEST_BRIDGE_COMMAND");
    if (given !== undefined && given.trim() !== "") return fromWords(readTestCommand(given));
  }
  if (!isOwn && options.bridgeCommand !== undefined) return fromWords(options.bridgeCommand);
  if (options.program !== undefined) return fromWords([...options.program, "bridge", action]);
  const home = findStateHome(system);
  const staged = home === undefined ? undefined : join(home, ".claude", "bin", "amplihack");
  if (staged !== undefined && system.files.follow(staged)?.kind === "file") {
    return fromWords([staged, "bridge", action]);
  }
  return `bridge ${action} failed: amplihack was not found beside the hook program; run "amplihack install"`;
}

function fromWords([program = "", ...rest]: readonly string[]): Command | string {
  return program === "" ? "the configured bridge command is empty" : [program, ...rest];
}

/** A JSON list of words, or words parted by blanks. */
function readTestCommand(given: string): readonly string[] {
  const read = given.trim().startsWith("[") ? readJson(given, { recover: false, maxDepth: 2 }) : undefined;
  if (read?.ok === true && Array.isArray(read.value)) return read.value.map(String);
  return given.trim().split(/\s+/);
}
