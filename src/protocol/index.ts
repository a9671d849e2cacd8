/**
 * What a hook sees and says: the table of events, the types of input, `Effect`, and the one fold of effects into an
 * outcome. Parses untrusted JSON and promises never to throw on it. Pure: no files, no clock, no host's names.
 */

export * from "./effect.ts";
export * from "./events.ts";
export * from "./fold.ts";
export * from "./input.ts";
export * from "./members.ts";
export { STOCK_HOOKS, type StockHook, type StockHookName } from "./stock-hooks.ts";
