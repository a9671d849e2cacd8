import type { HookDefinition } from "../run.ts";

export const definition: HookDefinition = {
  hook: () => ({ id: "amplihack.pre-tool-use", event: "PreToolUse", run: () => undefined }),
  isGuard: true,
};
