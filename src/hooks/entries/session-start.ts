import type { HookDefinition } from "../hook-program.ts";
import { sessionStart } from "../session-start/session-start.ts";

export const definition: HookDefinition = { hook: sessionStart, usesBridge: true };
