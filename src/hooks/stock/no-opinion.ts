import type { HookDefinition } from "../program/hook-program.ts";

/** Every event that no stock hook serves. */
export const definition: HookDefinition = { hook: undefined };
