import type { HookDefinition } from "../run.ts";
import { sessionStart } from "../session-start/session-start.ts";

export const definition: HookDefinition = { hook: sessionStart, usesBridge: true };
