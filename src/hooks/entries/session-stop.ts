import type { HookDefinition } from "../run.ts";
import { sessionStop } from "../session-stop.ts";

export const definition: HookDefinition = { hook: sessionStop, usesBridge: true };
