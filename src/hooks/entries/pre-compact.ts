import type { HookDefinition } from "../hook-program.ts";
import { preCompact } from "../pre-compact/pre-compact.ts";

export const definition: HookDefinition = { hook: preCompact };
