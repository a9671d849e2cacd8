/**
 * The hosts' own records of sessions: find, read, and fold into turns, calls, tokens and costs. Reads files of any size in bounded
 * memory and tolerates lines that are damaged.
 */

export type { Naming } from "./entry.ts";
export {
  type Entry,
  entryText,
  isUserMessage,
  type MessagePart,
  type ToolResultPart,
  type ToolUsePart,
} from "./entry.ts";
export { messageHeading, RULE, readExport, timeLine, toolNaming } from "./export-form.ts";
export { findPastSessions, findSessionRecord as findRecordOf, type PastSession } from "./find.ts";
export { countLines, LINE_OPTIONS, type LineOptions, readLines } from "./lines.ts";
export { type ReadCount, readEntry, readMessages, readTranscript } from "./read.ts";
export type { TokenCount } from "./usage/facts.ts";
export {
  addSpent,
  addTokens,
  advanceMeter,
  type CountedAnswers,
  formatDay,
  groupUsage,
  type Spent,
  sumGroups,
  totalTokens,
  USAGE_GROUPS,
  type UsageGroup,
  type UsageGrouping,
  type UsageMeter,
} from "./usage/meter.ts";
export { costOfTokens, PRICES_DATE, type PriceList } from "./usage/prices.ts";
export { type Usage, type UsageEntry, UsageSum } from "./usage/sum.ts";
