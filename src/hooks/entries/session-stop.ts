import type { HookDefinition } from "../hook-program.ts";
import { sessionStop } from "../session-stop.ts";

export const definition: HookDefinition = { hook: sessionStop, usesBridge: true };
