import { CommandError, type CommandInvocation, defineCommand, usageError } from "../cli/index.ts";
import {
  BRIDGE_ACTIONS,
  BRIDGE_VERSION,
  parseBridgeReply,
  parseBridgeRequest,
  type QuestionRequest,
} from "../hooks/index.ts";
import { answerRequest, findMemoryPlace } from "../memory/index.ts";
import { errorText, readJson } from "../protocol/index.ts";
import { loadSandbox } from "../sandbox/index.ts";
import { loadQuestions } from "../ship/index.ts";
import type { System } from "../system/index.ts";
import { escapeControls } from "../text/index.ts";
import { startSync } from "./memory/background-sync.ts";

const REQUEST_BYTES = 1024 * 1024;

/** Not in the list of commands: hooks call it, people do not. */
export const command = defineCommand({
  name: "bridge",
  summary: "answer one request of a hook (internal)",
  details:
    "Reads one JSON request from standard input and prints one JSON reply; a failure prints nothing there.",
  options: {},
  ignoresHome: true,
  positionals: [{ name: "ACTION", summary: BRIDGE_ACTIONS.join(", ") }],
  forAgents: "asks",
  examples: { "amplihack bridge get_context < request.json": "prints what a session starts with" },
  async run(invocation) {
    const { positionals, system, terminal } = invocation;
    const action = BRIDGE_ACTIONS.find(known => known === positionals[0]);
    if (action === undefined) throw usageError(`ACTION must be one of ${BRIDGE_ACTIONS.join(", ")}`);
    const request = parseBridgeRequest(readRequest(system));
    if (!request.ok) throw badRequest(request.problem);
    if (request.value.action !== action) throw badRequest(`its action is not ${action}`);
    const warn = (message: string): void => terminal.warn(`amplihack bridge: ${escapeControls(message)}\n`);
    if (request.value.version !== BRIDGE_VERSION) {
      warn(`the request is of version ${request.value.version}, not ${BRIDGE_VERSION}`);
    }
    if (request.value.action === "question") {
      const answer = await askOnServer(invocation, request.value);
      terminal.print(`${JSON.stringify({ version: BRIDGE_VERSION, ...answer })}\n`);
      return 0;
    }
    const place = findMemoryPlace(system, warn);
    const answer = await answerRequest(request.value, { ...place, system, warn });
    const reply = parseBridgeReply(action, JSON.parse(JSON.stringify(answer)));
    if (!reply.ok)
      throw new CommandError(`the reply is not as expected: ${reply.problem}`, { kind: "failed" });
    terminal.print(`${JSON.stringify({ version: BRIDGE_VERSION, ...reply.value })}\n`);
    await startSync(system, place, action === "store");
    return 0;
  },
});

async function askOnServer(
  invocation: Pick<CommandInvocation, "system" | "terminal">,
  { digest, wait_ms: waitMs, session_id: session, ...shown }: QuestionRequest,
) {
  const { askTeam, questionFacts } = await loadQuestions();
  const { system } = invocation;
  const startedMs = system.clock.monotonicMs();
  const diff = await heldDiff(invocation, shown.command);
  const leftMs = waitMs - (system.clock.monotonicMs() - startedMs);
  return askTeam(system, { digest, ...questionFacts({ ...shown, session, diff }) }, leftMs);
}

/** The call and nothing else: an id behind something else in the text need not be the one that is applied. */
const APPLIES = /^\s*(?:\S*\/)?amplihack try apply ([0-9a-z]+)\s*$/;

/** What would become real, of a call that applies held changes. */
async function heldDiff(invocation: Pick<CommandInvocation, "system" | "terminal">, command: string) {
  const id = APPLIES.exec(command)?.[1];
  if (id === undefined) return "";
  const { openTries } = await import("./try/open.ts");
  const { diffForOthers } = await import("./try/show.ts");
  const { collectChanges } = await loadSandbox();
  try {
    const { config, openTryContext, find, places } = await openTries(invocation);
    const record = find(id);
    const changes = collectChanges(invocation.system, openTryContext(record.project).program, record);
    return await diffForOthers(invocation.system, { record, changes }, places.home, config.guard);
  } catch (error) {
    // The person who answers reads why there is no diff.
    return errorText(error);
  }
}

function readRequest(system: System) {
  const input = system.stdio.readInput(REQUEST_BYTES);
  if (input.kind === "too-large") throw badRequest(`it is longer than ${input.limitBytes} bytes`);
  if (input.kind !== "bytes") throw badRequest("standard input cannot be read");
  const read = readJson(system.text.decode(input.bytes).text, { recover: false, maxDepth: 32 });
  if (!read.ok) throw badRequest(read.problem === "empty" ? "it is empty" : "it is not one JSON object");
  return read.value;
}

function badRequest(why: string): CommandError {
  return new CommandError(`the request cannot be answered: ${why}`, { kind: "invalid" });
}
