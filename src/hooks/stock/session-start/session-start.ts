import { claudeCode } from "../../../hosts/index.ts";
import type { Effect, InputOf } from "../../../protocol/index.ts";
import { findStateHome } from "../../../state/index.ts";
import { countCharacters } from "../../../text/index.ts";
import { attempt, defineHook, type HookContext } from "../../program/context.ts";
import type { HookDefinition } from "../../program/hook-program.ts";
import { rememberHost } from "../../program/process-tree.ts";
import { withHistory } from "../history-steps.ts";
import { isSubstantial, keepRequest, summariseRequest } from "../original-request.ts";
import { cleanUpHooks } from "./hook-cleanup.ts";
import { assembleContext } from "./project-context.ts";
import { checkVersion } from "./version-check.ts";

/** Opens a session: checks the installation, keeps the original request and tells the model where it is. */
export const sessionStart = defineHook("session-start", "session-start", beginSession);

export const definition: HookDefinition = { hook: sessionStart, usesBridge: true };

async function beginSession(
  input: InputOf<"session-start">,
  context: HookContext,
): Promise<Effect | undefined> {
  const isWorkflow = context.hasPart("workflow");
  if (isWorkflow && !attempt(context, "the version check failed", () => checkVersion(context)))
    context.metric("version_check_error", 1);
  if (
    input.host === claudeCode.id &&
    !attempt(context, "the hook cleanup failed", () => cleanUpHooks(context))
  )
    context.metric("hook_cleanup_error", 1);
  const stateHome = findStateHome(context.system);
  if (stateHome !== undefined)
    attempt(context, "the host was not remembered", () => rememberHost(context.system, stateHome));
  await withHistory(context, input.cwd, ({ openSession }, guard) =>
    openSession(input.sessionId, context.system, guard),
  );
  const prompt = input.prompt ?? "";
  context.metric("prompt_length", countCharacters(prompt));
  const request = isWorkflow ? captureRequest(prompt, context) : undefined;
  const { text: assembled, message } = await assembleContext(input.cwd, context);
  const text = [request, assembled].filter(part => part !== undefined && part !== "").join("\n\n");
  context.log("INFO", `session context of ${text.length} characters`);
  return text === "" ? undefined : { context: text, ...(message === undefined ? {} : { message }) };
}

function captureRequest(prompt: string, context: HookContext): string | undefined {
  const isKept = isSubstantial(prompt);
  context.metric("original_request_captured", isKept);
  return isKept ? summariseRequest(keepRequest(context, prompt)) : undefined;
}
