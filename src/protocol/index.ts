export { defined } from "./defined.ts";
export * from "./effect.ts";
export { errorName, errorText, isMemoryUsedUp } from "./error-text.ts";
export * from "./events.ts";
export * from "./fold.ts";
export * from "./hook.ts";
export * from "./input.ts";
export * from "./json.ts";
export {
  booleanAt,
  listAt,
  MemberError,
  memberAt,
  numberAt,
  objectAt,
  parseJsonObject,
  StrictMembers,
  stringAt,
  stringsAt,
} from "./members.ts";
export * from "./read-json.ts";
export { STOCK_HOOKS, type StockHook, type StockHookName } from "./stock-hooks.ts";
