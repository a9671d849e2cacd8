import { claudeCode } from "../../hosts/claude-code.ts";
import type { Effect, Hook, InputOf } from "../../protocol/index.ts";
import type { System } from "../../system/system.ts";
import { defineHook, type HookContext, type HookOptions, messageOf } from "../context.ts";
import {
  extractRequest,
  isSubstantial,
  renderRequestFile,
  requestDocument,
  summariseRequest,
} from "../original-request.ts";
import { countCharacters } from "../words.ts";
import { ignoreRuntimeFiles } from "./gitignore.ts";
import { cleanUpHooks } from "./hook-cleanup.ts";
import { assembleContext } from "./project-context.ts";
import { checkVersion } from "./version-check.ts";

/** Opens a session: checks the installation, keeps the original request and tells the model where it is. */
export function sessionStart(options: HookOptions = {}): Hook<System> {
  return defineHook(
    {
      id: "amplihack.session-start",
      event: "SessionStart",
      hookName: "session_start",
      kind: "session-start",
    },
    options,
    beginSession,
  );
}

async function beginSession(input: InputOf<"session-start">, context: HookContext): Promise<Effect> {
  attempt(context, "version_check_error", "the version check failed", () => checkVersion(context));
  if (input.host === claudeCode.id) {
    attempt(context, "hook_cleanup_error", "the hook cleanup failed", () => cleanUpHooks(context));
  }
  const prompt = input.prompt ?? "";
  context.metric("prompt_length", countCharacters(prompt));
  const request = keepRequest(prompt, context);
  const hasChanged = ignoreRuntimeFiles(context);
  context.metric("gitignore_modified", hasChanged);
  const text = await assembleContext(context);
  context.log("INFO", `session context of ${text.length} characters`);
  return { context: request === undefined ? text : `${request}\n\n${text}` };
}

/** Housekeeping never costs the model its context. */
function attempt(context: HookContext, metric: string, what: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    context.log("WARNING", `${what}: ${messageOf(error)}`);
    context.metric(metric, 1);
  }
}

function keepRequest(prompt: string, context: HookContext): string | undefined {
  const isKept = isSubstantial(prompt);
  context.metric("original_request_captured", isKept);
  if (!isKept) return undefined;
  const request = extractRequest(prompt, context.sessionFilesId(), context.nowText());
  context.saveSessionData("ORIGINAL_REQUEST.md", renderRequestFile(request));
  context.saveSessionData("original_request.json", requestDocument(request));
  return summariseRequest(request);
}
