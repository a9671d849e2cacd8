/**
 * The hosts' own records of sessions: find, read, and fold into turns and calls. Reads files of any size in bounded
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
export { countLines, LINE_OPTIONS, type LineOptions, readLines } from "./lines.ts";
export { type ReadCount, readMessages, readTranscript } from "./read.ts";
