import type { HookDefinition } from "../hook-program.ts";
import { userPromptSubmit } from "../user-prompt-submit.ts";

export const definition: HookDefinition = { hook: userPromptSubmit, usesBridge: true };
