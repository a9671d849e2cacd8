import { BUILT_IN } from "../../config/index.ts";
import { errorText, type InputOf } from "../../protocol/index.ts";
import { firstCharacters } from "../../text/index.ts";
import { entryText, isUserMessage, readTranscript, toolNaming } from "../../transcripts/index.ts";
import { callBridge } from "../program/bridge/call.ts";
import { configurationFor } from "../program/guard-context.ts";
import { defineHook, type HookContext, openHookContext } from "../program/hook-context.ts";
import type { HookDefinition } from "../program/hook-program.ts";
import { mentionedAgents } from "./agent-mentions.ts";
import { withHistory } from "./history-steps.ts";
import { warnOfUncommittedWork } from "./uncommitted-work.ts";

const CONTENT_LENGTH = 500;
const SPEAKERS: ReadonlySet<string> = new Set(["user", "assistant"]);
/** The part of its time that the hook may spend on reading; the rest is for the store and for git. */
const READING_SHARE = 1 / 3;

/** What a session leaves behind for the next ones. */
interface Learning {
  readonly content: string;
  readonly task: string | null;
  readonly agentType: string;
}

/** Closes a session: stores what was learnt, says what was changed, warns of uncommitted work. Cannot block. */
export const sessionStop = defineHook("session-stop", "session-end", endSession);

export const definition: HookDefinition = { hook: sessionStop, usesBridge: true };

async function endSession(input: InputOf<"session-end">, context: HookContext): Promise<undefined> {
  await withHistory(context, input.cwd, ({ endSession: tellChanges }, guard) =>
    tellChanges(input.sessionId, context, guard),
  );
  if (context.hasPart("memory") && learns(input, context)) await storeLearning(input, context);
  if (!context.hasPart("workflow")) return;
  const closing = openHookContext(input, context.system, "session_end", { budgetMs: context.remainingMs() });
  await warnOfUncommittedWork(closing, input.cwd === undefined ? context.projectRoot : context.directory);
}

function learns({ cwd }: InputOf<"session-end">, { system }: HookContext): boolean {
  return (configurationFor(system, cwd)?.config ?? BUILT_IN).memory.learn;
}

async function storeLearning(input: InputOf<"session-end">, context: HookContext): Promise<void> {
  const learning = findLearning(input, context);
  if (learning.content === "") {
    context.log("INFO", "nothing to store");
    return;
  }
  const answer = await callBridge(context, "store", {
    session_id: context.sessionId ?? "unknown",
    transcript_path: input.transcriptPath ?? null,
    agent_type: learning.agentType,
    task: learning.task,
    success: input.success ?? true,
    content: learning.content,
  });
  if (answer.kind !== "reply") {
    context.report(`what this session learnt was not stored: ${answer.problem}`);
  } else if (!answer.reply.stored) {
    context.log("WARNING", "the memory store did not keep what this session learnt");
    context.notify("the memory store did not keep what this session learnt");
  } else {
    context.log("INFO", `stored; ${answer.reply.memories_count} memories`);
  }
}

function findLearning(input: InputOf<"session-end">, context: HookContext): Learning {
  const told = input.output?.trim() ?? "";
  const seen = readSession(input, context, told === "");
  return {
    content: firstCharacters(told === "" ? seen.text : told, CONTENT_LENGTH),
    task: nonEmpty(input.task) ?? nonEmpty(seen.firstMessage) ?? null,
    agentType: nonEmpty(input.agentType) ?? seen.agents[0] ?? "general",
  };
}

/** The beginning of what was said, the first message and the agents mentioned, from the transcript. */
function readSession(
  input: InputOf<"session-end">,
  context: HookContext,
  isTextWanted: boolean,
): { readonly text: string; readonly firstMessage: string; readonly agents: readonly string[] } {
  let text = "";
  let firstMessage = "";
  const agents = new Set<string>();
  const path = input.transcriptPath;
  const readUntil = context.remainingMs() * (1 - READING_SHARE);
  const isDone = () =>
    nonEmpty(input.agentType) !== undefined &&
    (firstMessage !== "" || nonEmpty(input.task) !== undefined) &&
    (!isTextWanted || text.length >= CONTENT_LENGTH * 2);
  try {
    if (path?.startsWith("/") === true && context.system.files.follow(path)?.kind === "file") {
      for (const entry of readTranscript(context.system, path, toolNaming(input.host))) {
        if (isDone() || context.remainingMs() < readUntil) break;
        const said = entryText(entry).trim();
        if (said === "" || entry.isSynthetic || !SPEAKERS.has(entry.role)) continue;
        if (text.length < CONTENT_LENGTH * 2) text = text === "" ? said : `${text}\n${said}`;
        if (firstMessage === "" && isUserMessage(entry)) firstMessage = firstCharacters(said, CONTENT_LENGTH);
        for (const agent of mentionedAgents(said)) agents.add(agent);
      }
    }
  } catch (error) {
    context.report(`the transcript could not be read: ${errorText(error)}`);
  }
  return { text, firstMessage, agents: [...agents].sort() };
}

function nonEmpty(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === undefined || trimmed === "" ? undefined : trimmed;
}
