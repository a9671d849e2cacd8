import { postToolUse } from "../post-tool-use.ts";
import type { HookDefinition } from "../run.ts";

export const definition: HookDefinition = { hook: postToolUse };
