import type { Effect, InputOf } from "../../protocol/index.ts";
import { findStateHome, MEMORY_DATABASE } from "../../state/index.ts";
import { join } from "../../system/index.ts";
import { countCharacters, firstCharacters } from "../../text/index.ts";
import { callBridge } from "../program/bridge/call.ts";
import { attempt, defineHook, type HookContext } from "../program/hook-context.ts";
import type { HookDefinition } from "../program/hook-program.ts";
import { notePrompt } from "../program/session-facts.ts";
import { mentionedAgents } from "./agent-mentions.ts";
import { readFrameworkText, readPreferenceFiles } from "./framework-files.ts";
import { withHistory } from "./history-steps.ts";
import { parsePreferences, renderPreferences, renderProjectPreferences } from "./preferences.ts";
import { type RecalledNotes, screenNotes } from "./recalled-notes.ts";
import { isHeldText } from "./stop/lock-mode.ts";
import { isDevCommand, isNested, isWorkflowActive, startTracking } from "./workflow-tracking.ts";

const QUERY_LENGTH = 500;
const MAX_READ = 16 * 1024;

/** Shorter prompts ("go on") are about nothing that could be looked up. */
const MIN_PROMPT_LENGTH = 8;

/** Gives the model the user's preferences, memories that fit the prompt and the framework's text. Never blocks. */
export const userPromptSubmit = defineHook("user-prompt-submit", "prompt", enrichPrompt);

export const definition: HookDefinition = { hook: userPromptSubmit, usesBridge: true };

async function enrichPrompt(input: InputOf<"prompt">, context: HookContext): Promise<Effect | undefined> {
  const prompt = input.prompt ?? "";
  // Some hosts pass on the reason of a held stop as a prompt. That goes on with the turn.
  if (!isHeldText(prompt)) {
    notePersonsPrompt(prompt, input.sessionId, context);
    await withHistory(context, input.cwd, ({ beginPrompt }, guard) =>
      beginPrompt(input, context.system, guard),
    );
  }
  const isWorkflow = context.hasPart("workflow");
  const isOuter = isWorkflow && !isNested(context) && !isWorkflowActive(context, input.cwd);
  if (isOuter && asksForDevelopment(prompt)) track(context);
  const preferences = isWorkflow ? renderFoundPreferences(context) : undefined;
  const notes = context.hasPart("memory") ? await recall(prompt, input.cwd, context) : undefined;
  const parts = [preferences, notes?.text, isOuter ? readFrameworkText(context) : undefined];
  const text = parts.filter(part => part !== undefined && part !== "").join("\n\n");
  context.metric("context_length", countCharacters(text));
  if (text === "") return undefined;
  return { context: text, ...(notes?.message === undefined ? {} : { message: notes.message }) };
}

function notePersonsPrompt(prompt: string, sessionId: string | undefined, context: HookContext): void {
  const stateHome = findStateHome(context.system);
  if (stateHome === undefined) return;
  attempt(context, "the prompt was not noted", () =>
    notePrompt(context.system, stateHome, sessionId, asksToSkipHooks(prompt)),
  );
}

const SKIPS_HOOKS =
  /--no-verify\b|\b(?:skip|skipping|bypass|bypassing|disable|without)\s+(?:the\s+|all\s+|any\s+)?(?:(?:git|commit|pre-?commit|pre-?push|husky)\s+)*hooks?\b/i;
const FORBIDS =
  /\b(?:not|n't|never|no need|avoid|instead of|rather than|why|refus\w*|forbid\w*|must ?n[o']t|stop)\b|n't\b/i;

/** The person's own words ask for it, and nothing in the same sentence takes it back. */
export function asksToSkipHooks(prompt: string): boolean {
  return prompt
    .slice(0, MAX_READ)
    .split(/(?<=[.!?;])\s+|\n+/)
    .some(sentence => SKIPS_HOOKS.test(sentence) && !FORBIDS.test(sentence));
}

function asksForDevelopment(prompt: string): boolean {
  return isDevCommand(prompt) || prompt.toLowerCase().includes("dev-orchestrator");
}

function track(context: HookContext): void {
  context.prepare();
  attempt(
    context,
    "the workflow is not tracked",
    () => startTracking(context, "user_prompt_submit"),
    "ERROR",
  );
}

function renderFoundPreferences(context: HookContext): string | undefined {
  const { own, project } = readPreferenceFiles(context);
  const [users, projects] = [own, project].map(text => parsePreferences(text ?? ""));
  context.metric("preferences_injected", (users?.found.length ?? 0) + (projects?.found.length ?? 0));
  const parts = [
    users === undefined ? undefined : renderPreferences(users),
    projects === undefined ? undefined : renderProjectPreferences(projects),
  ].filter(part => part !== undefined);
  return parts.join("\n\n");
}

/** What is remembered about the prompt, by the agents it mentions or at all; nothing remembered, no question. */
async function recall(
  prompt: string,
  cwd: string | undefined,
  context: HookContext,
): Promise<RecalledNotes | undefined> {
  const agents = mentionedAgents(prompt);
  if (agents.length === 0 && !mayRemember(prompt, context)) return undefined;
  const answer = await callBridge(context, "inject_memory", {
    session_id: context.sessionId ?? "unknown",
    prompt: firstCharacters(prompt, QUERY_LENGTH),
    ...(agents.length === 0 ? {} : { agents }),
  });
  context.metric("agents_detected", agents.length);
  if (answer.kind !== "reply") {
    context.report(answer.problem);
    return { text: "(Agent memory was unavailable for this prompt.)" };
  }
  const { injected_context: text, memory_keys_used: keys } = answer.reply;
  context.metric("agent_memory_injected", keys.length);
  return screenNotes(text, cwd, context);
}

/** A look at the file costs nothing; a child process that finds no memories would. */
function mayRemember(prompt: string, { system }: HookContext): boolean {
  if (prompt.trim().length < MIN_PROMPT_LENGTH || isHeldText(prompt)) return false;
  const home = findStateHome(system);
  try {
    return home !== undefined && (system.files.follow(join(home, MEMORY_DATABASE))?.size ?? 0) > 0;
  } catch {
    // The answer then says what is wrong with it.
    return true;
  }
}
