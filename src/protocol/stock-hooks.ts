import type { EventName } from "./events.ts";

/**
 * One hook of this package. Its code is `src/hooks/NAME.ts`, or `src/hooks/NAME/NAME.ts` with its parts beside it,
 * which exports a `definition`. Its subcommand, its registration with hosts, its time limit and its bundle in the hook
 * program are derived from this row.
 */
export interface StockHook {
  /** kebab case */
  readonly name: string;
  /** the event it is for, then others whose payloads it takes as well; it is registered for all of them */
  readonly events: readonly [EventName, ...EventName[]];
  readonly timeoutSeconds: number;
  /** the ability of a host without which the hook would do nothing for its user */
  readonly needs?: "deny" | "context" | "answer";
  /** runs beside the event's own hook: a host that starts one program per event does not get it */
  readonly isSecond?: boolean;
}

/** All stock hooks, in the order in which hosts register them. */
export const STOCK_HOOKS = [
  { name: "session-start", events: ["SessionStart"], timeoutSeconds: 10, needs: "context" },
  { name: "stop", events: ["Stop"], timeoutSeconds: 120, needs: "deny" },
  { name: "pre-tool-use", events: ["PreToolUse"], timeoutSeconds: 10, needs: "deny" },
  { name: "permission-request", events: ["PermissionRequest"], timeoutSeconds: 10, needs: "answer" },
  { name: "post-tool-use", events: ["PostToolUse", "PostToolUseFailure"], timeoutSeconds: 10 },
  {
    name: "workflow-classification-reminder",
    events: ["UserPromptSubmit"],
    timeoutSeconds: 5,
    needs: "context",
    isSecond: true,
  },
  { name: "user-prompt-submit", events: ["UserPromptSubmit"], timeoutSeconds: 10, needs: "context" },
  { name: "pre-compact", events: ["PreCompact"], timeoutSeconds: 30 },
  { name: "session-stop", events: ["SessionEnd"], timeoutSeconds: 30 },
] as const satisfies readonly StockHook[];

export type StockHookName = (typeof STOCK_HOOKS)[number]["name"];
