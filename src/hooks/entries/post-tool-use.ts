import type { HookDefinition } from "../hook-program.ts";
import { postToolUse } from "../post-tool-use.ts";

export const definition: HookDefinition = { hook: postToolUse };
