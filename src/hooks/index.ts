import type { Hook } from "../protocol/index.ts";
import { STOCK_HOOKS, type StockHookName } from "../protocol/stock-hooks.ts";
import type { System } from "../system/system.ts";
import type { HookOptions } from "./context.ts";
import { postToolUse, postToolUseFailure } from "./post-tool-use.ts";
import { preCompact } from "./pre-compact/pre-compact.ts";
import { preToolUse } from "./pre-tool-use.ts";
import { sessionStart } from "./session-start/session-start.ts";
import { sessionStop } from "./session-stop.ts";
import { stop } from "./stop/stop.ts";
import { userPromptSubmit } from "./user-prompt-submit.ts";
import { workflowClassificationReminder } from "./workflow-classification-reminder.ts";

export * from "./bridge/contracts.ts";
export { type HookContext, type HookOptions, openHookContext } from "./context.ts";
export { type Routing, type RoutingReason, routeIntent } from "./intent-routing.ts";
export { type RestoredConversation, restoreLatestConversation } from "./pre-compact/restore.ts";
export { type LockOutcome, type LockStatus, lock, lockStatus, unlock } from "./stop/lock-commands.ts";
export * from "./user/authoring.ts";
export {
  postToolUse,
  postToolUseFailure,
  preCompact,
  /** the guard with the user's configuration, grants and audit log */
  preToolUse,
  sessionStart,
  sessionStop,
  stop,
  userPromptSubmit,
  workflowClassificationReminder,
};

const HOOKS: Readonly<Record<StockHookName, (options?: HookOptions) => Hook<System>>> = {
  "session-start": sessionStart,
  stop,
  "pre-tool-use": preToolUse,
  "post-tool-use": postToolUse,
  "workflow-classification-reminder": workflowClassificationReminder,
  "user-prompt-submit": userPromptSubmit,
  "pre-compact": preCompact,
  "session-stop": sessionStop,
};

/** All stock hooks, the guard among them, in the order of registration. */
export function stockHooks(options: HookOptions = {}): readonly Hook<System>[] {
  return STOCK_HOOKS.flatMap(({ name }) =>
    name === "post-tool-use" ? [postToolUse(options), postToolUseFailure(options)] : HOOKS[name](options),
  );
}
