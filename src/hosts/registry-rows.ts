import { describeEvent, STOCK_HOOKS, type StockHook } from "../protocol/index.ts";

/** One row of the table that install, check, list and uninstall share. Order within an event counts. */
export interface RegistryRow {
  readonly event: string;
  readonly subcommand: string;
  readonly timeoutSeconds: number;
  /** how much longer a person elsewhere is waited for */
  readonly waitSeconds?: number;
  /** tool events are registered for all tools; matching is done inside */
  readonly matcher?: "*";
  /** the ability without which the hook would do nothing for its user */
  readonly needs?: "deny" | "context" | "answer";
  /** runs beside the event's own hook */
  readonly isSecond?: boolean;
}

/** Every row, also those of hooks that only hosts get whose questions are answered on an event of its own. */
export const ALL_ROWS: readonly RegistryRow[] = STOCK_HOOKS.flatMap((hook: StockHook) =>
  hook.events.map(event => ({
    event,
    subcommand: hook.name,
    timeoutSeconds: hook.timeoutSeconds,
    ...(describeEvent(event).requiresTool ? { matcher: "*" as const } : {}),
    ...(hook.needs === undefined ? {} : { needs: hook.needs }),
    ...(hook.isSecond === undefined ? {} : { isSecond: hook.isSecond }),
  })),
);

/** What every host gets, as far as it has the events. */
export const HOOK_REGISTRY: readonly RegistryRow[] = ALL_ROWS.filter(({ needs }) => needs !== "answer");
