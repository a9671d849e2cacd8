import { preCompact } from "../pre-compact/pre-compact.ts";
import type { HookDefinition } from "../run.ts";

export const definition: HookDefinition = { hook: preCompact };
