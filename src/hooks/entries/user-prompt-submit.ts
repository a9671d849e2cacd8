import type { HookDefinition } from "../run.ts";
import { userPromptSubmit } from "../user-prompt-submit.ts";

export const definition: HookDefinition = { hook: userPromptSubmit, usesBridge: true };
