import type { HookDefinition } from "../hook-program.ts";
import { stop } from "../stop/stop.ts";

export const definition: HookDefinition = {
  hook: stop,
  usesBridge: true,
  // The hook's own word for "nothing holds you"; hosts other than Claude Code never see it.
  silence: { extras: { claude: { decision: "approve" } } },
};
