import { preToolUse } from "../pre-tool-use.ts";
import type { HookDefinition } from "../run.ts";

export const definition: HookDefinition = { hook: preToolUse, isGuard: true };
