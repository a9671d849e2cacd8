import type { HookDefinition } from "../hook-program.ts";
import { preToolUse } from "../pre-tool-use.ts";

export const definition: HookDefinition = { hook: preToolUse, isGuard: true };
