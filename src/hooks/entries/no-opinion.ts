import type { HookDefinition } from "../run.ts";

/** Every event that no stock hook serves. */
export const definition: HookDefinition = { hook: undefined };
