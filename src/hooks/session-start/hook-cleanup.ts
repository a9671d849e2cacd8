import type { HookContext } from "../context.ts";

export function cleanUpHooks(_context: HookContext): void {}
